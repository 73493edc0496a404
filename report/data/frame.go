package data

import (
	"math"
	"slices"
	"strings"
)

// frame is a table in memory, by columns.
type frame struct {
	rows    int
	columns []*column
}

// column is one of them: whole numbers, numbers, or words by their numbers in words.
type column struct {
	name   string
	ints   []int64
	floats []float64
	codes  []int32
	words  []string
}

// column is the column of a name, nil if there is none.
func (f *frame) column(name string) *column {
	for _, c := range f.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// has tells whether the frame has all of the columns.
func (f *frame) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return f.column(n) == nil })
}

// int is the value of a whole number's column in a row, otherwise if there is no such column.
func (f *frame) int(name string, row int, otherwise int64) int64 {
	if c := f.column(name); c != nil && c.ints != nil {
		return c.ints[row]
	}
	return otherwise
}

// float is the value of a column of numbers in a row; 0 if there is none.
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

// text is the word of a column in a row; empty if there is none.
func (f *frame) text(name string, row int) string {
	if c := f.column(name); c != nil && c.codes != nil {
		return c.words[c.codes[row]]
	}
	return ""
}

// sum adds up a column of whole numbers; 0 if there is none.
func (f *frame) sum(name string) int64 {
	var sum int64
	if c := f.column(name); c != nil {
		for _, v := range c.ints {
			sum += v
		}
	}
	return sum
}

// addInts and addFloats add a column, in place of an earlier one of the name.
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

// dropAbsent drops those of the columns that are -1, which stands for none, in all rows.
func (f *frame) dropAbsent(names ...string) {
	for _, name := range names {
		if c := f.column(name); c != nil && !slices.ContainsFunc(c.ints, func(v int64) bool { return v >= 0 }) {
			f.drop(name)
		}
	}
}

// word appends a word, whose numbers so far are given.
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

// pick is the frame with the given rows in the given order.
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

// table puts the frame's columns among the blobs under a prefix and describes them.
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

// narrow is the column as the smallest array that holds it. Fractions and rates have seven
// digits: more than anybody can see.
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

// mostExact is up to which whole number a float64 tells all from one another.
const mostExact = 1 << 53

func convert[To, From uint8 | uint16 | int32 | int64 | float32 | float64](values []From) []To {
	list := make([]To, len(values))
	for i, v := range values {
		list[i] = To(v)
	}
	return list
}

// unitOf is the unit that a column's name ends with.
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

// titleOf is a column's name in words, without the unit.
func titleOf(name string) string {
	for _, end := range []string{"_bytes_per_s", "_ps", "_fraction"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.ReplaceAll(name, "_", " ")
}
