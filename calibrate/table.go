package calibrate

import (
	"strconv"
	"strings"

	"fabricast/internal/fields"
)

// Benchmarks print tables of numbers separated by blanks. The functions here read them.

// microsecond is one microsecond in picoseconds.
const microsecond = 1e6

// megabyte is one megabyte in bytes, as benchmarks define it.
const megabyte = 1e6

// row is a line of a table.
type row struct {
	f     *file
	line  int
	words []fields.Word
}

// rowOf returns the words of a line that starts with a number, or nil if the line is not a table
// row.
func (f *file) rowOf(number int, line string) *row {
	words := fields.Append(nil, line)
	if len(words) == 0 || words[0].Text[0] < '0' || words[0].Text[0] > '9' {
		return nil
	}
	return &row{f, number, words}
}

// number returns the number in a column. It reports a mistake if there is none.
func (r *row) number(column int, what string) (v float64, ok bool) {
	if column >= len(r.words) {
		last := r.words[len(r.words)-1]
		r.f.fail(r.line, last.Column+last.Width(), 1, "the end of the line", what)
		return 0, false
	}
	w := r.words[column]
	v, err := strconv.ParseFloat(w.Text, 64)
	if err != nil || v < 0 {
		r.f.fail(r.line, w.Column, w.Width(), w.Text, what)
		return 0, false
	}
	return v, true
}

// benchmark describes what a benchmark measures.
type benchmark struct {
	program string
	divided bool // its size is the total of all blocks
	stream  bool // it reports bandwidth
}

// measured looks up a benchmark by its name in a family of benchmarks.
func measured(name string, known map[string]benchmark) (benchmark, bool) {
	b, ok := known[strings.ToLower(name)]
	return b, ok
}

// size converts the size that a benchmark reports to that of a program's message or block.
func (b benchmark) size(bytes float64, ranks int) int64 {
	if b.divided && ranks > 0 {
		return int64(bytes) / int64(ranks)
	}
	return int64(bytes)
}
