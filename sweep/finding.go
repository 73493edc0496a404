package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabricast/internal/config"
)

// Finding is an expectation about the table, checked after the sweep.
type Finding struct {
	That  string `yaml:"that"`  // the expectation in words
	Where string `yaml:"where"` // a condition that selects rows
	Value string `yaml:"value"` // an expression for the checked value
	// check each row (the default), or only the min, max, mean, first or last
	Of      string   `yaml:"of"`
	Compare *Compare `yaml:"compare"` // check the ratio of two rows' values instead

	Is      string `yaml:"is"`       // expressions: the expected value, or its bounds
	Within  string `yaml:"within"`   // tolerance of is: absolute, or relative such as 5%
	AtLeast string `yaml:"at_least"` //
	AtMost  string `yaml:"at_most"`  //

	Rises string `yaml:"rises"` // instead: the value does not decrease along this axis
	Falls string `yaml:"falls"` // instead: the value does not increase along this axis
	Slack string `yaml:"slack"` // permitted change in the wrong direction

	Full  bool `yaml:"full"`  // checked only in the full sweep, not the quick one
	Large bool `yaml:"large"` // checked only if the large points have run
}

// reductions lists the values of Finding.Of.
var reductions = []string{"each", "min", "max", "mean", "first", "last"}

// Compare names two values, Of and With, of an axis. Rows with these values, and equal values of
// all other axes, are compared.
type Compare struct {
	Axis string `yaml:"axis"`
	Of   string `yaml:"of"`
	With string `yaml:"with"`
}

// Verdict is the result of checking a finding.
type Verdict struct {
	That    string `json:"that"`
	Holds   bool   `json:"holds"`
	Checked int    `json:"checked"` // number of checked values
	// the value farthest outside its bounds, or else closest to them
	Worst   string   `json:"worst"`
	Failing []string `json:"failing,omitempty"`
	// not checked in this run (see Finding.Full and Large)
	Skipped bool `json:"skipped,omitempty"`
}

// figureAt is a value and its row.
type figureAt struct {
	value     float64
	label     string
	point     []Value // by axis
	variables map[string]any
}

// Judge checks the findings that apply to this run of the sweep. The error is a
// *fabricast.ConfigError.
func (t *Table) Judge() ([]Verdict, error) {
	var list []Verdict
	for i := range t.file.Findings {
		f := &t.file.Findings[i]
		if t.skips(f) {
			list = append(list, Verdict{That: f.That, Holds: true, Skipped: true})
			continue
		}
		j := &judge{Finding: f, table: t, field: index("findings", i)}
		v, err := j.verdict()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// skips reports whether a finding does not apply to this run of the sweep.
func (t *Table) skips(f *Finding) bool {
	return f.Full && t.options.Quick || f.Large && !t.options.Large
}

// judge checks one finding against the table.
type judge struct {
	*Finding
	table *Table
	field string

	where, value        *expression
	is, atLeast, atMost *expression
	within, slack       *expression
	share               bool // within is a percentage of is
}

func (j *judge) verdict() (Verdict, error) {
	v := Verdict{That: j.That}
	if err := j.compile(); err != nil {
		return v, err
	}
	rows, err := j.rows()
	if err != nil {
		return v, err
	}
	if axis := j.Rises + j.Falls; axis != "" {
		err = j.monotonic(axis, rows, &v)
	} else {
		err = j.each(rows, &v)
	}
	v.Holds = len(v.Failing) == 0 && v.Checked > 0
	if v.Checked == 0 {
		v.Worst = "no row with such figures"
	}
	return v, err
}

func (j *judge) compile() error {
	f := j.table.file
	names := j.table.names()
	var errs []error
	take := func(name, text string) *expression {
		e, err := f.compile(j.field+"."+name, text, names)
		errs = append(errs, err)
		return e
	}
	text, share := strings.CutSuffix(j.Within, "%")
	j.share = share
	j.where, j.value = take("where", j.Where), take("value", j.Value)
	j.is, j.within, j.slack = take("is", j.Is), take("within", text), take("slack", j.Slack)
	j.atLeast, j.atMost = take("at_least", j.AtLeast), take("at_most", j.AtMost)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return f.wrong(j.check())
}

// check returns contradictions between fields of the finding.
func (j *judge) check() config.Problems {
	var problems config.Problems
	demand := func(ok bool, name, found, expected string) {
		if !ok {
			problems = append(
				problems,
				config.Problem{
					Field:    strings.TrimSuffix(j.field+"."+name, "."),
					Found:    said(found),
					Expected: expected,
				},
			)
		}
	}
	demand(j.That != "", "that", j.That, "in words what is expected")
	demand(j.Value != "", "value", j.Value, "an expression")
	demand(
		(j.Is == "") == (j.Within == ""), "within", j.Within,
		"is and within together, such as is: 0.65, within: 0.02",
	)
	demand(
		j.Is == "" || j.AtLeast+j.AtMost == "", "is", "is and a bound",
		"is and within, or at_least and at_most",
	)
	goals := j.Is + j.AtLeast + j.AtMost
	demand(
		(goals == "") != (j.Rises+j.Falls == ""), "", goals,
		"one of is, at_least and at_most, or rises or falls",
	)
	for _, axis := range []string{j.Rises, j.Falls} {
		demand(axis == "" || j.table.file.axis(axis) >= 0, "rises", axis, "the name of an axis")
	}
	if c := j.Compare; c != nil {
		axis := j.table.file.axis(c.Axis)
		demand(axis >= 0, "compare.axis", c.Axis, "the name of an axis")
		if axis >= 0 && !j.table.skips(j.Finding) {
			a := &j.table.file.Axes[axis]
			demand(a.has(c.Of), "compare.of", c.Of, "a value of the axis "+c.Axis)
			demand(a.has(c.With), "compare.with", c.With, "a value of the axis "+c.Axis)
		}
	}
	demand(j.Of == "" || slices.Contains(reductions, j.Of), "of", j.Of, "each, min, max, mean, first or last")
	return problems
}

// axis returns the index of the named axis; -1 if there is none.
func (f *File) axis(name string) int {
	for i := range f.Axes {
		if f.Axes[i].Name == name {
			return i
		}
	}
	return -1
}

// rows returns the values that the finding checks.
func (j *judge) rows() ([]figureAt, error) {
	var list []figureAt
	for i := range j.table.Rows {
		r := &j.table.Rows[i]
		if r.Result == nil {
			continue
		}
		ok, err := j.where.truth(r.variables)
		if err != nil {
			return nil, j.table.file.mistake(j.field+".where", j.Where, err)
		}
		if !ok {
			continue
		}
		value, err := j.value.number(r.variables)
		if err != nil {
			return nil, j.table.file.mistake(j.field+".value", j.Value, err)
		}
		if math.IsNaN(value) {
			continue
		}
		list = append(list, figureAt{value, j.table.file.label(r.Point.Values), r.Point.Values, r.variables})
	}
	if j.Compare != nil {
		list = j.ratios(list)
	}
	return reduce(j.Of, list), nil
}

// ratios returns the ratios of values of rows that differ only in the compared axis.
func (j *judge) ratios(list []figureAt) []figureAt {
	c := j.Compare
	byRest := map[string]figureAt{}
	for _, x := range list {
		if named(x.variables[c.Axis], c.With) {
			byRest[j.rest(x)] = x
		}
	}
	var ratios []figureAt
	for _, x := range list {
		other, ok := byRest[j.rest(x)]
		if ok && named(x.variables[c.Axis], c.Of) {
			label := fmt.Sprintf("%s (%s against %s)", x.label, Cell(x.value, 4), Cell(other.value, 4))
			ratios = append(ratios, figureAt{x.value / other.value, label, x.point, x.variables})
		}
	}
	return ratios
}

// at returns the value of an axis as text.
func (x figureAt) at(axis string) string { return Cell(x.variables[axis], 0) }

// rest returns a text that identifies the values of all axes except the compared one.
func (j *judge) rest(x figureAt) string {
	text := ""
	for _, a := range j.table.file.Axes {
		if a.Name != j.Compare.Axis {
			text += a.Name + "=" + x.at(a.Name) + "\n"
		}
	}
	return text
}

// reduce returns the min, max, mean, first or last of the values, or all of them. of selects which.
func reduce(of string, list []figureAt) []figureAt {
	if len(list) == 0 || of == "" || of == "each" {
		return list
	}
	best, sum := list[0], 0.0
	for _, x := range list {
		sum += x.value
		if of == "max" && x.value > best.value || of == "min" && x.value < best.value || of == "last" {
			best = x
		}
	}
	if of == "mean" {
		best.value, best.label = sum/float64(len(list)), fmt.Sprintf("mean of %d", len(list))
	}
	return []figureAt{best}
}

// each checks every value against its bounds.
func (j *judge) each(list []figureAt, v *Verdict) error {
	worst := math.Inf(-1)
	for _, x := range list {
		low, high, err := j.bounds(x.variables)
		if err != nil {
			return err
		}
		if math.IsNaN(low) || math.IsNaN(high) {
			continue // there is no expected value at this row
		}
		v.Checked++
		text := fmt.Sprintf("%s at %s, expected %s", Cell(x.value, 4), x.label, interval(low, high))
		// The distance from the nearest bound, relative to the interval or the value.
		excess := max(low-x.value, x.value-high) / max(math.Min(high-low, math.Abs(x.value)), 1e-300)
		if excess > worst {
			worst, v.Worst = excess, text
		}
		if !(x.value >= low && x.value <= high) {
			v.Failing = append(v.Failing, text)
		}
	}
	return nil
}

// bounds returns the minimum and maximum permitted value at a row.
func (j *judge) bounds(variables map[string]any) (low, high float64, err error) {
	low, high = math.Inf(-1), math.Inf(1)
	at := func(name, text string, e *expression, otherwise float64) float64 {
		if e == nil {
			return otherwise
		}
		x, problem := e.number(variables)
		if problem != nil {
			err = j.table.file.mistake(j.field+"."+name, text, problem)
		}
		return x
	}
	low, high = at("at_least", j.AtLeast, j.atLeast, low), at("at_most", j.AtMost, j.atMost, high)
	if j.is != nil {
		is, within := at("is", j.Is, j.is, 0), at("within", j.Within, j.within, 0)
		if j.share {
			within *= math.Abs(is) / 100
		}
		low, high = max(low, is-within), min(high, is+within)
	}
	return low, high, err
}

func interval(low, high float64) string {
	switch {
	case math.IsInf(low, -1):
		return "at most " + Cell(high, 4)
	case math.IsInf(high, 1):
		return "at least " + Cell(low, 4)
	}
	return Cell(low, 4) + " to " + Cell(high, 4)
}

// monotonic checks that the values rise or fall along an axis, separately for each combination of
// the other axes.
func (j *judge) monotonic(axis string, list []figureAt, v *Verdict) error {
	j.Compare = &Compare{Axis: axis}
	last := map[string]figureAt{}
	number := j.table.file.axis(axis)
	worst := math.Inf(-1)
	for _, x := range list {
		slack := 0.0
		if j.slack != nil {
			var err error
			if slack, err = j.slack.number(x.variables); err != nil {
				return j.table.file.mistake(j.field+".slack", j.Slack, err)
			}
		}
		key := j.rest(x)
		before, ok := last[key]
		last[key] = x
		if !ok {
			continue
		}
		v.Checked++
		back := before.value - x.value
		if j.Falls != "" {
			back = -back
		}
		text := fmt.Sprintf(
			"%s at %s after %s at %s=%s",
			Cell(x.value, 4), x.label, Cell(before.value, 4), axis, before.point[number].Label,
		)
		if back > worst {
			worst, v.Worst = back, text
		}
		if back > slack {
			v.Failing = append(v.Failing, text)
		}
	}
	return nil
}
