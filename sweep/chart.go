package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/plot"
)

// Plot describes a chart of the table, with one curve per combination of the values of some axes.
type Plot struct {
	Name  string `yaml:"name"` // of the file, without .svg; default: plot-1 and so on
	Title string `yaml:"title"`
	X     string `yaml:"x"`     // an expression
	Y     string `yaml:"y"`     // an expression
	Error string `yaml:"error"` // an expression: half-width of y's confidence interval
	// an expression: y of a dashed curve of reference values
	Reference string `yaml:"reference"`
	Where     string `yaml:"where"` // a condition that selects rows
	// a condition that selects rows to mark at the upper edge, whatever their y
	Beyond string `yaml:"beyond"`
	// Series lists the axes whose values distinguish curves; default: all axes but x.
	Series []string `yaml:"series"`
	XTitle string   `yaml:"x_title"`
	YTitle string   `yaml:"y_title"`
	XScale string   `yaml:"x_scale"` // linear or log
	YScale string   `yaml:"y_scale"`
	YMax   string   `yaml:"y_max"` // a number
}

// scales lists the values of Plot.XScale and YScale.
var scales = []string{"linear", "log"}

// fileName returns the name of the plot's file without .svg. number is the plot's index.
func (p *Plot) fileName(number int) string {
	if p.Name == "" {
		return fmt.Sprintf("plot-%d", number+1)
	}
	return p.Name
}

// Picture is a finished plot.
type Picture struct {
	Name string // of the file
	SVG  []byte
}

// Pictures draws the plots that the file describes. If it describes none, it draws the default
// plots of a sweep over loads. The error is a *fabricast.ConfigError.
func (t *Table) Pictures() ([]Picture, error) {
	charts, err := t.charts()
	if err != nil {
		return nil, err
	}
	var list []Picture
	for _, c := range charts {
		list = append(list, Picture{c.name + ".svg", c.chart.SVG()})
	}
	return list, nil
}

// usual returns the default plots of a sweep over loads; nil for other sweeps.
func (t *Table) usual() []Plot {
	x := ""
	for _, a := range t.file.Axes {
		if a.Field == "traffic.load" {
			x = a.Name
		}
	}
	if x == "" {
		return nil
	}
	const load = "offered load (share of the host link)"
	return []Plot{
		{
			Name:   "latency",
			Title:  join(t.file.Title, "latency"),
			X:      x,
			Y:      "latency_ps / 1000",
			Error:  "latency_half_ps / 1000",
			Beyond: "not stable",
			XTitle: load,
			YTitle: "mean latency (ns)",
		},
		{
			Name:   "throughput",
			Title:  join(t.file.Title, "throughput"),
			X:      x,
			Y:      "accepted",
			Error:  "accepted_half",
			XTitle: load,
			YTitle: "accepted load (share of the host link)",
		},
	}
}

func join(title, what string) string {
	if title == "" {
		return strings.ToUpper(what[:1]) + what[1:]
	}
	return title + ": " + what
}

// beyond labels the points marked at the upper edge. The default plots use it for loads that a
// network did not accept, because the latency at such loads depends on the length of the run.
const beyond = "saturated"

// referenceEnding ends the names of curves of reference values.
const referenceEnding = " (reference)"

// missingText labels the marks of points without a result.
const missingText = "no result"

// drawing makes the chart of one plot.
type drawing struct {
	Plot
	table *Table
	field string

	x, y, half, reference, where, beyond *expression
}

func (d *drawing) chart() (*plot.Chart, error) {
	if err := d.compile(); err != nil {
		return nil, err
	}
	c := &plot.Chart{
		Title: d.Title, Beyond: beyond, Missing: missingText,
		X: plot.Axis{Title: or(d.XTitle, d.X), Log: d.XScale == "log"},
		Y: plot.Axis{Title: or(d.YTitle, d.Y), Log: d.YScale == "log"},
	}
	if d.YMax != "" {
		c.Y.Max = quantity(d.YMax)
	}
	curves, references := &curves{}, &curves{}
	for i := range d.table.Rows {
		if err := d.row(&d.table.Rows[i], curves, references); err != nil {
			return nil, err
		}
	}
	for i := range references.list {
		references.list[i].Name += referenceEnding
		references.list[i].Dashed, references.list[i].Like = true, i+1
	}
	c.Series = append(curves.list, references.list...)
	d.scaled(&c.X, d.X, d.XTitle, c.Series, func(p *plot.Point) []*float64 { return []*float64{&p.X} })
	d.scaled(
		&c.Y,
		d.Y,
		d.YTitle,
		c.Series,
		func(p *plot.Point) []*float64 { return []*float64{&p.Y, &p.Error} },
	)
	return c, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (d *drawing) compile() error {
	f, names := d.table.file, d.table.names()
	var errs []error
	take := func(name, text string) *expression {
		e, err := f.compile(d.field+"."+name, text, names)
		errs = append(errs, err)
		return e
	}
	d.x, d.y, d.half = take("x", d.X), take("y", d.Y), take("error", d.Error)
	d.reference, d.where = take("reference", d.Reference), take("where", d.Where)
	d.beyond = take("beyond", d.Beyond)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var problems config.Problems
	for _, x := range []struct{ name, text string }{{"x", d.X}, {"y", d.Y}} {
		if x.text == "" {
			problems = append(
				problems,
				config.Problem{Field: d.field + "." + x.name, Found: "nothing", Expected: "an expression"},
			)
		}
	}
	for i, axis := range d.Series {
		if f.axis(axis) < 0 {
			problems = append(
				problems,
				config.Problem{
					Field:    index(d.field+".series", i),
					Found:    axis,
					Expected: "the name of an axis",
				},
			)
		}
	}
	for _, x := range []struct{ name, text string }{{"x_scale", d.XScale}, {"y_scale", d.YScale}} {
		if x.text != "" && !slices.Contains(scales, x.text) {
			problems = append(
				problems,
				config.Problem{Field: d.field + "." + x.name, Found: x.text, Expected: "linear or log"},
			)
		}
	}
	return f.wrong(problems)
}

// row adds the point of a row to its curve.
func (d *drawing) row(r *Row, curves, references *curves) error {
	if r.Result == nil {
		d.missing(r, curves)
		return nil
	}
	shown, err := d.where.truth(r.variables)
	if err != nil {
		return d.table.file.mistake(d.field+".where", d.Where, err)
	}
	if !shown {
		return nil
	}
	figure := func(name, text string, e *expression) float64 {
		if e == nil {
			return 0
		}
		v, problem := e.number(r.variables)
		if problem != nil {
			err = d.table.file.mistake(d.field+"."+name, text, problem)
		}
		return v
	}
	name := d.series(r)
	p := plot.Point{
		X:     figure("x", d.X, d.x),
		Y:     figure("y", d.Y, d.y),
		Error: figure("error", d.Error, d.half),
	}
	if d.beyond != nil {
		above, problem := d.beyond.truth(r.variables)
		if problem != nil {
			return d.table.file.mistake(d.field+".beyond", d.Beyond, problem)
		}
		if p.Beyond = above; above {
			p.Y, p.Error = 0, 0
		}
	}
	curves.add(name, p)
	if d.reference != nil {
		p.Y, p.Error, p.Beyond = figure("reference", d.Reference, d.reference), 0, false
		references.add(name, p)
	}
	return err
}

// missing marks a point without a result on the horizontal axis, if the plot would show it as far as
// its axis values say.
func (d *drawing) missing(r *Row, curves *curves) {
	if shown, err := d.where.truth(r.variables); err != nil || !shown {
		return // also if the condition needs figures
	}
	if x, err := d.x.number(r.variables); err == nil && !math.IsNaN(x) {
		curves.add(d.series(r), plot.Point{X: x, Missing: true})
	}
}

// series returns the name of a row's curve: the row's values of the axes that distinguish curves.
// By default these are all axes with several values, except x.
func (d *drawing) series(r *Row) string {
	var parts []string
	for i := range d.table.file.Axes {
		a := &d.table.file.Axes[i]
		if d.Series == nil && (a.Name == d.X || len(a.Values)+len(a.Cases) < 2) {
			continue
		}
		if d.Series != nil && !slices.Contains(d.Series, a.Name) {
			continue
		}
		if v := r.Point.Values[i]; len(a.Cases) > 0 {
			parts = append(parts, v.Label)
		} else {
			parts = append(parts, a.Name+" "+v.Label)
		}
	}
	return strings.Join(parts, ", ")
}

// curves stores series in the order of their first point.
type curves struct {
	list  []plot.Series
	index map[string]int
}

func (c *curves) add(name string, p plot.Point) {
	i, ok := c.index[name]
	if !ok {
		if c.index == nil {
			c.index = map[string]int{}
		}
		i = len(c.list)
		c.index[name] = i
		c.list = append(c.list, plot.Series{Name: name})
	}
	c.list[i].Points = append(c.list[i].Points, p)
}
