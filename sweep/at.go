package sweep

import (
	"slices"

	"fabricast/internal/config"
)

// index records the row index of each combination of axis values.
func (t *Table) index() {
	t.places = map[string]int{}
	for i := range t.Rows {
		t.places[key(t.Rows[i].Point.Values)] = i
	}
}

// key returns a text that identifies a combination of values.
func key(values []Value) string {
	text := ""
	for _, v := range values {
		text += v.Label + "\n"
	}
	return text
}

// rowAt returns the row whose axes have the values in at, and otherwise the values of r. It returns
// nil if there is none.
func (t *Table) rowAt(r *Row, at map[string]string) *Row {
	if len(at) == 0 {
		return r
	}
	values := slices.Clone(r.Point.Values)
	for i := range t.file.Axes {
		if label, ok := at[t.file.Axes[i].Name]; ok {
			values[i] = Value{Label: label}
		}
	}
	if i, ok := t.places[key(values)]; ok {
		return &t.Rows[i]
	}
	return nil
}

// checkAt returns an error if at names unknown axes.
func (t *Table) checkAt(field string, at map[string]string) error {
	var problems config.Problems
	for _, axis := range sorted(at) {
		if t.file.axis(axis) < 0 {
			problems = append(
				problems,
				config.Problem{Field: field, Found: axis, Expected: "the name of an axis"},
			)
		}
	}
	return t.file.wrong(problems)
}
