package sweep

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"fabricast"
	"fabricast/internal/config"
)

// Point is one combination of the axes' values.
type Point struct {
	Values     []Value // by axis
	Experiment *fabricast.Experiment
	Key        string  // of its result: the experiment's fingerprint
	Weight     float64 // the effort in comparison with other points
}

// Points makes the experiments of all points, the last axis fastest: in the quick form,
// and with or without those that are large. Its error is a *fabricast.ConfigError that names every
// point that is wrong.
func (f *File) Points(quick, large bool) ([]Point, error) {
	base, err := f.base(quick)
	if err != nil {
		return nil, err
	}
	if quick {
		f.Shorten()
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
		yes, err := wanted(values)
		if err != nil {
			return nil, err
		}
		if !yes {
			continue
		}
		p, err := point(base, values)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		if p.Weight, err = f.weigh(weight, values); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(mistakes) > 0 {
		return nil, fabricast.NewConfigError(errors.Join(distinct(mistakes)...))
	}
	if len(list) == 0 {
		return nil, f.mistake("only", f.Only, errors.New("no point is left"))
	}
	return list, nil
}

// wanted returns what tells whether a combination of values is a point of the sweep.
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

// weigh works out a point's weight, 1 if the file tells none.
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

// distinct drops errors of the same text: a mistake of the base is one of every point.
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

// combinations goes through the values of all axes.
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

// point lays the values over the base.
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

// axisNames lists what expressions know of a point before it has run.
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

// variables are the values of a point by name: numbers where they are quantities, else
// their text.
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

// label names a point for people.
func (f *File) label(values []Value) string {
	var parts []string
	for i, v := range values {
		parts = append(parts, f.Axes[i].Name+"="+v.Label)
	}
	return strings.Join(parts, " ")
}

// mistake is an error in an expression of the file.
func (f *File) mistake(field, text string, err error) error {
	problems := config.Problems{{Field: field, Found: fmt.Sprintf("%s (%s)", said(text), firstLine(err)), Expected: "an expression over axes and figures"}}
	f.positions.Locate(problems)
	return fabricast.NewConfigError(problems.OrNil())
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
