package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/humanize"
)

// Point is one combination of axis values, and its experiment.
type Point struct {
	Values     []Value // by axis
	Experiment *fabricast.Experiment
	Key        string  // fingerprint of the experiment, under which its result is stored
	Weight     float64 // expected effort relative to other points
	// Refused is why the point has no experiment and no key; nil if it has (see File.Refused).
	Refused error
}

// Points makes the experiments of all points. The last axis changes fastest. quick selects the
// sweep's quick version, large includes the large points. The error is a *fabricast.ConfigError
// that names every invalid point, unless File.Refused keeps these and there are others.
func (f *File) Points(ctx context.Context, quick, large bool) ([]Point, error) {
	base, err := f.base(quick)
	if err != nil {
		return nil, err
	}
	if quick {
		f.Shorten()
	}
	if err := f.bounded(); err != nil {
		return nil, err
	}
	wanted, err := f.wanted(large)
	if err != nil {
		return nil, err
	}
	weight, err := f.compile("weight", f.Weight, f.axisNames())
	if err != nil {
		return nil, err
	}
	var list []Point
	var mistakes []error
	for values := range f.combinations() {
		if err := ctx.Err(); err != nil {
			return nil, &InterruptedError{Points: len(list), Listing: true, Err: err}
		}
		yes, err := wanted(values)
		if err != nil {
			return nil, err
		}
		if !yes {
			continue
		}
		p, err := point(base, values)
		if err != nil {
			mistakes = distinct(append(mistakes, err))
			if p.Refused = err; !f.Refused {
				if len(mistakes) == mostMistakes {
					break
				}
				continue
			}
		}
		if len(list) == mostPoints {
			return nil, f.tooMany("points", mostPoints)
		}
		if p.Weight, err = f.weigh(weight, values); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(mistakes) > 0 && (!f.Refused || len(accepted(list)) == 0) {
		return nil, fabricast.NewConfigError(errors.Join(mistakes...))
	}
	if len(list) == 0 {
		return nil, f.mistake("only", f.Only, errors.New("no point is left"))
	}
	return list, nil
}

// accepted returns the indexes of the points that have experiments.
func accepted(points []Point) (list []int) {
	for i := range points {
		if points[i].Refused == nil {
			list = append(list, i)
		}
	}
	return list
}

// Limits of a sweep. All of its points are in memory before the first one runs.
const (
	mostCombinations = 1_000_000 // of axis values, including omitted ones
	mostPoints       = 50_000
	mostMistakes     = 20 // after which no more points are checked
)

// bounded returns an error if there are too many combinations of values.
func (f *File) bounded() error {
	all := 1
	for i := range f.Axes {
		if all *= len(f.Axes[i].Values) + len(f.Axes[i].Cases); all > mostCombinations {
			return f.tooMany("combinations of values", mostCombinations)
		}
	}
	return nil
}

func (f *File) tooMany(what string, most int) error {
	return f.wrong(config.Problems{{
		Field: "axes", Found: "more than " + humanize.Count(most) + " " + what,
		Expected: "at most " + humanize.Count(most),
		Hint:     "axes that change together are one axis with cases",
	}})
}

// wanted returns a function that reports whether a combination of axis values is a point to run.
// large includes the large points.
func (f *File) wanted(large bool) (func([]Value) (bool, error), error) {
	only, err := f.compile("only", f.Only, f.axisNames())
	if err != nil {
		return nil, err
	}
	tooLarge, err := f.compile("large", f.Large, f.axisNames())
	if err != nil {
		return nil, err
	}
	return func(values []Value) (bool, error) {
		env := f.variables(values)
		yes, err := only.truth(env)
		if err != nil {
			return false, f.mistake("only", f.Only, err)
		}
		if large || tooLarge == nil || !yes {
			return yes, nil
		}
		no, err := tooLarge.truth(env)
		if err != nil {
			return false, f.mistake("large", f.Large, err)
		}
		return !no, nil
	}, nil
}

// weigh computes a point's weight; 1 if the file has no expression for it. It returns an error for
// a weight that is not above 0.
func (f *File) weigh(weight *expression, values []Value) (float64, error) {
	if weight == nil {
		return 1, nil
	}
	w, err := weight.number(f.variables(values))
	if err == nil && !(w > 0) {
		err = fmt.Errorf("it gives %v, not a number above 0", w)
	}
	if err != nil {
		return 0, f.mistake("weight", f.Weight, err)
	}
	return w, nil
}

// distinct removes errors with duplicate texts, because a mistake in the base experiment occurs at
// every point.
func distinct(list []error) []error {
	seen := map[string]bool{}
	var kept []error
	for _, err := range list {
		if !seen[err.Error()] {
			seen[err.Error()] = true
			kept = append(kept, err)
		}
	}
	return kept
}

// combinations yields all combinations of axis values.
func (f *File) combinations() func(yield func([]Value) bool) {
	lists := make([][]Value, len(f.Axes))
	for i := range f.Axes {
		lists[i] = f.Axes[i].values()
	}
	return func(yield func([]Value) bool) {
		at := make([]int, len(lists))
		for {
			values := make([]Value, len(lists))
			for i, list := range lists {
				values[i] = list[at[i]]
			}
			if !yield(values) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(lists[i]) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// point makes the experiment of a point by setting the axis values in the base experiment.
func point(base *fabricast.Document, values []Value) (Point, error) {
	p := Point{Values: values}
	doc := base
	for _, v := range values {
		for _, path := range sorted(v.set) {
			doc = doc.With(path, v.set[path])
		}
	}
	var err error
	if p.Experiment, err = doc.Experiment(); err != nil {
		return p, err
	}
	p.Key, err = p.Experiment.Fingerprint()
	return p, err
}

// axisNames returns the names that expressions may use before a point has run.
func (f *File) axisNames() []string {
	var names []string
	for _, a := range f.Axes {
		names = append(names, a.Name)
		for _, c := range a.Cases {
			names = append(names, sorted(c.With)...)
		}
	}
	return names
}

// variables returns the axis values of a point by name, as numbers if they are quantities,
// otherwise as text.
func (f *File) variables(values []Value) map[string]any {
	env := map[string]any{}
	for i, v := range values {
		env[f.Axes[i].Name] = v.value()
		for _, name := range sorted(v.with) {
			env[name] = Value{Label: v.with[name], Number: quantity(v.with[name])}.value()
		}
	}
	return env
}

func (v Value) value() any {
	if math.IsNaN(v.Number) {
		return v.Label
	}
	return v.Number
}

// label describes a point by its axis values, for messages.
func (f *File) label(values []Value) string { return labelText(f.labels(values)) }

// labels returns the axis values of a point as the file writes them.
func (f *File) labels(values []Value) []Label {
	var list []Label
	for i, v := range values {
		list = append(list, Label{f.Axes[i].Name, v.Label})
	}
	return list
}

func labelText(labels []Label) string {
	var parts []string
	for _, l := range labels {
		parts = append(parts, l.Axis+"="+l.Value)
	}
	return strings.Join(parts, " ")
}

// mistake returns a configuration error about an expression: text, in the given field of the file.
// err is the reason.
func (f *File) mistake(field, text string, err error) error {
	problems := config.Problems{
		{
			Field:    field,
			Found:    fmt.Sprintf("%s (%s)", said(text), firstLine(err)),
			Expected: "an expression over axes and figures",
		},
	}
	f.positions.Locate(problems)
	return fabricast.NewConfigError(problems.OrNil())
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
