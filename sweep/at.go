package sweep

import (
	"slices"

	"fabricast/internal/config"
)

// index notes where each combination of values is in the table.
func (t *Table) index() {
	t.places = map[string]int{}
	for i := range t.Rows {
		t.places[key(t.Rows[i].Point.Values)] = i
	}
}

// key tells combinations of values apart.
func key(values []Value) string {
	text := ""
	for _, v := range values {
		text += v.Label + "\n"
	}
	return text
}

// rowAt is the row that has the given values of axes and otherwise those of r; nil if there is
// none.
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

// checkAt refuses axes that there are not.
func (t *Table) checkAt(field string, at map[string]string) error {
	var problems config.Problems
	for _, axis := range sorted(at) {
		if t.file.axis(axis) < 0 {
			problems = append(problems, config.Problem{Field: field, Found: axis, Expected: "the name of an axis"})
		}
	}
	return t.file.wrong(problems)
}
