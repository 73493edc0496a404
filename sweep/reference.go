package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/input"
)

// Reference is a table of reference values: a CSV file with a header. The columns listed in On hold
// values of the axes of the same name, which select the row for a point. Expressions refer to the
// other columns as name.column.
type Reference struct {
	Name string   `yaml:"name"`
	File string   `yaml:"file"` // relative to the sweep's file
	On   []string `yaml:"on"`   // columns that select the row
}

// Limits of a reference table. The search for a point's row is linear.
const (
	mostReferenceCells = 1_000_000 // of the whole table
	mostReferenceRows  = 100_000
	mostQuantity       = 100 // maximum bytes of a cell that may be a quantity
)

// reference is a Reference whose file has been read.
type reference struct {
	Reference
	columns []string
	keys    []int // indexes of the columns in On
	rows    []referenceRow
}

// referenceRow is a row: its cells, and the numeric values of the cells in the columns On.
type referenceRow struct {
	cells []string
	keys  []float64
}

func (r *Reference) names() []string { return []string{r.Name} }

// references reads all reference tables.
func (f *File) references() ([]*reference, error) {
	var list []*reference
	for i := range f.Reference {
		r := &reference{Reference: f.Reference[i]}
		if problem := r.read(f.beside(r.File)); problem != nil {
			problem.Field = index("reference", i) + problem.Field
			return nil, f.wrong(config.Problems{*problem})
		}
		list = append(list, r)
	}
	return list, nil
}

func (r *reference) read(path string) *config.Problem {
	text, err := input.Text(path, input.Reference)
	var file *input.Error
	if errors.As(err, &file) {
		return &config.Problem{Field: ".file", Found: file.Where(), Expected: file.Expected}
	}
	return r.parse(path, text)
}

// parse parses the table row by row, so that it uses little more memory than the parsed rows.
func (r *reference) parse(path, text string) *config.Problem {
	const expected = "a CSV file with a header and rows"
	if n := strings.Count(text, ",") + strings.Count(text, "\n"); n > mostReferenceCells {
		return r.tooLong(path, n, "commas and lines", mostReferenceCells)
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comment = '#'
	header, err := reader.Read()
	if err != nil {
		return &config.Problem{Field: ".file", Found: fmt.Sprintf("%s (%v)", path, err), Expected: expected}
	}
	r.columns = header
	for _, on := range r.On {
		key := slices.Index(r.columns, on)
		if key < 0 {
			return &config.Problem{
				Field:    ".on",
				Found:    strconv.Quote(on),
				Expected: "a column of the table: " + config.OneOf(r.columns),
			}
		}
		r.keys = append(r.keys, key)
	}
	for {
		cells, err := reader.Read()
		switch {
		case err == io.EOF && r.rows != nil:
			return nil
		case err != nil:
			return &config.Problem{
				Field:    ".file",
				Found:    fmt.Sprintf("%s (%v)", path, err),
				Expected: expected,
			}
		case len(r.rows) == mostReferenceRows:
			return r.tooLong(path, mostReferenceRows+1, "rows", mostReferenceRows)
		}
		row := referenceRow{cells, make([]float64, len(r.keys))}
		for i, key := range r.keys {
			row.keys[i] = worth(cells[key])
		}
		r.rows = append(r.rows, row)
	}
}

func (r *reference) tooLong(path string, found int, what string, most int) *config.Problem {
	return &config.Problem{
		Field: ".file", Found: fmt.Sprintf("%s (%s %s or more)", path, humanize.Count(int64(found)), what),
		Expected: fmt.Sprintf("at most %s", humanize.Count(int64(most))),
	}
}

// worth returns the number or quantity in a cell; NaN if there is none.
func worth(cell string) float64 {
	if len(cell) > mostQuantity {
		return math.NaN()
	}
	return quantity(cell)
}

// join adds the columns of the row that matches a point to the point's variables; NaN if no row
// matches.
func (r *reference) join(variables map[string]any) {
	found := map[string]any{}
	for _, c := range r.columns {
		found[c] = math.NaN()
	}
	at := slices.IndexFunc(r.rows, func(row referenceRow) bool { return r.fits(row, variables) })
	if at >= 0 {
		for i, c := range r.columns {
			if cell := r.rows[at].cells[i]; cell != "" {
				found[c] = Value{Label: cell, Number: worth(cell)}.value()
			}
		}
	}
	variables[r.Name] = found
}

func (r *reference) fits(row referenceRow, variables map[string]any) bool {
	for i, on := range r.On {
		number, ok := variables[on].(float64)
		if ok && math.Abs(number-row.keys[i]) > 1e-9*math.Abs(number) ||
			!ok && variables[on] != any(row.cells[r.keys[i]]) {
			return false
		}
	}
	return true
}

// wrong adds the position in the file to each problem, by its field, and returns the problems as a
// *fabricast.ConfigError.
func (f *File) wrong(problems config.Problems) error {
	f.positions.Locate(problems)
	return fabricast.NewConfigError(problems.OrNil())
}
