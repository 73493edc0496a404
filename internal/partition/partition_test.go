package partition

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// drawNetwork draws a small network of any regular kind.
func drawNetwork(t *rapid.T) topology.Topology {
	n := func(from, to int, what string) int { return rapid.IntRange(from, to).Draw(t, what) }
	var made topology.Topology
	var err error
	switch n(0, 3, "kind") {
	case 0:
		made, err = topology.NewTorus([]int{n(2, 6, "x"), n(2, 6, "y"), n(1, 4, "z")}, nil, n(1, 2, "NICs"))
	case 1:
		made, err = topology.NewXGFT(
			topology.XGFTSpec{
				M: []int{n(1, 4, "m"), n(2, 4, "m"), n(2, 4, "m")},
				W: []int{1, n(1, 3, "w"), n(1, 3, "w")},
			},
			1,
		)
	case 2:
		made, err = topology.NewDragonfly(
			topology.DragonflySpec{P: n(1, 2, "p"), A: n(2, 4, "a"), H: n(1, 2, "h")},
			1,
		)
	default:
		made, err = topology.NewHyperX(topology.HyperXSpec{Dims: []int{n(2, 4, "x"), n(2, 4, "y")}, Hosts: 1}, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestPartitions holds that every block of every partition has a router, that no block weighs much
// more than it must, and that a cut counts the links between blocks.
func TestPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		network := drawNetwork(t)
		g := network.Graph()
		blocks := rapid.IntRange(1, min(8, g.Routers)).Draw(t, "blocks")
		heaviest := int64(0)
		for r := range int32(g.Routers) {
			heaviest = max(heaviest, weight(g, r))
		}
		for by, list := range map[string][]int32{
			"topology": ByTopology(network, blocks), "graph": ByGraph(g, blocks),
		} {
			if list == nil && by == "topology" {
				continue
			}
			if len(list) != g.Routers || slices.Min(list) != 0 || whole(list, blocks) == nil {
				t.Fatalf("%s of %s: %v are not %d blocks", by, network.Kind(), list, blocks)
			}
			if by == "topology" && network.Kind() != "torus" && network.Kind() != "hyperx" {
				continue // whole groups and pods may be uneven
			}
			weights, total := make([]int64, blocks), int64(0)
			for r, b := range list {
				weights[b] += weight(g, int32(r))
				total += weight(g, int32(r))
			}
			if most := slices.Max(weights); most > total/int64(blocks)*11/10+3*heaviest {
				t.Fatalf("%s of %s: weights %v", by, network.Kind(), weights)
			}
			if cut, _, _ := Assess(g, list, blocks); blocks == 1 && cut != 0 {
				t.Fatalf("%d links are cut by one block", cut)
			}
		}
	})
}

// TestCutsOfTori holds the links cut against those of boxes: a torus of 8x8x8 in 8 blocks is 8 cubes
// of 4x4x4, each with 6 faces of 16 links to others.
func TestCutsOfTori(t *testing.T) {
	torus, err := topology.NewTorus([]int{8, 8, 8}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if cut, balance, neighbours := Assess(torus.Graph(), ByTopology(torus, 8), 8); cut != 8*6*16 ||
		balance != 1 ||
		neighbours != 3 {
		t.Errorf("boxes: %d links, balance %v, %d neighbours", cut, balance, neighbours)
	}
	if cut, balance, _ := Assess(torus.Graph(), ByGraph(torus.Graph(), 8), 8); cut > 8*6*16*5/4 ||
		balance < 0.9 {
		t.Errorf("graph: %d links, balance %v", cut, balance)
	}
}

// TestGroupsStayWhole holds that the topology's partition of a dragonfly cuts no group.
func TestGroupsStayWhole(t *testing.T) {
	d, err := topology.NewDragonfly(topology.DragonflySpec{P: 2, A: 4, H: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := ByTopology(d, 4)
	for r := range list {
		if list[r] != list[r/4*4] {
			t.Fatalf("%v cuts a group of 4 routers", list)
		}
	}
	if ByTopology(d, 10) != nil {
		t.Error("9 groups make 10 blocks")
	}
}

// TestFiles: parts of files become any number of blocks, and mistakes are told with their line.
func TestFiles(t *testing.T) {
	torus, err := topology.NewTorus([]int{4, 4}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for r := range 16 {
		fmt.Fprintln(&text, r%4, "# router", r)
	}
	parts, err := Read("parts", text.String(), 16)
	if err != nil {
		t.Fatal(err)
	}
	for blocks := 1; blocks <= 16; blocks++ {
		list := parts.Blocks(torus.Graph(), blocks)
		if list == nil {
			t.Fatalf("%d blocks: none", blocks)
		}
		for r := range list { // routers of a part stay together, or parts of a block
			if blocks <= 4 && list[r] != list[r%4] || blocks == 8 && list[r]/2 != int32(r%4) {
				t.Errorf("%d blocks: router %d is in %d", blocks, r, list[r])
			}
		}
	}
	for text, want := range map[string]string{
		"0\n1\nx\n": `parts:3`, "0\n": "found 1 parts, expected one for each of the 4 routers", "0\n0\n0\n4\n": "a number from 0 to 3",
	} {
		if _, err := Read("parts", text, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
