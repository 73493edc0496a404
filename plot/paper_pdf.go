package plot

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// pdfFont is one of the fonts that every reader of PDF has.
type pdfFont struct {
	family string // as users write it
	name   string // in PDF
	// widths of the characters from blank to tilde, in thousandths of the size; nil: all 600
	widths []int
	other  int // width of other characters
}

var pdfFonts = []pdfFont{
	{"Helvetica", "Helvetica", helveticaWidths, 556}, {"Times", "Times-Roman", timesWidths, 500}, {"Courier", "Courier", nil, 600},
}

// PDFFonts returns the font families of PDFs. Readers have them; they are not embedded.
func PDFFonts() (names []string) {
	for _, f := range pdfFonts {
		names = append(names, f.family)
	}
	return names
}

// pdfFontLike returns the font with a name, or the first one.
func pdfFontLike(family string) *pdfFont {
	i := slices.IndexFunc(pdfFonts, func(f pdfFont) bool { return strings.EqualFold(f.family, family) })
	return &pdfFonts[max(i, 0)]
}

// width returns the width of a text as a share of the font's size.
func (f *pdfFont) width(text string) float64 {
	sum := 0
	for _, c := range text {
		switch i := int(c) - ' '; {
		case f.widths == nil:
			sum += 600
		case i >= 0 && i < len(f.widths):
			sum += f.widths[i]
		default:
			sum += f.other
		}
	}
	return float64(sum) / 1000
}

// pdfCanvas draws a PDF document of one page.
type pdfCanvas struct {
	b    bytes.Buffer // what the page shows
	page Paper
	font *pdfFont
}

func newPDFCanvas(p Paper) (*pdfCanvas, error) {
	font := pdfFontLike(p.Font)
	if !strings.EqualFold(font.family, p.Font) {
		return nil, fmt.Errorf("found the font %s, expected one of %s in PDF", p.Font, strings.Join(PDFFonts(), ", "))
	}
	c := &pdfCanvas{page: p, font: font}
	c.b.WriteString("1 j\n") // lines meet in round joints
	return c, nil
}

// up returns the vertical coordinate of PDF, whose origin is at the lower left.
func (c *pdfCanvas) up(y float64) string { return point(c.page.Height - y) }

func (c *pdfCanvas) color(color, operator string) {
	r, g, b := rgb(color)
	fmt.Fprintf(&c.b, "%.3f %.3f %.3f %s\n", r, g, b, operator)
}

// paint sets the colours, and returns the operator that draws a path with them.
func (c *pdfCanvas) paint(closed bool, stroke, fill string, width, dash float64) string {
	c.color(stroke, "RG")
	fmt.Fprintf(&c.b, "%s w\n", point(width))
	if dash > 0 {
		fmt.Fprintf(&c.b, "[%s] 0 d\n", point(dash))
	} else {
		c.b.WriteString("[] 0 d\n")
	}
	switch {
	case fill != "":
		c.color(fill, "rg")
		return "b"
	case closed:
		return "s"
	}
	return "S"
}

func (c *pdfCanvas) path(points []float64, closed bool, stroke, fill string, width, dash float64) {
	draw := c.paint(closed, stroke, fill, width, dash)
	for i := 0; i < len(points); i += 2 {
		operator := "l"
		if i == 0 {
			operator = "m"
		}
		fmt.Fprintf(&c.b, "%s %s %s\n", point(points[i]), c.up(points[i+1]), operator)
	}
	c.b.WriteString(draw + "\n")
}

// circle draws four Bézier curves, which differ from a circle by less than 0.03 %.
func (c *pdfCanvas) circle(x, y, r float64, stroke, fill string, width float64) {
	draw := c.paint(true, stroke, fill, width, 0)
	k := 0.5523 * r
	fmt.Fprintf(&c.b, "%s %s m\n", point(x+r), c.up(y))
	for _, q := range [][6]float64{
		{x + r, y + k, x + k, y + r, x, y + r},
		{x - k, y + r, x - r, y + k, x - r, y},
		{x - r, y - k, x - k, y - r, x, y - r},
		{x + k, y - r, x + r, y - k, x + r, y},
	} {
		fmt.Fprintf(
			&c.b, "%s %s %s %s %s %s c\n", point(q[0]), c.up(q[1]), point(q[2]), c.up(q[3]), point(q[4]), c.up(q[5]),
		)
	}
	c.b.WriteString(draw + "\n")
}

func (c *pdfCanvas) text(x, y float64, at place, upwards bool, text string) {
	aside := -c.width(text) * []float64{0, 0.5, 1}[at]
	matrix := "1 0 0 1 " + point(x+aside) + " " + c.up(y)
	if upwards {
		matrix = "0 1 -1 0 " + point(x) + " " + c.up(y-aside)
	}
	c.color("#222222", "rg")
	fmt.Fprintf(&c.b, "BT /F %s Tf %s Tm (%s) Tj ET\n", point(c.page.Size), matrix, pdfText(text))
}

// pdfText returns a text in the encoding of the fonts, which has Latin letters; others become "?".
func pdfText(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '(' || c == ')' || c == '\\':
			b.WriteString("\\" + string(c))
		case c >= ' ' && c <= '~':
			b.WriteRune(c)
		case c >= 0xA0 && c <= 0xFF:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

func (c *pdfCanvas) width(text string) float64 { return c.font.width(text) * c.page.Size }

func (c *pdfCanvas) clip(x, y, width, height float64) {
	fmt.Fprintf(&c.b, "q %s %s %s %s re W n\n", point(x), c.up(y+height), point(width), point(height))
}

func (c *pdfCanvas) unclip() { c.b.WriteString("Q\n") }

// bytes returns the document: its objects, and a table of where they begin.
func (c *pdfCanvas) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R "+
			"/Resources << /Font << /F 5 0 R >> >> >>", point(c.page.Width), point(c.page.Height)),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", c.b.Len(), c.b.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /" + c.font.name + " /Encoding /WinAnsiEncoding >>",
	}
	var places []int
	for i, o := range objects {
		places = append(places, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range places {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return out.Bytes()
}

// Widths of the characters from blank to tilde, from Adobe's metrics of its core fonts.
var (
	helveticaWidths = []int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	timesWidths = []int{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
		500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
		921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
		556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
		333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
		500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
	}
)
