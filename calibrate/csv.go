package calibrate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/workload"
)

// csvColumns are the columns that CSV files of measurements may have.
var csvColumns = []string{"program", "algorithm", "size", "ranks", "shape", "time", "low", "high"}

// cell is a value between two commas, with its position in the line.
type cell struct {
	text          string
	column, width int
}

// readCSV reads comma-separated values: a line with the names of the columns, followed by one
// measurement per line. Sizes and times have units; low and high are the 10th and 90th percentile
// of the time. # starts a comment.
func readCSV(f *file, d Defaults) {
	var header []string
	unknown := false // the line with the names of the columns has mistakes
	f.lines(func(n int, line string) {
		if text, _, _ := strings.Cut(line, "#"); strings.TrimSpace(text) == "" || unknown {
			return
		}
		cells := cellsOf(line)
		if header == nil {
			header = f.header(n, cells)
			unknown = len(f.problems) > 0
			return
		}
		if len(cells) != len(header) {
			f.fail(
				n,
				1,
				len(line),
				strconv.Itoa(len(cells))+" values",
				strconv.Itoa(len(header))+", as many as columns",
			)
			return
		}
		r := csvRow{f: f, line: n, cells: map[string]cell{}}
		for i, name := range header {
			r.cells[name] = cells[i]
		}
		before := len(f.problems)
		m := r.measurement(d)
		if len(f.problems) == before {
			f.add(m)
		}
	})
}

// cellsOf splits a line at its commas.
func cellsOf(line string) (cells []cell) {
	line, _, _ = strings.Cut(line, "#")
	column := 1
	for part := range strings.SplitSeq(line, ",") {
		text := strings.TrimSpace(part)
		lead := len([]rune(part)) - len([]rune(strings.TrimLeft(part, " \t")))
		cells = append(cells, cell{text, column + lead, max(1, len([]rune(text)))})
		column += len([]rune(part)) + 1
	}
	return cells
}

// header parses the names of the columns.
func (f *file) header(line int, cells []cell) (names []string) {
	const expected = "the names of columns, separated by commas, each once of "
	for _, c := range cells {
		if !slices.Contains(csvColumns, c.text) || slices.Contains(names, c.text) {
			f.fail(line, c.column, c.width, c.text, expected+strings.Join(csvColumns, ", "))
			if len(cells) > 1 { // otherwise the cells are separated by other characters
				f.problems[len(f.problems)-1].Hint = config.DidYouMean(c.text, csvColumns)
			}
		}
		names = append(names, c.text)
	}
	for _, needed := range []string{"program", "size", "time"} {
		if len(f.problems) == 0 && !slices.Contains(names, needed) {
			f.fail(line, 1, cells[0].width, "no column "+needed, "the columns program, size and time")
		}
	}
	return names
}

// csvRow is a line of values.
type csvRow struct {
	f     *file
	line  int
	cells map[string]cell
}

// read parses a value if it is present.
func (r *csvRow) read(name, expected string, needed bool, set func(text string) bool) {
	c := r.cells[name]
	if c.text == "" && !needed {
		return
	}
	if !set(c.text) {
		found := c.text
		if found == "" {
			found = "nothing"
		}
		r.f.fail(r.line, max(c.column, 1), max(c.width, 1), found, expected)
	}
}

func (r *csvRow) measurement(d Defaults) Measurement {
	c := r.cells["time"]
	m := Measurement{
		Program: r.cells["program"].text, Algorithm: r.cells["algorithm"].text, Ranks: d.Ranks,
		Position: r.f.at(r.line, max(c.column, 1), max(c.width, 1)),
	}
	r.read("program", "a program by name, or "+Stream, true, func(text string) bool {
		return text == Stream || workload.Find(text) != nil
	})
	r.read("size", "a size above 0 such as 8KiB", true, func(text string) bool {
		b, err := units.ParseBytes(text)
		m.Size = int64(b)
		return err == nil && b > 0
	})
	r.read("ranks", "a number of ranks", false, func(text string) bool {
		n, err := strconv.Atoi(text)
		m.Ranks = n
		return err == nil && n > 0
	})
	r.read("shape", "a shape such as 4x4x4", false, func(text string) bool {
		for part := range strings.SplitSeq(text, "x") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return false
			}
			m.Shape = append(m.Shape, n)
		}
		return true
	})
	time := func(name string, needed bool) (v float64) {
		r.read(name, "a time above 0 such as 12.5us", needed, func(text string) bool {
			t, err := units.ParseTime(text)
			v = float64(t)
			return err == nil && t > 0
		})
		return v
	}
	m.Time = time("time", true)
	low, high := time("low", false), time("high", false)
	switch {
	case low > 0 && high > 0 && low > high:
		expected := "a time of at most high, " + r.cells["high"].text
		r.read("low", expected, true, func(string) bool { return false })
	case low > 0 && high > low && m.Time > 0:
		const deviations = 2.563 // standard deviations between the 10th and the 90th percentile
		m.Spread = (high - low) / deviations / m.Time
	}
	return m
}

// sortedKeys lists the keys of a map in ascending order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
