package plot_test

import (
	"fmt"
	"strings"

	"fabricast/plot"
)

// A chart is an SVG picture.
func ExampleChart_SVG() {
	c := plot.Chart{
		Title: "Latency",
		X:     plot.Axis{Title: "load"},
		Y:     plot.Axis{Title: "latency (ns)", Log: true},
		Series: []plot.Series{
			{Name: "2 VCs", Points: []plot.Point{{X: 0.1, Y: 24}, {X: 0.5, Y: 51}, {X: 0.9, Y: 300}}},
		},
	}
	picture := string(c.SVG())
	fmt.Println(strings.HasPrefix(picture, "<svg"), strings.Contains(picture, "latency (ns)"))
	// Output: true true
}
