package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSVG(t *testing.T) {
	c := Chart{
		Title: "latency & load <1>", X: Axis{Title: "offered load"}, Y: Axis{Title: "latency (ns)", Log: true},
		Series: []Series{
			{Name: "2 VCs", Points: []Point{{X: 0.1, Y: 20, Error: 1}, {X: 0.5, Y: 40}, {X: 0.9, Y: math.Inf(1)}}},
			{Name: "reference", Points: []Point{{X: 0.1, Y: 21}, {X: 0.2, Y: math.NaN()}}, Dashed: true},
		},
	}
	svg := string(c.SVG())
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for _, want := range []string{"latency &amp; load &lt;1&gt;", "offered load", "latency (ns)", "2 VCs: 0.5, 40", "reference", "stroke-dasharray"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a point that is not finite is drawn:\n%s", svg)
	}
}

func TestTicks(t *testing.T) {
	f := func(a Axis, values []float64, want ...float64) {
		t.Helper()
		got := a.scale(values, false).ticks()
		if !slices.EqualFunc(
			got,
			want,
			func(a, b float64) bool { return math.Abs(a-b) < 1e-9*math.Abs(b)+1e-12 },
		) {
			t.Errorf("%v: ticks %v, want %v", values, got, want)
		}
	}
	f(Axis{}, []float64{0.05, 0.95}, 0, 0.2, 0.4, 0.6, 0.8, 1)
	f(Axis{}, []float64{90, 101}, 90, 92, 94, 96, 98, 100, 102)
	f(Axis{Min: 0, Max: 3}, []float64{7}, 0, 0.5, 1, 1.5, 2, 2.5, 3)
	f(Axis{Log: true}, []float64{10, 1000, 0, -1}, 10, 100, 1000)
	f(Axis{Log: true}, []float64{64, 512}, 64, 128, 256, 512)
	f(Axis{}, nil, 0, 0.2, 0.4, 0.6, 0.8, 1)
	f(Axis{}, []float64{5}, 4.5, 5, 5.5)
	f(Axis{Log: true}, []float64{900_000, 1_300_000}, 900_000, 1_000_000, 1_100_000, 1_200_000, 1_300_000)
}

// TestBeyond demands that each point above a chart has a mark at its upper edge, at its place from left
// to right, and no part in the vertical axis, which begins at 0.
func TestBeyond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Chart{Beyond: "saturated"}
		want := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "series") {
			s := Series{Name: fmt.Sprint("series ", i)}
			for x := range rapid.IntRange(1, 9).Draw(t, "points") {
				p := Point{X: float64(x), Y: rapid.Float64Range(700, 900).Draw(t, "y")}
				if p.Beyond = rapid.Bool().Draw(t, "beyond"); p.Beyond {
					p.Y = rapid.SampledFrom([]float64{0, 1e9, math.Inf(1)}).Draw(t, "y of no account")
					want++
				}
				s.Points = append(s.Points, p)
			}
			c.Series = append(c.Series, s)
		}
		svg := string(c.SVG())
		if want > 0 {
			want++ // in the legend
		}
		if got := strings.Count(svg, `class="beyond"`); got != want {
			t.Fatalf("%d marks, want %d", got, want)
		}
		if c.yRange.low != 0 || c.yRange.high > 1000 {
			t.Fatalf("the axis is from %g to %g", c.yRange.low, c.yRange.high)
		}
	})
}
