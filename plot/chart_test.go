package plot

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	c := Chart{
		Title: "latency & load <1>", X: Axis{Title: "offered load"}, Y: Axis{Title: "latency (ns)", Log: true},
		Series: []Series{
			{Name: "2 VCs", Points: []Point{{0.1, 20, 1}, {0.5, 40, 0}, {0.9, math.Inf(1), 0}}},
			{Name: "reference", Points: []Point{{0.1, 21, 0}, {0.2, math.NaN(), 0}}, Dashed: true},
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
		got := a.scale(values).ticks()
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
