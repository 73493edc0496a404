package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Chart is a plot of curves over two axes.
type Chart struct {
	Title          string
	X, Y           Axis
	Series         []Series
	Beyond         string // legend text for points that are Beyond
	Missing        string // legend text for points that are Missing
	Width, Height  int    // size of the chart in pixels; 0: 720 and 440
	legend         int    // width of the legend in pixels
	left, right    float64
	top, bottom    float64
	builder        strings.Builder
	xRange, yRange scale
}

// Axis describes one axis of a chart.
type Axis struct {
	Title    string // includes the unit, as in "latency (ns)"
	Log      bool
	Min, Max float64 // bounds; NaN, or both 0: derived from the points
}

// Series is one curve. Points with infinite or NaN coordinates are ignored.
type Series struct {
	Name   string
	Points []Point
	Dashed bool // dashed with hollow markers, as for reference values
	Like   int  // 1 plus the index of the series whose colour and marker to use; 0: its own
}

// Point is one point of a curve.
type Point struct {
	X, Y   float64
	Error  float64 // half-width of a confidence interval; 0: none
	Beyond bool    // Y is above the range of the chart: marked at its upper edge
	// Missing: there is no Y, as nobody has measured it: marked at the lower edge.
	Missing bool
}

// palette holds the colours of Okabe and Ito, except for yellow, which is too pale on white.
var palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"}

const (
	fontSize  = 13
	charWidth = 7.2 // average width of a character
	markSize  = 4.0
)

// SVG returns the chart as an SVG document.
func (c *Chart) SVG() []byte {
	c.layOut()
	c.printf(
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" font-size="%d">`,
		c.Width,
		c.Height,
		c.Width,
		c.Height,
		fontSize,
	)
	c.printf(`<rect width="100%%" height="100%%" fill="white"/>`)
	c.text(
		float64(c.Width)/2,
		24,
		"middle",
		fmt.Sprintf(`font-size="%d" font-weight="bold"`, fontSize+2),
		c.Title,
	)
	c.axes()
	c.printf(`<clipPath id="area"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>`,
		c.left-markSize, c.top-markSize, c.right-c.left+2*markSize, c.bottom-c.top+2*markSize)
	for i, s := range c.Series {
		c.series(i, s)
	}
	line := 0
	if len(c.Series) > 1 {
		line = len(c.Series)
	}
	x, y := c.right+12, c.top+10+float64(line)*20
	if c.has(Point.isBeyond) {
		c.beyond("#444", x+11, y, c.Beyond)
		c.text(x+28, y+4, "start", "", c.Beyond)
		y += 20
	}
	if c.has(Point.isMissing) {
		c.missing("#444", x+11, y, c.Missing)
		c.text(x+28, y+4, "start", "", c.Missing)
	}
	c.printf(`</svg>`)
	return []byte(c.builder.String())
}

func (c *Chart) printf(format string, args ...any) {
	fmt.Fprintf(&c.builder, format+"\n", args...)
}

func (c *Chart) layOut() {
	if c.Width == 0 {
		c.Width, c.Height = 720, 440
	}
	for _, s := range c.Series {
		if len(c.Series) > 1 {
			c.legend = max(c.legend, int(charWidth*float64(len([]rune(s.Name))))+44)
		}
	}
	if c.has(Point.isBeyond) {
		c.legend = max(c.legend, int(charWidth*float64(len([]rune(c.Beyond))))+44)
	}
	if c.has(Point.isMissing) {
		c.legend = max(c.legend, int(charWidth*float64(len([]rune(c.Missing))))+44)
	}
	c.legend = max(c.legend, 16)
	c.left, c.right = 72, float64(c.Width-c.legend)
	c.top, c.bottom = 40, float64(c.Height-52)
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			switch {
			case !finite(p.X):
			case p.Beyond, p.Missing:
				xs = append(xs, p.X)
			case finite(p.Y):
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
	}
	c.xRange, c.yRange = c.X.scale(xs, false), c.Y.scale(ys, true)
}

// has reports whether there are points of a kind.
func (c *Chart) has(kind func(Point) bool) bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool { return slices.ContainsFunc(s.Points, kind) })
}

func (p Point) isBeyond() bool  { return p.Beyond && finite(p.X) }
func (p Point) isMissing() bool { return p.Missing && finite(p.X) }

// onCurve reports whether a point is part of its curve.
func (p Point) onCurve() bool { return !p.Beyond && !p.Missing && finite(p.X) && finite(p.Y) }

// curve returns the points of a series that are part of its curve, by x.
func (s *Series) curve() []Point {
	points := slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return !p.onCurve() })
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return points
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// axes draws the frame, the grid, the ticks and their labels.
func (c *Chart) axes() {
	for _, t := range c.xRange.ticks() {
		x := c.x(t)
		c.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`, x, c.top, x, c.bottom)
		c.text(x, c.bottom+18, "middle", "", label(t))
	}
	for _, t := range c.yRange.ticks() {
		y := c.y(t)
		c.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`, c.left, y, c.right, y)
		c.text(c.left-8, y+4, "end", "", label(t))
	}
	c.printf(
		`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#444"/>`,
		c.left,
		c.top,
		c.right-c.left,
		c.bottom-c.top,
	)
	c.text((c.left+c.right)/2, float64(c.Height)-12, "middle", "", c.X.Title)
	y := (c.top + c.bottom) / 2
	c.text(18, y, "middle", fmt.Sprintf(`transform="rotate(-90 18 %.1f)"`, y), c.Y.Title)
}

// series draws one curve and its entry in the legend.
func (c *Chart) series(i int, s Series) {
	line := i // line in the legend
	if s.Like > 0 {
		i = s.Like - 1
	}
	color, fill, dash := palette[i%len(palette)], palette[i%len(palette)], ""
	if s.Dashed {
		fill, dash = "white", ` stroke-dasharray="6 4"`
	}
	for _, p := range s.Points {
		title := fmt.Sprintf("%s: %s, ", s.Name, label(p.X))
		switch {
		case p.isBeyond():
			c.beyond(color, c.x(p.X), c.top+markSize, title+c.Beyond)
		case p.isMissing():
			c.missing(color, c.x(p.X), c.bottom-markSize, title+c.Missing)
		}
	}
	points := s.curve()
	c.printf(`<g clip-path="url(#area)" stroke="%s" fill="%s">`, color, fill)
	if len(points) > 1 {
		var path strings.Builder
		for _, p := range points {
			fmt.Fprintf(&path, "%.1f,%.1f ", c.x(p.X), c.y(p.Y))
		}
		c.printf(
			`<polyline points="%s" fill="none" stroke-width="1.8"%s/>`,
			strings.TrimSpace(path.String()),
			dash,
		)
	}
	for _, p := range points {
		if p.Error > 0 {
			c.printf(
				`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`,
				c.x(p.X),
				c.y(p.Y-p.Error),
				c.x(p.X),
				c.y(p.Y+p.Error),
			)
		}
		c.mark(i, c.x(p.X), c.y(p.Y), fmt.Sprintf("%s: %s, %s", s.Name, label(p.X), label(p.Y)))
	}
	c.printf(`</g>`)
	if len(c.Series) < 2 {
		return
	}
	x, y := c.right+12, c.top+10+float64(line)*20
	c.printf(
		`<g stroke="%s" fill="%s"><line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="1.8"%s/>`,
		color,
		fill,
		x,
		y,
		x+22,
		y,
		dash,
	)
	c.mark(i, x+11, y, "")
	c.printf(`</g>`)
	c.text(x+28, y+4, "start", "", s.Name)
}

// beyond draws the marker of a point above the chart: a hollow arrowhead.
func (c *Chart) beyond(color string, x, y float64, title string) {
	c.printf(
		`<path class="beyond" d="M%.1f %.1f l%.1f %.1f h%.1f z" fill="white" stroke="%s" stroke-width="1.5"><title>%s</title></path>`,
		x, y-markSize, markSize, 2*markSize, -2*markSize, color, escape(title),
	)
}

// missing draws the marker of a point without a y: a cross.
func (c *Chart) missing(color string, x, y float64, title string) {
	c.printf(
		`<path class="missing" d="M%.1f %.1f l%.1f %.1f m0 %.1f l%.1f %.1f" fill="none" stroke="%s" stroke-width="1.5"><title>%s</title></path>`,
		x-markSize, y-markSize, 2*markSize, 2*markSize, -2*markSize, -2*markSize, 2*markSize, color, escape(title),
	)
}

// mark draws the marker of series i at a position in pixels. The title is shown on hover.
func (c *Chart) mark(i int, x, y float64, title string) {
	const r = markSize
	shape := ""
	switch i % 5 {
	case 0:
		shape = fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="%.1f"`, x, y, r-0.5)
	case 1:
		shape = fmt.Sprintf(
			`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"`,
			x-r+0.6,
			y-r+0.6,
			2*r-1.2,
			2*r-1.2,
		)
	case 2:
		shape = fmt.Sprintf(`<path d="M%.1f %.1f l%.1f %.1f h%.1f z"`, x, y-r, r, 2*r-1, -2*r)
	case 3:
		shape = fmt.Sprintf(
			`<path d="M%.1f %.1f l%.1f %.1f l%.1f %.1f l%.1f %.1f z"`,
			x,
			y-r-0.5,
			r,
			r,
			-r,
			r,
			-r,
			-r,
		)
	case 4:
		shape = fmt.Sprintf(`<path d="M%.1f %.1f l%.1f %.1f h%.1f z"`, x, y+r, r, -2*r+1, -2*r)
	}
	if title == "" {
		c.printf(`%s/>`, shape)
		return
	}
	name := shape[1:strings.IndexByte(shape, ' ')]
	c.printf(`%s><title>%s</title></%s>`, shape, escape(title), name)
}

func (c *Chart) text(x, y float64, anchor, more, text string) {
	c.printf(
		`<text x="%.1f" y="%.1f" text-anchor="%s" fill="#222" %s>%s</text>`,
		x,
		y,
		anchor,
		more,
		escape(text),
	)
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}

func (c *Chart) x(v float64) float64 { return c.left + c.xRange.place(v)*(c.right-c.left) }
func (c *Chart) y(v float64) float64 { return c.bottom - c.yRange.place(v)*(c.bottom-c.top) }
