package sweep

import (
	"context"
	"errors"

	"fabricast"
)

// SurveySchema is the schema name and version of a Survey as JSON.
const SurveySchema = "fabricast.sweep-check/1"

// Survey holds the properties of a sweep that are known before it runs.
type Survey struct {
	Schema   string       `json:"schema"`
	Version  string       `json:"version"`
	Title    string       `json:"title"`
	Axes     []SurveyAxis `json:"axes"`
	Points   int          `json:"points"`
	Large    int          `json:"large_points"` // points that run only if requested
	Plots    int          `json:"plots"`
	Findings int          `json:"findings"`
	// Memory is the estimate for the point that needs the most memory; MemoryOf describes that
	// point.
	Memory   fabricast.Forecast `json:"memory_forecast"`
	MemoryOf string             `json:"memory_of"`
}

// SurveyAxis holds the name of an axis and its number of values.
type SurveyAxis struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
}

// Survey makes all checks that a run of the sweep makes before it starts, including the large
// points and the networks of all points. The error is a *fabricast.ConfigError, or an
// *InterruptedError if ctx ends.
func (f *File) Survey(ctx context.Context) (*Survey, error) {
	points, err := f.Points(ctx, false, true)
	if err != nil {
		return nil, err
	}
	t, err := f.newTable(points, Options{Large: true})
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return nil, err
	}
	s := &Survey{
		Schema: SurveySchema, Version: fabricast.FullVersion(), Title: f.Title, Axes: []SurveyAxis{},
		Plots: len(f.Plots), Findings: len(f.Findings),
	}
	for _, a := range f.Axes {
		s.Axes = append(s.Axes, SurveyAxis{a.Name, len(a.values())})
	}
	return s, errors.Join(f.count(s, points), f.forecast(ctx, s, points))
}

// count counts the points that always run, and the large ones.
func (f *File) count(s *Survey, points []Point) error {
	always, err := f.wanted(false)
	if err != nil {
		return err
	}
	for i := range points {
		yes, err := always(points[i].Values)
		if err != nil {
			return err
		}
		if yes {
			s.Points++
		} else {
			s.Large++
		}
	}
	return nil
}

// forecast finds the point that needs the most memory.
func (f *File) forecast(ctx context.Context, s *Survey, points []Point) error {
	var mistakes []error
	for _, i := range accepted(points) {
		if err := ctx.Err(); err != nil {
			return &InterruptedError{Done: i, Points: len(points), Err: err}
		}
		memory, err := points[i].Experiment.Forecast()
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		if memory.Total > s.Memory.Total {
			s.Memory, s.MemoryOf = memory, f.label(points[i].Values)
		}
	}
	if len(mistakes) > 0 {
		return fabricast.NewConfigError(errors.Join(distinct(mistakes)...))
	}
	return nil
}
