package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
)

// File is a Parquet file that is being read.
type File struct {
	in     io.ReaderAt
	size   int64
	footer *footer
	checks map[int]Check // by column
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
		return nil, fmt.Errorf("its end is not that of a Parquet file")
	}
	text := make([]byte, length)
	if _, err := in.ReadAt(text, size-int64(len(end))-length); err != nil {
		return nil, err
	}
	f, err := decodeFooter(text)
	if err != nil {
		return nil, err
	}
	if err := f.checkSizes(size); err != nil {
		return nil, err
	}
	return &File{in: in, size: size, footer: f, checks: map[int]Check{}}, nil
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
	for i := range f.footer.columns {
		if to := names[f.footer.columns[i].Name]; to != "" && f.index(to) < 0 {
			f.footer.columns[i].Name = to
		}
	}
}

// NumRows returns the number of rows of the table.
func (f *File) NumRows() int64 { return f.footer.rows }

// Metadata returns the key-value pairs of the footer.
func (f *File) Metadata() map[string]string { return f.footer.metadata }

// Groups returns the number of row groups.
func (f *File) Groups() int { return len(f.footer.groups) }

// Columns returns the columns in order, except nested and repeated ones.
func (f *File) Columns() []Column {
	var columns []Column
	for _, c := range f.footer.columns {
		if c.Name != "" {
			columns = append(columns, c)
		}
	}
	return columns
}

// index returns the number of a column, -1 if there is none.
func (f *File) index(name string) int {
	for i := range f.footer.columns {
		if name != "" && f.footer.columns[i].Name == name {
			return i
		}
	}
	return -1
}

// indexes returns the numbers of columns, or an error if some do not exist.
func (f *File) indexes(names []string) ([]int, error) {
	var missing []string
	indexes := make([]int, len(names))
	for i, name := range names {
		if indexes[i] = f.index(name); indexes[i] < 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("it has no columns %s", strings.Join(missing, ", "))
	}
	return indexes, nil
}

// Values holds the values of a page, in the slice for their kind: integers and booleans (0, 1),
// floating-point numbers, or text. Null is 0, NaN or "".
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
	codec      int
	left       int64 // values not yet read
	row        int64 // row of the next value
	rest       []byte
	dictionary Values
	check      Check // nil: none
}

// Pages returns a reader of a column's pages in a row group.
func (f *File) Pages(group int, column string) (*Pages, error) {
	indexes, err := f.indexes([]string{column})
	if err != nil {
		return nil, err
	}
	return f.pages(group, indexes[0])
}

func (f *File) pages(group, column int) (*Pages, error) {
	c := &f.footer.groups[group].chunks[column]
	begin := c.data
	if c.dictionary > 0 && c.dictionary < begin {
		begin = c.dictionary
	}
	if begin < 0 || c.compressed < 0 || c.compressed > f.size || begin > f.size-c.compressed ||
		c.kind != f.footer.columns[column].Kind {
		return nil, errBroken
	}
	p := &Pages{
		column: &f.footer.columns[column], codec: c.codec, left: c.values, rest: make([]byte, c.compressed),
		row: f.footer.groups[group].first, check: f.checks[column],
	}
	_, err := f.in.ReadAt(p.rest, begin)
	return p, err
}

// Next returns the values of the next page, and io.EOF after the last one. Later calls do not
// change the returned values.
func (p *Pages) Next() (Values, error) {
	for p.left > 0 {
		h, body, err := decodePage(p.rest)
		if err != nil {
			return Values{}, err
		}
		p.rest = body[h.compressed:]
		body = body[:h.compressed]
		switch h.kind {
		case pageDictionary:
			if body, err = decompress(p.codec, body, h.uncompressed); err == nil {
				p.dictionary, err = decodeValues(p.column.Kind, encodePlain, body, h.values, nil)
			}
			if err != nil {
				return Values{}, err
			}
		case pageData, pageDataV2:
			if h.values > 0 {
				return p.data(&h, body)
			}
		}
	}
	return Values{}, io.EOF
}

// data decodes a data page.
func (p *Pages) data(h *pageHeader, body []byte) (Values, error) {
	levels, body, err := p.unpack(h, body)
	if err != nil {
		return Values{}, err
	}
	if p.left -= int64(h.values); p.left < 0 {
		return Values{}, errBroken
	}
	present := h.values
	if levels != nil {
		present = 0
		for _, l := range levels {
			present += int(l & 1)
		}
	}
	v, err := decodeValues(p.column.Kind, h.encoding, body, present, &p.dictionary)
	if err != nil {
		return v, err
	}
	if present < h.values {
		v.spread(p.column.Kind, levels)
	}
	if p.check != nil {
		err = p.check(p.row, &v)
	}
	p.row += int64(h.values)
	return v, err
}

// unpack decompresses a data page. For a column that may be null it also returns the definition
// levels: 0 for null.
func (p *Pages) unpack(h *pageHeader, body []byte) (levels []uint32, values []byte, err error) {
	var packed []byte // levels
	if h.kind == pageDataV2 {
		heads := h.repetition + h.definition
		packed = body[h.repetition:heads]
		if body = body[heads:]; !h.plain {
			body, err = decompress(p.codec, body, h.uncompressed-heads)
		}
	} else if body, err = decompress(p.codec, body, h.uncompressed); err == nil && p.column.Optional {
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			return nil, nil, errBroken
		}
		n := binary.LittleEndian.Uint32(body)
		packed, body = body[4:4+n], body[4+n:]
	}
	if err == nil && p.column.Optional {
		levels, err = decodeRuns(packed, 1, h.values)
	}
	return levels, body, err
}

// spread inserts nulls according to the definition levels.
func (v *Values) spread(kind Kind, levels []uint32) {
	switch {
	case kind == Text:
		v.Texts = spread(v.Texts, levels, "")
	case kind == Float || kind == Double:
		v.Floats = spread(v.Floats, levels, math.NaN())
	default:
		v.Ints = spread(v.Ints, levels, 0)
	}
}

func spread[T any](values []T, levels []uint32, null T) []T {
	out := make([]T, len(levels))
	next := 0
	for i, l := range levels {
		if out[i] = null; l&1 != 0 {
			out[i] = values[next]
			next++
		}
	}
	return out
}

// cursor reads the values of one column of a row group in order.
type cursor struct {
	pages *Pages
	page  Values
	at    int
}

// take returns the next values: at least one, at most limit.
func (c *cursor) take(limit int) (Values, error) {
	if c.at == c.page.Len() {
		page, err := c.pages.Next()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Values{}, fmt.Errorf("column %s: %w", c.pages.column.Name, err)
		}
		c.page, c.at = page, 0
	}
	from := c.at
	c.at = min(c.page.Len(), from+limit)
	return c.page.slice(from, c.at), nil
}

// batches calls do for up to size rows at a time, until do returns false. do must take n values
// from each cursor.
func (f *File) batches(
	names []string,
	size int,
	do func(n int, cursors []cursor) (more bool, err error),
) error {
	indexes, err := f.indexes(names)
	if err != nil {
		return err
	}
	cursors := make([]cursor, len(indexes))
	for g := range f.footer.groups {
		for i, index := range indexes {
			pages, err := f.pages(g, index)
			if err != nil {
				return err
			}
			cursors[i] = cursor{pages: pages}
		}
		for left := f.footer.groups[g].rows; left > 0; left -= int64(size) {
			if more, err := do(int(min(left, int64(size))), cursors); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// Ints yields columns in batches of up to size rows, as integers; fractions are truncated. The
// slices, one for each column, are valid until the next batch. It ends after an error.
func (f *File) Ints(names []string, size int) iter.Seq2[[][]int64, error] {
	return func(yield func([][]int64, error) bool) {
		out := make([][]int64, len(names))
		for i := range out {
			out[i] = make([]int64, size)
		}
		err := f.batches(names, size, func(n int, cursors []cursor) (bool, error) {
			for i := range cursors {
				out[i] = out[i][:n]
				if err := cursors[i].ints(out[i]); err != nil {
					return true, err
				}
			}
			return yield(out, nil), nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// ints fills a slice with the next values.
func (c *cursor) ints(to []int64) error {
	for len(to) > 0 {
		part, err := c.take(len(to))
		if err != nil {
			return err
		}
		if part.Texts != nil {
			return fmt.Errorf("column %s is not of numbers", c.pages.column.Name)
		}
		copy(to, part.Ints)
		for i, v := range part.Floats {
			to[i] = int64(v)
		}
		to = to[part.Len():]
	}
	return nil
}
