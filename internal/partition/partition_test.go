package partition

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/needed"
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

// TestPartitions checks that every block of every partition has a router, that blocks are not much
// heavier than necessary, and that Assess counts the links between blocks.
func TestPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		network := drawNetwork(t)
		g := network.Graph()
		blocks := rapid.IntRange(1, min(8, g.Routers)).Draw(t, "blocks")
		heaviest := int64(0)
		for r := range int32(g.Routers) {
			heaviest = max(heaviest, weight(g, r))
		}
		lists := map[string][]int32{"topology": ByTopology(network, blocks)}
		for _, m := range []Method{Own, Metis, Scotch} { // ByGraph uses Own for missing libraries
			lists[string(m)] = ByGraph(g, nil, blocks, m)
			if !slices.Equal(lists[string(m)], ByGraph(g, nil, blocks, m)) {
				t.Fatalf("%s of %s cuts otherwise when it cuts again", m, network.Kind())
			}
		}
		for by, list := range lists {
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
			if cut, _, _ := Assess(g, nil, list, blocks); blocks == 1 && cut != 0 {
				t.Fatalf("%d links are cut by one block", cut)
			}
		}
	})
}

// TestCutsOfTori compares the number of cut links with that of boxes: 8 blocks of an 8x8x8 torus
// are cubes of 4x4x4, each with 6 faces of 16 links to other blocks.
func TestCutsOfTori(t *testing.T) {
	torus, err := topology.NewTorus([]int{8, 8, 8}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if cut, balance, neighbours := Assess(torus.Graph(), nil, ByTopology(torus, 8), 8); cut != 8*6*16 ||
		balance != 1 ||
		neighbours != 3 {
		t.Errorf("boxes: %d links, balance %v, %d neighbours", cut, balance, neighbours)
	}
	for _, m := range []Method{Own, Metis, Scotch} {
		cut, balance, _ := Assess(torus.Graph(), nil, ByGraph(torus.Graph(), nil, 8, m), 8)
		if cut > 8*6*16*5/4 || balance < 0.9 {
			t.Errorf("%s: %d links, balance %v", m, cut, balance)
		}
	}
}

// TestCutsOfHyperX checks that an 8x8 HyperX in 4 blocks is cut three times across the same
// dimension. Cutting across both dimensions would cost more: 3 of 4 hops in one dimension leave a
// slab, but half of the hops in each of two dimensions leave a quarter.
func TestCutsOfHyperX(t *testing.T) {
	network, err := topology.NewHyperX(topology.HyperXSpec{Dims: []int{8, 8}, Hosts: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := ByTopology(network, 4)
	for r, block := range list {
		if want := int32(topology.Coordinates(network, r, nil)[1] / 2); block != want {
			t.Errorf("router %d is in block %d, not %d", r, block, want)
		}
	}
}

// TestLibraries checks that METIS and Scotch are used if installed, and that the best of the three
// partitions is at least as good as each: on a 13x7x11 torus, and on a dragonfly.
func TestLibraries(t *testing.T) {
	torus, err := topology.NewTorus([]int{13, 7, 11}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	dragonfly, err := topology.NewDragonfly(topology.DragonflySpec{P: 2, A: 8, H: 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []topology.Topology{torus, dragonfly} {
		for _, blocks := range []int{2, 5, 16} {
			n := netOf(network.Graph(), nil)
			list, by := Best(network.Graph(), nil, blocks)
			if !slices.Equal(list, ByGraph(network.Graph(), nil, blocks, by)) {
				t.Errorf("%s in %d blocks: the best is another than that of %s", network.Kind(), blocks, by)
			}
			for _, m := range Methods() {
				if err := m.Missing(); err != nil {
					needed.Missing(t, err)
				}
				if cut := m.cut(n, blocks); cut == nil || n.busiest(cut, blocks) < n.busiest(list, blocks) {
					t.Errorf("%s in %d blocks by %s: %v is better than the best", network.Kind(), blocks, m, cut)
				}
			}
		}
	}
}

// TestWeightsOfLibraries checks that no library fails on a node that outweighs all others, and that
// weights beyond 32 bits are scaled.
func TestWeightsOfLibraries(t *testing.T) {
	torus, err := topology.NewTorus([]int{8, 8}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	n := netOf(torus.Graph(), nil)
	n.weights[5] = 1 << 50
	for i := range n.links {
		n.links[i] <<= 33
	}
	for _, m := range Methods() {
		if m.Missing() != nil {
			continue
		}
		for blocks := 2; blocks <= 8; blocks++ {
			if m.cut(n, blocks) == nil {
				t.Errorf("%s makes no %d blocks", m, blocks)
			}
		}
	}
}

// TestDemand partitions a ring in which part of the routers sends nearly all traffic. Blocks must
// get equal traffic, and be cut where there is little traffic.
func TestDemand(t *testing.T) {
	ring, err := topology.NewTorus([]int{64}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := ring.Graph()
	demand := make([]float64, len(g.Ports))
	for p := range demand {
		if demand[p] = 1; g.Ports[p].Router < 16 && g.Ports[p].Router%8 != 7 {
			demand[p] = 1000
		}
	}
	for _, m := range Methods() {
		if m.Missing() != nil {
			continue
		}
		list := ByGraph(g, demand, 2, m)
		if _, balance, _ := Assess(g, demand, list, 2); balance < 0.95 {
			t.Errorf("%s: balance %v", m, balance)
		}
		crossing := 0.0
		for p := range demand {
			if peer := g.PeerRouter(p); peer >= 0 && list[peer] != list[g.Ports[p].Router] {
				crossing += demand[p]
			}
		}
		if crossing > 1002+2 { // two cut links, one with a busy output
			t.Errorf("%s: %v crosses: %v", m, crossing, list)
		}
	}
}

// TestGroupsStayWhole checks that ByTopology cuts no group of a dragonfly.
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

// TestFiles checks that a file's parts convert to any number of blocks, and that errors name the
// line.
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
		for r := range list { // parts stay whole in blocks, or blocks whole in parts
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

// halls is a user-defined network with two groups: routers with even and with odd IDs.
type halls struct{ *topology.Irregular }

func (halls) Group(router int) int { return router % 2 }

// TestOwnGroups checks that a network is cut between the groups that it defines.
func TestOwnGroups(t *testing.T) {
	line, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d"}, Hosts: []int{1, 1, 1, 1},
		Edges: []topology.Edge{{A: 0, B: 2}, {A: 2, B: 1}, {A: 1, B: 3}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if list := ByTopology(halls{line}, 2); !slices.Equal(list, []int32{0, 1, 0, 1}) {
		t.Error(list)
	}
	if list := ByTopology(line, 2); list != nil {
		t.Error(list)
	}
}
