package record

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Columns yields some columns of whole numbers of a table, in batches of rows: a slice for each column, which may be used until
// the next batch is asked for. It is many times faster than Rows. After an error, a *TableError, nothing follows.
func Columns(r *Reader, table string, columns ...string) iter.Seq2[[][]int64, error] {
	return func(yield func([][]int64, error) bool) {
		err := r.each(table, func(file *parquet.File) (bool, error) { return readColumns(file, columns, yield) })
		if err != nil {
			yield(nil, err)
		}
	}
}

func readColumns(file *parquet.File, columns []string, yield func([][]int64, error) bool) (more bool, err error) {
	indexes := make([]int, len(columns))
	var missing []string
	for i, name := range columns {
		leaf, found := file.Schema().Lookup(name)
		if !found {
			missing = append(missing, name)
		}
		indexes[i] = leaf.ColumnIndex
	}
	if len(missing) > 0 {
		return true, fmt.Errorf("it has no columns %s", strings.Join(missing, ", "))
	}
	for _, group := range file.RowGroups() {
		if more, err := readGroup(group, indexes, yield); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

func readGroup(group parquet.RowGroup, indexes []int, yield func([][]int64, error) bool) (more bool, err error) {
	chunks := group.ColumnChunks()
	readers := make([]columnReader, len(indexes))
	out := make([][]int64, len(indexes))
	for i, index := range indexes {
		readers[i].pages = chunks[index].Pages()
		defer readers[i].pages.Close()
		out[i] = make([]int64, batch)
	}
	for left := group.NumRows(); left > 0; {
		rows := min(left, batch)
		for i := range readers {
			out[i] = out[i][:rows]
			if err := readers[i].fill(out[i]); err != nil {
				return true, err
			}
		}
		if !yield(out, nil) {
			return false, nil
		}
		left -= rows
	}
	return true, nil
}

// columnReader reads the values of one column of a row group.
type columnReader struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page; nil: there is none
	narrow []int32
}

// fill reads as many values as there is room for.
func (c *columnReader) fill(to []int64) error {
	for len(to) > 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return unexpectedEnd(err)
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.read(to)
		to = to[n:]
		if errors.Is(err, io.EOF) {
			parquet.Release(c.page)
			c.values = nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// read reads values of the present page.
func (c *columnReader) read(to []int64) (n int, err error) {
	switch values := c.values.(type) {
	case parquet.Int64Reader:
		return values.ReadInt64s(to)
	case parquet.Int32Reader:
		if c.narrow == nil {
			c.narrow = make([]int32, batch)
		}
		n, err = values.ReadInt32s(c.narrow[:len(to)])
		for i, v := range c.narrow[:n] {
			to[i] = int64(v)
		}
		return n, err
	default:
		return 0, errors.New("a column is not of whole numbers")
	}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
