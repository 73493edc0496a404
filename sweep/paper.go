package sweep

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"fabricast"
	"fabricast/internal/input"
	"fabricast/plot"
)

// ReportFile is the name of a Report in the folder of a sweep.
const ReportFile = "sweep.json"

// OpenReport reads the Report in the folder of a sweep, which may not have ended. The error is a
// *fabricast.ConfigError.
func OpenReport(folder string) (*Report, error) {
	path := filepath.Join(folder, ReportFile)
	text, err := input.Bytes(path, input.Result)
	if err != nil {
		return nil, fabricast.NewConfigError(err)
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fabricast.NewConfigError(fmt.Errorf("%s: %w", path, err))
	}
	if r.Schema != Schema {
		return nil, fabricast.NewConfigError(fmt.Errorf("%s: found schema %q, expected %q", path, r.Schema, Schema))
	}
	return r, nil
}

// Chart returns the plot for drawing.
func (c *Curves) Chart() *plot.Chart {
	axis := func(s Scale) plot.Axis { return plot.Axis{Title: s.Title, Log: s.Scale == "log", Max: s.Max} }
	chart := &plot.Chart{Title: c.Title, X: axis(c.X), Y: axis(c.Y), Beyond: beyond, Missing: missingText}
	curves := map[string]int{} // by name, for the colours of references
	for i, s := range c.Series {
		series := plot.Series{Name: s.Name, Dashed: s.Reference}
		if s.Reference {
			series.Like = curves[s.Name[:max(0, len(s.Name)-len(referenceEnding))]]
		} else {
			curves[s.Name] = i + 1
		}
		for _, p := range s.Points {
			series.Points = append(series.Points, plot.Point(p))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}
