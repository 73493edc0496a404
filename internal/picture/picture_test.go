package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
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
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.TorusSpec{Dims: []int{3, 3, 2}}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.FullSpec{Routers: 3, Hosts: 2}, External: []int{0, 3}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.TorusSpec{Dims: []int{40, 50}}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.TorusSpec{Dims: []int{20, 20}}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 2, Hosts: 2}, Outer: topology.FatTreeSpec{Radix: 16, Levels: 3}},
	topology.IrregularSpec{Names: []string{"a & b", "<c>", "d"}, Hosts: []int{1, 0, 2}, Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 1, B: 2}}},
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
		squares, width := checkSVG(t, first.Bytes())
		if width > 1300 {
			t.Errorf("%+v: a picture of %v pixels across, in which text cannot be read", s, width)
		}
		if routers := top.Graph().Routers; routers < 1000 && squares != routers || squares < 1 {
			t.Errorf("%+v: %d squares for %d routers", s, squares, routers)
		}
	}
}

// checkSVG counts the routers' squares, demands that they are inside, and tells the width.
func checkSVG(t *testing.T, text []byte) (squares int, width float64) {
	t.Helper()
	squares = -1 // the background
	var height float64
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return squares, width
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		n := map[string]float64{}
		for _, a := range start.Attr {
			n[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
		}
		switch start.Name.Local {
		case "svg":
			width, height = n["width"], n["height"]
		case "rect":
			squares++
			if n["x"] < 0 || n["y"] < 0 || n["x"] > width || n["y"] > height {
				t.Fatalf("a square at %v,%v is outside %vx%v", n["x"], n["y"], width, height)
			}
		}
	}
}
