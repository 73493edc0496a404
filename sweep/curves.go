package sweep

import (
	"math"

	"fabricast/plot"
)

// Curves holds the data of a plot for programs that draw it themselves.
type Curves struct {
	Name   string  `json:"name"` // of the plot's file, without .svg
	Title  string  `json:"title"`
	X      Scale   `json:"x"`
	Y      Scale   `json:"y"`
	Series []Curve `json:"series"`
}

// Scale describes an axis of a plot.
type Scale struct {
	Title string  `json:"title"` // with its unit
	Unit  string  `json:"unit"`  // empty if the title contains it
	Scale string  `json:"scale"` // linear or log
	Max   float64 `json:"max,omitempty"`
}

// Curve is one curve of a plot.
type Curve struct {
	Name      string       `json:"name"`
	Reference bool         `json:"reference,omitempty"` // whether the curve shows reference values
	Points    []CurvePoint `json:"points"`
}

// CurvePoint is a point of a curve. Error is the half-width of its confidence interval. Beyond
// marks a point above the plotted range; its Y is 0.
type CurvePoint struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Error  float64 `json:"error,omitempty"`
	Beyond bool    `json:"beyond,omitempty"`
	// Missing marks a point of the sweep that has no result: it has not run, or has failed. Y is 0.
	Missing bool `json:"missing,omitempty"`
}

// namedChart is the chart of a plot and its file name.
type namedChart struct {
	name  string
	chart *plot.Chart
}

// charts makes the charts of the plots that the file describes. If it describes none, it makes the
// default charts of a sweep over loads. The error is a *fabricast.ConfigError.
func (t *Table) charts() ([]namedChart, error) {
	plots := t.file.Plots
	if plots == nil {
		plots = t.usual()
	}
	var list []namedChart
	for i, p := range plots {
		p.Name = p.fileName(i)
		if p.Title == "" {
			p.Title = or(t.file.Title, p.Name)
		}
		d := &drawing{Plot: p, table: t, field: index("plots", i)}
		chart, err := d.chart()
		if err != nil {
			return nil, err
		}
		list = append(list, namedChart{p.Name, chart})
	}
	return list, nil
}

// Curves returns the data of the plots that Pictures draws, without points that are NaN or
// infinite. The error is a *fabricast.ConfigError.
func (t *Table) Curves() ([]Curves, error) {
	charts, err := t.charts()
	if err != nil {
		return nil, err
	}
	list := []Curves{}
	for _, c := range charts {
		x := Curves{
			Name:   c.name,
			Title:  c.chart.Title,
			X:      scaleOf(c.chart.X),
			Y:      scaleOf(c.chart.Y),
			Series: []Curve{},
		}
		for _, s := range c.chart.Series {
			x.Series = append(x.Series, Curve{s.Name, s.Dashed, finite(s.Points)})
		}
		list = append(list, x)
	}
	return list, nil
}

func scaleOf(a plot.Axis) Scale {
	s := Scale{Title: a.Title, Scale: "linear", Max: a.Max}
	if a.Log {
		s.Scale = "log"
	}
	return s
}

func finite(points []plot.Point) []CurvePoint {
	list := []CurvePoint{}
	number := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for _, p := range points {
		if !number(p.X) || !number(p.Y) {
			continue
		}
		if !number(p.Error) {
			p.Error = 0
		}
		list = append(list, CurvePoint(p))
	}
	return list
}
