package calibrate

import (
	"strconv"
	"strings"

	"fabricast/internal/fields"
)

// Benchmarks print tables of blanks and numbers. The functions here read their numbers.

// microsecond is in picoseconds.
const microsecond = 1e6

// megabyte is in bytes, as benchmarks count.
const megabyte = 1e6

// row is a line of a table.
type row struct {
	f     *file
	line  int
	words []fields.Word
}

// rowOf returns the words of a line, of which the first must be a number; nil if the line is none of
// a table.
func (f *file) rowOf(number int, line string) *row {
	words := fields.Append(nil, line)
	if len(words) == 0 || words[0].Text[0] < '0' || words[0].Text[0] > '9' {
		return nil
	}
	return &row{f, number, words}
}

// number returns the number in a column, from 0. It reports a mistake if there is none.
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

// benchmark is what a benchmark measures.
type benchmark struct {
	program string
	divided bool // its size is that of all blocks together
	stream  bool // it reports bandwidth
}

// measured is a program by the name that a benchmark has in a family of them.
func measured(name string, known map[string]benchmark) (benchmark, bool) {
	b, ok := known[strings.ToLower(name)]
	return b, ok
}

// size returns the size of a program's message or block for the benchmark's.
func (b benchmark) size(bytes float64, ranks int) int64 {
	if b.divided && ranks > 0 {
		return int64(bytes) / int64(ranks)
	}
	return int64(bytes)
}
