package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"testing"

	"fabricast/internal/picture"
	"fabricast/topology"
)

var specs = []topology.Spec{
	topology.TorusSpec{Dims: []int{12}, Hosts: 1},
	topology.TorusSpec{Dims: []int{4, 3, 3, 2, 2}, Wrap: []bool{true, false, true, true, false}, Hosts: 2},
	topology.TorusSpec{Dims: []int{40, 30, 20}, Hosts: 1},
	topology.TorusSpec{Dims: []int{5000, 1}, Hosts: 1},
	topology.HyperXSpec{Dims: []int{4, 3, 2}, Hosts: 4},
	topology.HyperXSpec{Dims: []int{50, 50}, Hosts: 1},
	topology.FullSpec{Routers: 1, Hosts: 30},
	topology.FatTreeSpec{Radix: 8, Levels: 3},
	topology.FatTreeSpec{Radix: 48, Levels: 3},
	topology.XGFTSpec{M: []int{2, 3}, W: []int{1, 2}},
	topology.DragonflySpec{P: 2, A: 4, H: 2},
	topology.DragonflySpec{P: 2, A: 12, H: 12},
	topology.DragonflySpec{P: 2, A: 4, H: 2, G: 1},
	topology.DragonflyPlusSpec{P: 2, Leaves: 3, Spines: 2, H: 2},
	topology.SlimFlySpec{Q: 5, Hosts: 4},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{3, 3, 2}},
	},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}},
	},
	topology.HierarchySpec{
		Block:    topology.FullSpec{Routers: 4, Hosts: 2},
		Outer:    topology.FullSpec{Routers: 3, Hosts: 2},
		External: []int{0, 3},
	},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{40, 50}},
	},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{20, 20}},
	},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 2, Hosts: 2},
		Outer: topology.FatTreeSpec{Radix: 16, Levels: 3},
	},
	topology.IrregularSpec{
		Names: []string{"a & b", "<c>", "d"},
		Hosts: []int{1, 0, 2},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 1, B: 2}},
	},
}

// TestDraw demands of every kind of network a well-formed picture of a
// reasonable size, the same each time, with all that is drawn within it.
func TestDraw(t *testing.T) {
	for _, s := range specs {
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		legend := picture.Legend{Title: "Title <1>", Classes: top.LinkClasses()}
		if err := errors.Join(picture.Draw(&first, top, legend), picture.Draw(&second, top, legend)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%+v: two pictures differ", s)
		}
		if first.Len() > 2<<20 {
			t.Errorf("%+v: a picture of %d bytes", s, first.Len())
		}
		squares, width, height := checkSVG(t, first.Bytes())
		if width > 1200 || height > 860 {
			t.Errorf("%+v: a picture of %v x %v pixels, larger than a window", s, width, height)
		}
		checkLegend(t, s, first.String(), top)
		labels := strings.Count(first.String(), `font-size="12" text-anchor="middle"`)
		if grounds := strings.Count(first.String(), `Z" fill="#ffffff"/><text`); grounds != labels {
			t.Errorf("%+v: %d of %d labels have a ground behind which links do not show", s, grounds, labels)
		}
		if routers := top.Graph().Routers; routers < 1000 && squares != routers || squares < 1 {
			t.Errorf("%+v: %d squares for %d routers", s, squares, routers)
		}
	}
}

// checkLegend demands that all classes of links are in the legend, and that groups, blocks and
// levels have names where there is room for all of them.
func checkLegend(t *testing.T, s topology.Spec, text string, top topology.Topology) {
	t.Helper()
	for _, class := range top.LinkClasses() {
		if !strings.Contains(text, ">"+html.EscapeString(class)+"</text>") {
			t.Errorf("%+v: the legend lacks %q", s, class)
		}
	}
	want := map[string]int{}
	switch top := top.(type) {
	case *topology.Dragonfly:
		want["group"] = top.Groups()
	case *topology.DragonflyPlus:
		want["group"] = top.Groups()
	case *topology.SlimFly:
		want["group"] = top.Q()
	case *topology.XGFT:
		want["level"] = top.Levels()
	case *topology.Hierarchy:
		want["block"] = top.Blocks()
	}
	for what, n := range want {
		if n < 2 || n > 20 || top.Graph().Routers >= 1000 {
			continue
		}
		for i := range n {
			if what == "level" {
				i++
			}
			if !strings.Contains(text, fmt.Sprintf(">%s %d</text>", what, i)) {
				t.Errorf("%+v: %s %d has no name", s, what, i)
			}
		}
	}
}

// checkSVG counts the routers' squares, demands that all is inside and that no two texts meet, and
// tells the size.
func checkSVG(t *testing.T, text []byte) (squares int, width, height float64) {
	t.Helper()
	squares = -1 // the background
	var texts [][4]float64
	var at [2]float64
	var anchor string
	inside := false
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return squares, width, height
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if words, ok := token.(xml.CharData); ok && inside {
			texts = append(texts, place(t, at, anchor, string(words), texts, width, height))
		}
		start, ok := token.(xml.StartElement)
		inside = ok && start.Name.Local == "text"
		if !ok {
			continue
		}
		anchor = ""
		for _, a := range start.Attr {
			if a.Name.Local == "text-anchor" {
				anchor = a.Value
			}
		}
		n := map[string]float64{}
		for _, a := range start.Attr {
			n[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
		}
		switch start.Name.Local {
		case "svg":
			width, height = n["width"], n["height"]
		case "text":
			at = [2]float64{n["x"], n["y"]}
		case "rect":
			squares++
			if n["x"] < 0 || n["y"] < 0 || n["x"] > width || n["y"] > height {
				t.Fatalf("a square at %v,%v is outside %vx%v", n["x"], n["y"], width, height)
			}
		}
	}
}

// place is about where a text stands; the test fails if that is outside of the picture, or on
// another text.
func place(
	t *testing.T,
	at [2]float64,
	anchor, words string,
	texts [][4]float64,
	width, height float64,
) [4]float64 {
	t.Helper()
	const letter = 6.0
	long := letter * float64(len(words))
	b := [4]float64{at[0], at[1] - 10, at[0] + long, at[1]}
	if anchor == "middle" {
		b[0], b[2] = at[0]-long/2, at[0]+long/2
	}
	if b[0] < 0 || b[1] < 0 || b[2] > width || b[3] > height {
		t.Errorf("%q stands at %v, outside of %vx%v", words, b, width, height)
	}
	for _, c := range texts {
		if b[0] < c[2] && c[0] < b[2] && b[1] < c[3] && c[1] < b[3] {
			t.Errorf("%q stands on another text", words)
		}
	}
	return b
}

// clubs is a network of a user with two groups of two routers, joined by one link.
type clubs struct{ *topology.Irregular }

func (clubs) Shape() topology.Shape { return topology.GroupRing{Groups: 2, Size: 2} }

// TestOwnShape holds that a network is drawn by the shape that it names.
func TestOwnShape(t *testing.T) {
	line, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d"}, Hosts: []int{1, 1, 1, 1},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 3}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range []topology.Topology{line, clubs{line}} {
		var text bytes.Buffer
		if err := picture.Draw(&text, top, picture.Legend{Classes: top.LinkClasses()}); err != nil {
			t.Fatal(err)
		}
		_, own := top.(clubs)
		if drawn := strings.Contains(text.String(), ">group 1</text>"); drawn != own {
			t.Errorf("%T: groups are drawn: %v", top, drawn)
		}
	}
}
