package plot

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Paper says how a chart looks in a printed paper. Lengths are in points of 1/72 inch.
type Paper struct {
	Width, Height float64 // of the picture; a Height of 0 is two thirds of the Width
	// Font is a family such as Helvetica or Times. PDFs have those of PDFFonts; SVGs name any.
	Font string
	Size float64 // of all text
}

// pageColors are the colours of curves in the browser report, in the same order.
var pageColors = []string{
	"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C6D31", "#7F7F7F",
}

// place is where a text is anchored.
type place int

const (
	begin place = iota
	middle
	end
)

// canvas draws on a page whose origin is at the upper left. Colours are as in SVG, "" for none.
type canvas interface {
	// path draws lines from point to point, given as x and y in turn. dash is the length of dashes.
	path(points []float64, closed bool, stroke, fill string, width, dash float64)
	circle(x, y, r float64, stroke, fill string, width float64)
	// text writes a line of text; upwards turns it by 90 degrees to the left.
	text(x, y float64, at place, upwards bool, text string)
	// width returns the width of a text.
	width(text string) float64
	// clip limits what is drawn from now on; unclip ends that.
	clip(x, y, width, height float64)
	unclip()
	bytes() []byte
}

// PaperSVG returns the chart as an SVG document for a paper, without its title, which papers have in
// captions.
func (c *Chart) PaperSVG(p Paper) []byte { return c.paper(newSVGCanvas(p.complete()), p.complete()) }

// PaperPDF is like PaperSVG for a PDF document of one page. The font is not embedded. It returns an
// error unless the font is one of PDFFonts.
func (c *Chart) PaperPDF(p Paper) ([]byte, error) {
	canvas, err := newPDFCanvas(p.complete())
	if err != nil {
		return nil, err
	}
	return c.paper(canvas, p.complete()), nil
}

func (p Paper) complete() Paper {
	if p.Height == 0 {
		p.Height = p.Width * 2 / 3
	}
	return p
}

// sheet draws a chart on a canvas.
type sheet struct {
	canvas
	chart                    *Chart
	page                     Paper
	left, right, top, bottom float64
	x, y                     scale
}

// paper draws the chart. The legend is below it, in as many columns as fit.
func (c *Chart) paper(on canvas, p Paper) []byte {
	s := &sheet{canvas: on, chart: c, page: p}
	var xs, ys []float64
	for _, series := range c.Series {
		for _, q := range series.Points {
			switch {
			case q.onCurve():
				xs, ys = append(xs, q.X), append(ys, q.Y)
			case finite(q.X) && (q.Beyond || q.Missing):
				xs = append(xs, q.X)
			}
		}
	}
	s.x, s.y = c.X.scale(xs, false), c.Y.scale(ys, true)
	entries := s.entries()
	columns, rows := s.columns(entries)
	widest := 0.0
	for _, t := range s.y.ticks() {
		widest = max(widest, s.width(label(t)))
	}
	line := 1.25 * s.page.Size
	s.left = line + widest + 0.8*s.page.Size
	s.right = s.rightmost()
	s.top, s.bottom = 0.7*s.page.Size, s.page.Height-2.6*line-line*float64(rows)
	s.frame()
	s.clip(s.left-s.mark(), s.top-s.mark(), s.right-s.left+2*s.mark(), s.bottom-s.top+2*s.mark())
	for i := range c.Series {
		s.series(i)
	}
	s.unclip()
	for i, e := range entries {
		column := s.page.Width / float64(columns)
		e.draw(column*float64(i%columns)+0.5*s.page.Size, s.bottom+2.6*line+line*float64(i/columns)+0.3*line)
	}
	return on.bytes()
}

// rightmost returns where the frame ends, so that the label of each tick stays on the page.
func (s *sheet) rightmost() float64 {
	right, edge := s.page.Width-0.8*s.page.Size, s.page.Width-0.2*s.page.Size
	for _, t := range s.x.ticks() {
		if share := s.x.place(t); share > 0 {
			right = min(right, s.left+(edge-s.width(label(t))/2-s.left)/share)
		}
	}
	return right
}

// mark returns half of the size of a marker.
func (s *sheet) mark() float64 { return 0.28 * s.page.Size }

// thin and thick return the widths of lines.
func (s *sheet) thin() float64  { return 0.06 * s.page.Size }
func (s *sheet) thick() float64 { return 0.13 * s.page.Size }

func (s *sheet) at(x, y float64) (float64, float64) {
	return s.left + s.x.place(x)*(s.right-s.left), s.bottom - s.y.place(y)*(s.bottom-s.top)
}

// frame draws the grid, the ticks, the frame and the titles of the axes.
func (s *sheet) frame() {
	const grid, ink = "#dddddd", "#444444"
	down := 0.35 * s.page.Size // from the middle of a line of text to its base
	last := math.Inf(-1)
	for _, t := range s.x.ticks() {
		x := s.left + s.x.place(t)*(s.right-s.left)
		s.path([]float64{x, s.top, x, s.bottom}, false, grid, "", s.thin(), 0)
		if half := s.width(label(t)) / 2; x-half > last {
			s.text(x, s.bottom+1.2*s.page.Size, middle, false, label(t))
			last = x + half + 0.3*s.page.Size
		}
	}
	for _, t := range s.y.ticks() {
		y := s.bottom - s.y.place(t)*(s.bottom-s.top)
		s.path([]float64{s.left, y, s.right, y}, false, grid, "", s.thin(), 0)
		s.text(s.left-0.4*s.page.Size, y+down, end, false, label(t))
	}
	s.path(
		[]float64{s.left, s.top, s.right, s.top, s.right, s.bottom, s.left, s.bottom}, true, ink, "", s.thin()*1.5, 0,
	)
	s.text((s.left+s.right)/2, s.bottom+2.6*s.page.Size, middle, false, s.chart.X.Title)
	s.text(s.page.Size, (s.top+s.bottom)/2, middle, true, s.chart.Y.Title)
}

// style returns the colour of a series, the filling of its markers, its dashes, and the index of its
// marker.
func (s *sheet) style(i int) (color, fill string, dash float64, marker int) {
	of := &s.chart.Series[i]
	if of.Like > 0 {
		i = of.Like - 1
	}
	color = pageColors[i%len(pageColors)]
	if of.Dashed {
		return color, "#ffffff", 0.45 * s.page.Size, i
	}
	return color, color, 0, i
}

// series draws one curve.
func (s *sheet) series(i int) {
	of := &s.chart.Series[i]
	color, fill, dash, marker := s.style(i)
	var line []float64
	points := of.curve()
	for _, p := range points {
		x, y := s.at(p.X, p.Y)
		line = append(line, x, y)
	}
	if len(points) > 1 {
		s.path(line, false, color, "", s.thick(), dash)
	}
	for k, p := range points {
		if p.Error > 0 {
			_, low := s.at(p.X, p.Y-p.Error)
			_, high := s.at(p.X, p.Y+p.Error)
			s.path([]float64{line[2*k], low, line[2*k], high}, false, color, "", s.thin()*1.5, 0)
		}
		s.marker(marker, line[2*k], line[2*k+1], color, fill)
	}
	for _, p := range of.Points {
		x := s.left + s.x.place(p.X)*(s.right-s.left)
		switch {
		case p.isBeyond():
			s.beyond(x, s.top+s.mark(), color)
		case p.isMissing():
			s.missing(x, s.bottom-s.mark(), color)
		}
	}
}

// marker draws the marker of a series.
func (s *sheet) marker(i int, x, y float64, color, fill string) {
	r := s.mark()
	switch i % 5 {
	case 0:
		s.circle(x, y, r, color, fill, s.thin())
	case 1:
		s.path([]float64{x - r, y - r, x + r, y - r, x + r, y + r, x - r, y + r}, true, color, fill, s.thin(), 0)
	case 2:
		s.path([]float64{x, y - r, x + r, y + r, x - r, y + r}, true, color, fill, s.thin(), 0)
	case 3:
		s.path([]float64{x, y - 1.2*r, x + 1.2*r, y, x, y + 1.2*r, x - 1.2*r, y}, true, color, fill, s.thin(), 0)
	case 4:
		s.path([]float64{x, y + r, x + r, y - r, x - r, y - r}, true, color, fill, s.thin(), 0)
	}
}

// beyond draws the marker of a point above the chart: a hollow arrowhead.
func (s *sheet) beyond(x, y float64, color string) {
	r := s.mark()
	s.path([]float64{x, y - r, x + r, y + r, x - r, y + r}, true, color, "#ffffff", s.thick(), 0)
}

// missing draws the marker of a point without a y: a cross.
func (s *sheet) missing(x, y float64, color string) {
	r := s.mark()
	s.path([]float64{x - r, y - r, x + r, y + r}, false, color, "", s.thick(), 0)
	s.path([]float64{x - r, y + r, x + r, y - r}, false, color, "", s.thick(), 0)
}

// entry is a line of the legend. draw draws it with its left end at x and its middle at y.
type entry struct {
	width float64
	draw  func(x, y float64)
}

// entries returns the lines of the legend.
func (s *sheet) entries() (list []entry) {
	add := func(name string, sign func(x, y float64)) {
		list = append(list, entry{s.width(name) + 3.5*s.page.Size, func(x, y float64) {
			sign(x+s.page.Size, y)
			s.text(x+2.5*s.page.Size, y+0.35*s.page.Size, begin, false, name)
		}})
	}
	for i := range s.chart.Series {
		if len(s.chart.Series) < 2 {
			break
		}
		color, fill, dash, marker := s.style(i)
		add(s.chart.Series[i].Name, func(x, y float64) {
			s.path([]float64{x - s.page.Size, y, x + s.page.Size, y}, false, color, "", s.thick(), dash)
			s.marker(marker, x, y, color, fill)
		})
	}
	if s.chart.has(Point.isBeyond) {
		add(s.chart.Beyond, func(x, y float64) { s.beyond(x, y, "#444444") })
	}
	if s.chart.has(Point.isMissing) {
		add(s.chart.Missing, func(x, y float64) { s.missing(x, y, "#444444") })
	}
	return list
}

// columns returns the numbers of columns and rows of the legend.
func (s *sheet) columns(list []entry) (columns, rows int) {
	widest := 1.0
	for _, e := range list {
		widest = max(widest, e.width)
	}
	columns = max(1, min(len(list), int((s.page.Width-s.page.Size)/widest)))
	return columns, (len(list) + columns - 1) / columns
}

// CSV writes the points of the chart with all digits: the series, x, y, the half-width of the
// confidence interval, and how the point is marked: empty, or the text of Beyond or Missing.
func (c *Chart) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"series", c.X.Title, c.Y.Title, "error", "mark"}); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, s := range c.Series {
		for _, p := range s.Points {
			row := []string{s.Name, number(p.X), number(p.Y), "", ""}
			if p.Error > 0 {
				row[3] = number(p.Error)
			}
			switch {
			case p.Beyond:
				row[2], row[4] = "", c.Beyond
			case p.Missing:
				row[2], row[4] = "", c.Missing
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// point formats a coordinate.
func point(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// rgb returns the parts of a colour such as #0072B2, from 0 to 1.
func rgb(color string) (r, g, b float64) {
	var n uint32
	if _, err := fmt.Sscanf(color, "#%06x", &n); err != nil {
		return 0, 0, 0
	}
	return float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255
}
