package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// File is a Parquet file that is being read.
type File struct {
	in      io.ReaderAt
	size    int64
	footer  footer
	columns []Column
	checks  map[int]Check // by column
}

// Check checks the values of a page. row is the number of its first row in the table. An error
// becomes the error of reading the page.
type Check func(row int64, v *Values) error

// Open reads the footer of a file of size bytes. It returns an error if that is damaged.
func Open(in io.ReaderAt, size int64) (*File, error) {
	var end [8]byte
	if size < int64(len(magic)+len(end)) {
		return nil, fmt.Errorf("it has %d bytes, too few for a Parquet file", size)
	}
	if _, err := in.ReadAt(end[:], size-int64(len(end))); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic || length > size-int64(len(magic)+len(end)) {
		return nil, errors.New("its end is not that of a Parquet file")
	}
	text := make([]byte, length)
	if _, err := in.ReadAt(text, size-int64(len(end))-length); err != nil {
		return nil, err
	}
	f := &File{in: in, size: size, checks: map[int]Check{}}
	if _, err := decodeThrift(text, &f.footer); err != nil {
		return nil, err
	}
	var err error
	if f.columns, err = f.footer.columns(); err != nil {
		return nil, err
	}
	return f, f.footer.check(f.columns, size)
}

// SetCheck sets a function that checks all values of a column when they are read.
func (f *File) SetCheck(column string, check Check) {
	if i := f.index(column); i >= 0 {
		f.checks[i] = check
	}
}

// Rename renames columns, from the names of an earlier version to the present ones. A column is not
// renamed if its new name is already used.
func (f *File) Rename(names map[string]string) {
	for i := range f.columns {
		if to := names[f.columns[i].Name]; to != "" && f.index(to) < 0 {
			f.columns[i].Name = to
		}
	}
}

// NumRows returns the number of rows of the table.
func (f *File) NumRows() int64 { return f.footer.Rows }

// Metadata returns the key-value pairs of the footer.
func (f *File) Metadata() map[string]string {
	pairs := map[string]string{}
	for _, p := range f.footer.Pairs {
		pairs[p.Key] = p.Value
	}
	return pairs
}

// Groups returns the number of row groups.
func (f *File) Groups() int { return len(f.footer.Groups) }

// Columns returns the columns in order.
func (f *File) Columns() []Column { return slices.Clone(f.columns) }

// index returns the number of a column, -1 if there is none.
func (f *File) index(name string) int {
	return slices.IndexFunc(f.columns, func(c Column) bool { return c.Name == name })
}

// Values holds the values of a page, in the slice for their kind: integers and booleans (0, 1),
// floating-point numbers, or text.
type Values struct {
	Ints   []int64
	Floats []float64
	Texts  []string
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.Ints) + len(v.Floats) + len(v.Texts) }

// slice returns the values from from to to-1.
func (v *Values) slice(from, to int) Values {
	switch {
	case v.Ints != nil:
		return Values{Ints: v.Ints[from:to]}
	case v.Floats != nil:
		return Values{Floats: v.Floats[from:to]}
	}
	return Values{Texts: v.Texts[from:to]}
}

// Pages reads the pages of one column of a row group.
type Pages struct {
	column     *Column
	codec      int32
	left       int64 // values not yet read
	row        int64 // row of the next value
	rest       []byte
	dictionary Values
	check      Check // nil: none
}

// Pages returns a reader of a column's pages in a row group. The column must not be Optional.
func (f *File) Pages(group int, column string) (*Pages, error) {
	i := f.index(column)
	if i < 0 {
		return nil, fmt.Errorf("it has no columns %s", column)
	}
	if f.columns[i].Optional {
		return nil, fmt.Errorf("column %s may be null, which cannot be read", column)
	}
	c := f.footer.Groups[group].Chunks[i].Meta
	begin := c.Data
	if c.Dictionary != nil && *c.Dictionary > 0 {
		begin = min(begin, *c.Dictionary)
	}
	if begin < 0 || begin > f.size-c.Compressed {
		return nil, errBroken
	}
	p := &Pages{
		column: &f.columns[i], codec: c.Codec, left: c.Values, rest: make([]byte, c.Compressed),
		check: f.checks[i],
	}
	for _, g := range f.footer.Groups[:group] {
		p.row += g.Rows
	}
	_, err := f.in.ReadAt(p.rest, begin)
	return p, err
}

// Next returns the values of the next page, and io.EOF after the last one. Later calls do not
// change the returned values.
func (p *Pages) Next() (Values, error) {
	for p.left > 0 {
		one, rest, err := decodePage(p.rest)
		if err != nil {
			return Values{}, err
		}
		p.rest = rest
		switch {
		case one.kind == pageDictionary:
			if p.dictionary, err = p.decode(&one); err != nil {
				return Values{}, err
			}
		case (one.kind == pageData || one.kind == pageDataV2) && one.values > 0:
			return p.data(&one)
		}
	}
	return Values{}, io.EOF
}

func (p *Pages) decode(one *page) (Values, error) {
	body, err := one.unpacked(p.codec)
	if err != nil {
		return Values{}, err
	}
	return decodeValues(p.column.Kind, one.encoding, body, one.values, &p.dictionary)
}

// data decodes a data page.
func (p *Pages) data(one *page) (Values, error) {
	if p.left -= int64(one.values); p.left < 0 {
		return Values{}, errBroken
	}
	v, err := p.decode(one)
	if err == nil && p.check != nil {
		err = p.check(p.row, &v)
	}
	p.row += int64(one.values)
	return v, err
}

// cursor reads the values of one column of a row group in order.
type cursor struct {
	pages *Pages
	page  Values // what is left of it
}

// take returns the next n values.
func (c *cursor) take(n int) (Values, error) {
	for c.page.Len() < n {
		next, err := c.pages.Next()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Values{}, fmt.Errorf("column %s: %w", c.pages.column.Name, err)
		}
		if c.page.Len() > 0 {
			next = Values{
				slices.Concat(c.page.Ints, next.Ints), slices.Concat(c.page.Floats, next.Floats),
				slices.Concat(c.page.Texts, next.Texts),
			}
		}
		c.page = next
	}
	v := c.page.slice(0, n)
	c.page = c.page.slice(n, c.page.Len())
	return v, nil
}

// batches yields columns in batches of up to size rows. It ends after an error.
func (f *File) batches(names []string, size int) iter.Seq2[[]Values, error] {
	return func(yield func([]Values, error) bool) {
		missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return f.index(name) >= 0 })
		if len(missing) > 0 {
			yield(nil, fmt.Errorf("it has no columns %s", strings.Join(missing, ", ")))
			return
		}
		batch := make([]Values, len(names))
		for g := range f.footer.Groups {
			cursors, err := f.cursors(g, names)
			for left := int(f.footer.Groups[g].Rows); err == nil && left > 0; left -= size {
				for i := range cursors {
					if batch[i], err = cursors[i].take(min(left, size)); err != nil {
						break
					}
				}
				if err == nil && !yield(batch, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

func (f *File) cursors(group int, names []string) ([]cursor, error) {
	cursors := make([]cursor, len(names))
	for i, name := range names {
		pages, err := f.Pages(group, name)
		if err != nil {
			return nil, err
		}
		cursors[i].pages = pages
	}
	return cursors, nil
}

// Ints yields columns in batches of up to size rows, as integers; fractions are truncated. The
// slices, one for each column, are valid until the next batch. It ends after an error.
func (f *File) Ints(names []string, size int) iter.Seq2[[][]int64, error] {
	return func(yield func([][]int64, error) bool) {
		out := make([][]int64, len(names))
		for batch, err := range f.batches(names, size) {
			for i := range batch {
				if out[i] = batch[i].truncated(); out[i] == nil {
					err = fmt.Errorf("column %s is not of numbers", names[i])
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// truncated returns numbers as integers; nil for text.
func (v *Values) truncated() []int64 {
	if v.Floats == nil {
		return v.Ints
	}
	ints := make([]int64, len(v.Floats))
	for i, x := range v.Floats {
		ints[i] = int64(x)
	}
	return ints
}
