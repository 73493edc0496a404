package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fabricast"
)

// Table has one row for each point of a sweep.
type Table struct {
	Columns []string
	Rows    []Row

	file    *File
	options Options
	traffic bool
	values  []*expression       // by column; nil: the axis value
	at      []map[string]string // by column: see Column.At
	places  map[string]int      // row index by the labels of the axis values (see key)
}

// Row is one point: its cells by column (float64, string, bool, or nil for no value), and its
// result or error.
type Row struct {
	Point  Point
	Cells  []any
	Result *fabricast.Result
	Err    error

	variables map[string]any
}

func (f *File) newTable(points []Point, o Options) (*Table, error) {
	t := &Table{
		file:    f,
		options: o,
		Rows:    make([]Row, len(points)),
		traffic: points[accepted(points)[0]].Experiment.HasTraffic(),
	}
	for i := range points {
		t.Rows[i].Point, t.Rows[i].Err = points[i], points[i].Refused
	}
	t.index()
	for _, a := range f.Axes {
		t.Columns = append(t.Columns, a.Name)
		t.values = append(t.values, nil)
		t.at = append(t.at, nil)
	}
	columns := f.Columns
	if columns == nil {
		names := programColumns
		if t.traffic {
			names = trafficColumns
		}
		for _, name := range names {
			if !slices.Contains(t.Columns, name) {
				columns = append(columns, Column{Name: name})
			}
		}
	}
	return t, t.add(columns)
}

// check finds mistakes in plots and findings before any point runs.
func (t *Table) check() error {
	var errs []error
	for i, p := range t.file.Plots {
		d := &drawing{Plot: p, table: t, field: index("plots", i)}
		errs = append(errs, d.compile())
	}
	for i := range t.file.Findings {
		j := &judge{Finding: &t.file.Findings[i], table: t, field: index("findings", i)}
		errs = append(errs, j.compile())
	}
	if err := errors.Join(errs...); err != nil {
		return fabricast.NewConfigError(err)
	}
	return nil
}

// names returns all names that expressions may use.
func (t *Table) names() []string {
	names := append(t.file.axisNames(), figureNames()...)
	for i := range t.file.Reference {
		names = append(names, t.file.Reference[i].names()...)
	}
	return append(names, t.Columns...)
}

// add adds columns. Each may refer to the columns before it.
func (t *Table) add(columns []Column) error {
	for i, c := range columns {
		field, text := index("columns", i)+".value", c.Value
		if text == "" {
			field, text = index("columns", i), c.Name
		}
		e, err := t.file.compile(field, text, t.names())
		if err != nil {
			return err
		}
		if err := t.checkAt(index("columns", i)+".at", c.At); err != nil {
			return err
		}
		t.Columns, t.values, t.at = append(t.Columns, c.Name), append(t.values, e), append(t.at, c.At)
	}
	return nil
}

// fill computes all cells.
func (t *Table) fill() error {
	references, err := t.file.references()
	if err != nil {
		return err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		r.variables = t.file.variables(r.Point.Values)
		if r.Result != nil {
			show(r.variables, r.Result)
		}
		for _, ref := range references {
			ref.join(r.variables)
		}
		r.Cells = make([]any, len(t.Columns))
	}
	for c := range t.Columns {
		for i := range t.Rows {
			if err := t.workOut(&t.Rows[i], c); err != nil {
				return err
			}
		}
	}
	return nil
}

// workOut computes the cell of row r in column c. Earlier columns must be complete in all rows.
func (t *Table) workOut(r *Row, c int) error {
	e := t.values[c]
	if e == nil {
		r.Cells[c] = r.Point.Values[c].value()
		return nil
	}
	if r.Result == nil {
		return nil
	}
	var v any = math.NaN()
	if of := t.rowAt(r, t.at[c]); of != nil && of.Result != nil {
		var err error
		if v, err = e.run(of.variables); err != nil {
			return t.file.mistake("columns", t.Columns[c], err)
		}
		if !single(v) {
			return t.file.mistake(
				"columns",
				t.Columns[c], errors.New("it gives several values, expected one"),
			)
		}
		if n, ok := v.(int); ok {
			v = float64(n)
		}
	}
	r.Cells[c], r.variables[t.Columns[c]] = v, v
	return nil
}

// failures returns a *PointsError if any point failed that was not refused, otherwise nil.
func (t *Table) failures() error {
	var e PointsError
	e.Points = len(t.Rows)
	for i := range t.Rows {
		if err := t.Rows[i].Err; err != nil && t.Rows[i].Point.Refused == nil {
			if e.First == nil {
				e.First = fmt.Errorf("%s: %w", t.file.label(t.Rows[i].Point.Values), err)
			}
			e.Failed++
		}
	}
	if e.Failed == 0 {
		return nil
	}
	return &e
}

// Failed describes the points that failed, with the first lines of their errors.
func (t *Table) Failed() []string {
	var list []string
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Err != nil {
			list = append(list, t.file.label(r.Point.Values)+": "+failure(*r))
		}
	}
	return list
}

// Cell formats a cell. Numbers are exact if digits is 0, otherwise rounded to that many significant
// digits.
func Cell(v any, digits int) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		switch {
		case math.IsNaN(v):
			return ""
		case digits == 0 && v != 0 && (math.Abs(v) < 1e-5 || math.Abs(v) >= 1e15):
			return strconv.FormatFloat(v, 'g', -1, 64)
		case digits == 0:
			return strconv.FormatFloat(v, 'f', -1, 64)
		case v == math.Trunc(v) && math.Abs(v) < 1e15:
			return strconv.FormatFloat(v, 'f', 0, 64)
		case math.Abs(v) >= 1e4 && math.Abs(v) < 1e15:
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	return fmt.Sprint(v)
}
