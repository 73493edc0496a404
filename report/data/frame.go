package data

import (
	"math"
	"slices"
	"strings"
)

// frame is a table in memory, stored by columns.
type frame struct {
	rows    int
	columns []*column
}

// column is one column of a frame. It holds integers, floating-point numbers, or words. For words,
// codes holds indexes into words.
type column struct {
	name   string
	ints   []int64
	floats []float64
	codes  []int32
	words  []string
}

// column returns the column of the given name; nil if there is none.
func (f *frame) column(name string) *column {
	for _, c := range f.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// has reports whether the frame has all of the named columns.
func (f *frame) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return f.column(n) == nil })
}

// int returns a value of an integer column. It returns the argument `otherwise` if there is no such
// column.
func (f *frame) int(name string, row int, otherwise int64) int64 {
	if c := f.column(name); c != nil && c.ints != nil {
		return c.ints[row]
	}
	return otherwise
}

// float returns a value of a column of numbers; 0 if there is no such column.
func (f *frame) float(name string, row int) float64 {
	switch c := f.column(name); {
	case c == nil:
		return 0
	case c.floats != nil:
		return c.floats[row]
	case c.ints != nil:
		return float64(c.ints[row])
	}
	return 0
}

// text returns a word of a column of words; "" if there is no such column.
func (f *frame) text(name string, row int) string {
	if c := f.column(name); c != nil && c.codes != nil {
		return c.words[c.codes[row]]
	}
	return ""
}

// sum returns the sum of an integer column; 0 if there is no such column.
func (f *frame) sum(name string) int64 {
	var sum int64
	if c := f.column(name); c != nil {
		for _, v := range c.ints {
			sum += v
		}
	}
	return sum
}

// addInts adds an integer column, or replaces the column of that name.
func (f *frame) addInts(name string, values []int64) { f.add(&column{name: name, ints: values}) }

func (f *frame) addFloats(name string, values []float64) { f.add(&column{name: name, floats: values}) }

func (f *frame) add(c *column) {
	f.drop(c.name)
	f.columns = append(f.columns, c)
	f.rows = c.len()
}

func (f *frame) drop(names ...string) {
	f.columns = slices.DeleteFunc(f.columns, func(c *column) bool { return slices.Contains(names, c.name) })
}

// rename renames a column if it exists.
func (f *frame) rename(from, to string) {
	for i, c := range f.columns {
		if c.name == from {
			renamed := *c
			renamed.name = to
			f.columns[i] = &renamed
		}
	}
}

// dropAbsent removes those of the named columns that hold only -1, which means "none".
func (f *frame) dropAbsent(names ...string) {
	for _, name := range names {
		if c := f.column(name); c != nil &&
			!slices.ContainsFunc(c.ints, func(v int64) bool { return v >= 0 }) {
			f.drop(name)
		}
	}
}

// word appends a word to the column. numbers holds the codes of the words added before.
func (c *column) word(v string, numbers map[string]int32) {
	code, ok := numbers[v]
	if !ok {
		code = int32(len(c.words))
		numbers[v] = code
		c.words = append(c.words, v)
	}
	c.codes = append(c.codes, code)
}

func (c *column) len() int { return max(len(c.ints), len(c.floats), len(c.codes)) }

// pick returns a frame with the given rows in the given order.
func (f *frame) pick(rows []int32) *frame {
	g := &frame{rows: len(rows)}
	for _, c := range f.columns {
		g.columns = append(g.columns, &column{
			name: c.name, words: c.words,
			ints: pick(c.ints, rows), floats: pick(c.floats, rows), codes: pick(c.codes, rows),
		})
	}
	return g
}

func pick[T any](values []T, rows []int32) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(rows))
	for i, r := range rows {
		picked[i] = values[r]
	}
	return picked
}

// table stores the columns as blobs named prefix.COLUMN, and returns their description.
func (f *frame) table(b *Blobs, prefix, note string) *Table {
	t := &Table{Rows: f.rows, Note: note, Columns: []Column{}}
	for _, c := range f.columns {
		x := Column{Name: c.name, Unit: unitOf(c.name), Title: titleOf(c.name), Blob: prefix + "." + c.name}
		var array any
		x.Type, array = c.narrow()
		if c.codes != nil {
			x.Words = c.words
		}
		b.put(x.Blob, array)
		t.Columns = append(t.Columns, x)
	}
	return t
}

// narrow returns the column as the smallest sufficient array type, with the type's name. Fractions
// and rates keep seven digits, which is enough for display.
func (c *column) narrow() (string, any) {
	switch {
	case c.codes != nil && len(c.words) > math.MaxUint16+1:
		return "str", c.codes
	case c.codes != nil:
		return "str", convert[uint16](c.codes)
	case c.floats != nil && strings.HasSuffix(c.name, "_ps"):
		return "f64", c.floats
	case c.floats != nil:
		return "f32", convert[float32](c.floats)
	case len(c.ints) == 0:
		return "i32", []int32{}
	}
	switch low, high := slices.Min(c.ints), slices.Max(c.ints); {
	case low >= 0 && high <= math.MaxUint8:
		return "u8", convert[uint8](c.ints)
	case low >= 0 && high <= math.MaxUint16:
		return "u16", convert[uint16](c.ints)
	case low >= math.MinInt32 && high <= math.MaxInt32:
		return "i32", convert[int32](c.ints)
	case low < -mostExact || high > mostExact:
		return "i64", c.ints
	}
	return "f64", convert[float64](c.ints)
}

// mostExact is the limit up to which a float64 represents every integer exactly.
const mostExact = 1 << 53

func convert[To, From uint8 | uint16 | int32 | int64 | float32 | float64](values []From) []To {
	list := make([]To, len(values))
	for i, v := range values {
		list[i] = To(v)
	}
	return list
}

// unitOf returns the unit that the suffix of a column's name stands for; "" if there is none.
func unitOf(name string) string {
	for _, u := range []struct{ end, unit string }{
		{"_bytes_per_s", "bytes/s"},
		{"_bytes", "bytes"},
		{"_ps", "ps"},
		{"_fraction", "fraction"},
		{"_hops", "hops"},
		{"packets", "packets"},
		{"messages", "messages"},
		{"count", "1"},
	} {
		if strings.HasSuffix(name, u.end) {
			return u.unit
		}
	}
	return ""
}

// titleOf returns a column's name as words, without the unit.
func titleOf(name string) string {
	for _, end := range []string{"_bytes_per_s", "_ps", "_fraction"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.ReplaceAll(name, "_", " ")
}
