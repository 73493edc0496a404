package meter

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/record"
	"fabricast/topology"
)

// TestCoordinatesInHierarchies: routers of random hierarchies have the coordinates of their block
// and then those within it, no two the same, and a link changes only the coordinate of its
// dimension.
func TestCoordinatesInHierarchies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := func(most int, name string) []int {
			return rapid.SliceOfN(rapid.IntRange(2, 4), 1, most).Draw(t, name)
		}
		outer := dims(4, "outer")
		spec := topology.HierarchySpec{
			Outer: topology.TorusSpec{Dims: outer},
			Block: topology.FullSpec{Routers: rapid.IntRange(2, 4).Draw(t, "block"), Hosts: 1},
		}
		if rapid.Bool().Draw(t, "torus blocks") {
			spec.Block = topology.TorusSpec{Dims: dims(2, "block"), Hosts: 1}
		}
		h, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		n, g := describeNetwork(h), h.Graph()
		if len(n.Dims) != len(n.Dimensions) || len(n.Dims) <= len(outer) {
			t.Fatalf("%d dimensions, %d names", len(n.Dims), len(n.Dimensions))
		}
		seen := map[[record.Coordinates]int16]bool{}
		of := func(router int) [record.Coordinates]int16 {
			row := record.Router{C0: -1, C1: -1, C2: -1, C3: -1, C4: -1, C5: -1, C6: -1}
			place(&row, h, router)
			return [record.Coordinates]int16{row.C0, row.C1, row.C2, row.C3, row.C4, row.C5, row.C6}
		}
		for r := range g.Routers {
			at := of(r)
			for d, c := range at {
				if d < len(n.Dims) != (c >= 0) || d < len(n.Dims) && int(c) >= n.Dims[d] {
					t.Fatalf("router %d is at %v in %v", r, at, n.Dims)
				}
			}
			if seen[at] {
				t.Fatalf("two routers are at %v", at)
			}
			seen[at] = true
			for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
				dim, _ := dimensionAndLevel(h, r, int(port-g.PortBase[r]))
				if g.Ports[port].Peer == topology.Unconnected {
					continue
				}
				there := of(g.PeerRouter(int(port)))
				for d := range n.Dims {
					if same := at[d] == there[d]; dim < 0 || d != int(dim) && d < len(outer) && !same ||
						d == int(dim) && same {
						t.Fatalf("a link of dimension %d from %v to %v in %v", dim, at, there, n.Dims)
					}
				}
			}
		}
	})
}
