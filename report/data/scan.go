package data

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// scan hands the rows of a Parquet file over piece by piece, whole numbers of the named columns
// in their order, so that a table of any length takes little memory.
func scan(path string, names []string, take func(columns [][]int64)) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	defer func() {
		if p := recover(); p != nil { // the library panics on some broken files
			err = fmt.Errorf("%v", p)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return err
	}
	index := make([]int, len(names))
	for i, name := range names {
		leaf := p.Root().Column(name)
		if leaf == nil {
			return fmt.Errorf("it has no column %s", name)
		}
		index[i] = leaf.Index()
	}
	for _, group := range p.RowGroups() {
		if err := scanGroup(group, index, take); err != nil {
			return err
		}
	}
	return nil
}

// piece is how many rows are handed over at once.
const piece = 8192

func scanGroup(group parquet.RowGroup, index []int, take func([][]int64)) error {
	readers := make([]*intReader, len(index))
	columns := make([][]int64, len(index))
	for i, x := range index {
		readers[i] = &intReader{pages: group.ColumnChunks()[x].Pages()}
		columns[i] = make([]int64, piece)
		defer readers[i].close()
	}
	for left := int(group.NumRows()); left > 0; left -= piece {
		n := min(left, piece)
		for i, r := range readers {
			if err := r.fill(columns[i][:n]); err != nil {
				return err
			}
		}
		part := make([][]int64, len(columns))
		for i := range columns {
			part[i] = columns[i][:n]
		}
		take(part)
	}
	return nil
}

// intReader reads a column of whole numbers, or of fractions rounded down.
type intReader struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer [512]parquet.Value
}

func (r *intReader) fill(out []int64) error {
	for len(out) > 0 {
		if r.values == nil {
			if err := r.turn(); err != nil {
				return err
			}
		}
		n, err := r.values.ReadValues(r.buffer[:min(len(r.buffer), len(out))])
		for i, v := range r.buffer[:n] {
			out[i] = wholeNumber(v)
		}
		out = out[n:]
		if errors.Is(err, io.EOF) {
			r.drop()
		} else if err != nil {
			return err
		}
	}
	return nil
}

// turn goes on to the next page.
func (r *intReader) turn() error {
	page, err := r.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	r.page, r.values = page, page.Values()
	return nil
}

func (r *intReader) drop() {
	if r.page != nil {
		parquet.Release(r.page)
	}
	r.page, r.values = nil, nil
}

func (r *intReader) close() {
	r.drop()
	_ = r.pages.Close() // of a file that is only read
}

func wholeNumber(v parquet.Value) int64 {
	switch v.Kind() {
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Float:
		return int64(v.Float())
	case parquet.Double:
		return int64(v.Double())
	}
	return v.Int64()
}
