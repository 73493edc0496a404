package data

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// readFrame reads a Parquet file whole, whatever its columns are. Nested columns are passed over.
func readFrame(path string) (f *frame, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics on some broken files
			f, err = nil, fmt.Errorf("%v", p)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	p, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return nil, err
	}
	f = &frame{rows: int(p.NumRows())}
	for _, leaf := range p.Root().Columns() {
		if !leaf.Leaf() || leaf.Repeated() {
			continue
		}
		c, err := readColumn(p, leaf)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", leaf.Name(), err)
		}
		f.columns = append(f.columns, c)
	}
	return f, nil
}

// readColumn reads a column over all row groups.
func readColumn(p *parquet.File, leaf *parquet.Column) (*column, error) {
	r := columnReader{column: &column{name: leaf.Name()}, numbers: map[string]int32{}}
	r.start(leaf.Type().Kind(), int(p.NumRows()))
	for _, group := range p.RowGroups() {
		pages := group.ColumnChunks()[leaf.Index()].Pages()
		err := r.pages(pages)
		if err = errors.Join(err, pages.Close()); err != nil {
			return nil, err
		}
	}
	if r.column.len() != int(p.NumRows()) {
		return nil, fmt.Errorf("found %d values, expected %d", r.column.len(), p.NumRows())
	}
	return r.column, nil
}

// columnReader collects values of one kind.
type columnReader struct {
	column  *column
	numbers map[string]int32 // of words
	buffer  [1024]parquet.Value
}

func (r *columnReader) start(kind parquet.Kind, rows int) {
	switch kind {
	case parquet.Boolean, parquet.Int32, parquet.Int64:
		r.column.ints = make([]int64, 0, rows)
	case parquet.Float, parquet.Double:
		r.column.floats = make([]float64, 0, rows)
	default:
		r.column.codes = make([]int32, 0, rows)
	}
}

func (r *columnReader) pages(pages parquet.Pages) error {
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = r.values(page.Values())
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (r *columnReader) values(values parquet.ValueReader) error {
	for {
		n, err := values.ReadValues(r.buffer[:])
		for _, v := range r.buffer[:n] {
			r.add(v)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (r *columnReader) add(v parquet.Value) {
	c := r.column
	switch v.Kind() {
	case parquet.Boolean:
		bit := int64(0)
		if v.Boolean() {
			bit = 1
		}
		c.ints = append(c.ints, bit)
	case parquet.Int32:
		c.ints = append(c.ints, int64(v.Int32()))
	case parquet.Int64:
		c.ints = append(c.ints, v.Int64())
	case parquet.Float:
		c.floats = append(c.floats, float64(v.Float()))
	case parquet.Double:
		c.floats = append(c.floats, v.Double())
	default:
		c.word(string(v.ByteArray()), r.numbers)
	}
}
