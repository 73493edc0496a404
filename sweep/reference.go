package sweep

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"

	"fabricast"
	"fabricast/internal/config"
)

// Reference is a table of figures from elsewhere, a CSV file with a header. A row
// belongs to the point whose axes have the values in the columns of the same name, and
// its other columns are known to expressions as name.column.
type Reference struct {
	Name string   `yaml:"name"`
	File string   `yaml:"file"` // relative to the sweep's
	On   []string `yaml:"on"`   // columns that tell the point
}

// reference is a Reference that has been read.
type reference struct {
	Reference
	columns []string
	rows    [][]Value
}

func (r *Reference) names() []string { return []string{r.Name} }

// references reads all tables.
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
	file, err := os.Open(path)
	if err != nil {
		return &config.Problem{Field: ".file", Found: err.Error(), Expected: "a readable file"}
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil || len(records) < 2 {
		return &config.Problem{Field: ".file", Found: fmt.Sprintf("%s (%v)", path, err), Expected: "a CSV file with a header and rows"}
	}
	r.columns = records[0]
	for _, on := range r.On {
		if !slices.Contains(r.columns, on) {
			return &config.Problem{Field: ".on", Found: on, Expected: config.OneOf(r.columns)}
		}
	}
	for _, record := range records[1:] {
		row := make([]Value, len(record))
		for i, text := range record {
			row[i] = Value{Label: text, Number: quantity(text)}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

// join adds the columns of the row that belongs to a point; without one they are
// not numbers.
func (r *reference) join(variables map[string]any) {
	found := map[string]any{}
	for _, c := range r.columns {
		found[c] = math.NaN()
	}
	for _, row := range r.rows {
		if r.fits(row, variables) {
			for i, c := range r.columns {
				if row[i].Label != "" {
					found[c] = row[i].value()
				}
			}
			break
		}
	}
	variables[r.Name] = found
}

func (r *reference) fits(row []Value, variables map[string]any) bool {
	for _, on := range r.On {
		v := row[slices.Index(r.columns, on)]
		number, ok := variables[on].(float64)
		if ok && math.Abs(number-v.Number) > 1e-9*math.Abs(number) || !ok && variables[on] != any(v.Label) {
			return false
		}
	}
	return true
}

// wrong gives problems the places where their fields are written, and makes a
// *fabricast.ConfigError of them.
func (f *File) wrong(problems config.Problems) error {
	f.positions.Locate(problems)
	return fabricast.NewConfigError(problems.OrNil())
}
