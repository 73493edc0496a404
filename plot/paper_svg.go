package plot

import (
	"fmt"
	"strings"
)

// svgCanvas draws an SVG document whose unit is the point.
type svgCanvas struct {
	b    strings.Builder
	page Paper
}

func newSVGCanvas(p Paper) *svgCanvas {
	c := &svgCanvas{page: p}
	w, h := point(p.Width), point(p.Height)
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" `+
		`font-family="%s" font-size="%s" stroke-linejoin="round">`+"\n", w, h, w, h, escape(p.Font), point(p.Size))
	return c
}

// paint returns the attributes of a stroke and a filling.
func paint(stroke, fill string, width, dash float64) string {
	if fill == "" {
		fill = "none"
	}
	text := fmt.Sprintf(`stroke="%s" fill="%s" stroke-width="%s"`, stroke, fill, point(width))
	if dash > 0 {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, point(dash))
	}
	return text
}

func (c *svgCanvas) path(points []float64, closed bool, stroke, fill string, width, dash float64) {
	c.b.WriteString(`<path d="M`)
	for i, v := range points {
		if i > 0 {
			c.b.WriteByte(' ')
		}
		c.b.WriteString(point(v))
	}
	if closed {
		c.b.WriteByte('z')
	}
	fmt.Fprintf(&c.b, "\" %s/>\n", paint(stroke, fill, width, dash))
}

func (c *svgCanvas) circle(x, y, r float64, stroke, fill string, width float64) {
	fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n", point(x), point(y), point(r), paint(stroke, fill, width, 0))
}

func (c *svgCanvas) text(x, y float64, at place, upwards bool, text string) {
	turn := ""
	if upwards {
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, point(x), point(y))
	}
	anchor := []string{"start", "middle", "end"}[at]
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="%s"%s>%s</text>`+"\n", point(x), point(y), anchor, turn, escape(text))
}

// width estimates the width of a text by that in a font of PDF.
func (c *svgCanvas) width(text string) float64 {
	return pdfFontLike(c.page.Font).width(text) * c.page.Size
}

func (c *svgCanvas) clip(x, y, width, height float64) {
	fmt.Fprintf(
		&c.b, `<clipPath id="area"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#area)">`+"\n",
		point(x), point(y), point(width), point(height),
	)
}

func (c *svgCanvas) unclip() { c.b.WriteString("</g>\n") }

func (c *svgCanvas) bytes() []byte { return []byte(c.b.String() + "</svg>\n") }
