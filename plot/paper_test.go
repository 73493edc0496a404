package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// loads is a chart with a saturated and a missing point, and a reference.
func loads() *Chart {
	return &Chart{
		Title: "in the caption", X: Axis{Title: "load (share)"}, Y: Axis{Title: "latency (µs)"},
		Beyond: "saturated", Missing: "no result",
		Series: []Series{
			{Name: "2 VCs", Points: []Point{{X: 0.1, Y: 1, Error: 0.1}, {X: 0.5, Missing: true}, {X: 0.9, Beyond: true}}},
			{Name: `a\(b)`, Points: []Point{{X: 0.1, Y: 2}, {X: 0.5, Y: 3.25}, {X: 0.9, Y: math.Inf(1)}}},
			{Name: "2 VCs (reference)", Points: []Point{{X: 0.1, Y: 1.5}, {X: 0.5, Y: 2}}, Dashed: true, Like: 1},
		},
	}
}

func TestPaperSVG(t *testing.T) {
	svg := string(loads().PaperSVG(Paper{Width: 240.944, Font: `My "Font"`, Size: 8}))
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for _, want := range []string{
		`width="240.94pt" height="160.63pt"`, `font-family="My &quot;Font&quot;" font-size="8"`, "latency (µs)", "saturated",
		"no result", `a\(b)`, "#E69F00", "stroke-dasharray",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	for _, unwanted := range []string{"NaN", "Inf", "in the caption"} {
		if strings.Contains(svg, unwanted) {
			t.Errorf("the picture has %s", unwanted)
		}
	}
}

// TestLabelsStayOnThePage: the label of the last tick does not pass the edge, however wide it is.
func TestLabelsStayOnThePage(t *testing.T) {
	c := &Chart{Series: []Series{{Points: []Point{{X: 0, Y: 1}, {X: 1_000_000, Y: 2}}}}}
	const width, size = 100, 12
	svg := string(c.PaperSVG(Paper{Width: width, Size: size}))
	all := regexp.MustCompile(`<text x="([0-9.]+)" y="[0-9.]+" text-anchor="middle">(\d+)</text>`).FindAllStringSubmatch(svg, -1)
	if len(all) == 0 {
		t.Fatalf("no labels in %s", svg)
	}
	for _, label := range all {
		x, err := strconv.ParseFloat(label[1], 64)
		const digit = 0.556 * size // of Helvetica
		if half := digit * float64(len(label[2])) / 2; err != nil || x+half > width {
			t.Errorf("the label %s at %s ends at %.1f of %d pt", label[2], label[1], x+half, width)
		}
	}
}

// TestPaperPDF reads a document as a reader does: by the table at its end.
func TestPaperPDF(t *testing.T) {
	text, err := loads().PaperPDF(Paper{Width: 240, Height: 150, Font: "times", Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	pdf := string(text)
	if !strings.HasPrefix(pdf, "%PDF-1.4\n") || !strings.HasSuffix(pdf, "\n%%EOF\n") {
		t.Fatalf("no PDF: %s", pdf)
	}
	table, err := strconv.Atoi(regexp.MustCompile(`startxref\n(\d+)\n`).FindStringSubmatch(pdf)[1])
	if err != nil || !strings.HasPrefix(pdf[table:], "xref\n0 6\n0000000000 65535 f \n") {
		t.Fatalf("no table at %d: %v", table, err)
	}
	for i, at := range regexp.MustCompile(`(\d{10}) 00000 n \n`).FindAllStringSubmatch(pdf[table:], -1) {
		place, _ := strconv.Atoi(at[1])
		if want := fmt.Sprintf("%d 0 obj\n", i+1); !strings.HasPrefix(pdf[place:], want) {
			t.Errorf("found %q at %d, want %q", pdf[place:place+10], place, want)
		}
	}
	stream := regexp.MustCompile(`(?s)/Length (\d+) >>\nstream\n(.*)\nendstream`).FindStringSubmatch(pdf)
	if n, _ := strconv.Atoi(stream[1]); n != len(stream[2]) {
		t.Errorf("the page has %d bytes, and says %s", len(stream[2]), stream[1])
	}
	for _, want := range []string{"/MediaBox [0 0 240 150]", "/BaseFont /Times-Roman"} {
		if !strings.Contains(pdf, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, want := range []string{
		"/F 9 Tf", `(latency \(\265s\)) Tj`, `(a\\\(b\)) Tj`, "(saturated) Tj", "(no result) Tj", "0.902 0.624 0.000 RG",
	} {
		if !strings.Contains(stream[2], want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Count(stream[2], "BT") != strings.Count(stream[2], "ET") || strings.Contains(stream[2], "NaN") ||
		strings.Count(stream[2], "q ") != strings.Count(stream[2], "Q\n") {
		t.Errorf("unbalanced: %s", stream[2])
	}
	if _, err := loads().PaperPDF(Paper{Width: 240, Font: "Comic Sans", Size: 9}); err == nil {
		t.Error("a PDF with a font that no reader has")
	}
}

func TestPaperWidths(t *testing.T) {
	for _, f := range pdfFonts {
		if f.widths != nil && len(f.widths) != '~'-' '+1 {
			t.Errorf("%s: %d widths", f.family, len(f.widths))
		}
	}
	if w := pdfFontLike("Helvetica").width("Ail µ"); w != (667+222+222+278+556)/1000. {
		t.Errorf("width %g", w)
	}
	// marks: a point of each kind and its line of the legend
	for _, c := range []struct {
		kind string
		drop func(p *Point)
	}{{"saturated", func(p *Point) { p.Beyond = false }}, {"no result", func(p *Point) { p.Missing = false }}} {
		without := loads()
		for i := range without.Series[0].Points {
			c.drop(&without.Series[0].Points[i])
		}
		if svg := string(without.PaperSVG(Paper{Width: 300, Font: "Times", Size: 8})); strings.Contains(svg, c.kind) {
			t.Errorf("%s is in the legend without such a point", c.kind)
		}
	}
}

func TestPointsAsCSV(t *testing.T) {
	var b strings.Builder
	if err := loads().CSV(&b); err != nil {
		t.Fatal(err)
	}
	const want = `series,load (share),latency (µs),error,mark
2 VCs,0.1,1,0.1,
2 VCs,0.5,,,no result
2 VCs,0.9,,,saturated
a\(b),0.1,2,,
a\(b),0.5,3.25,,
a\(b),0.9,+Inf,,
2 VCs (reference),0.1,1.5,,
2 VCs (reference),0.5,2,,
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}
