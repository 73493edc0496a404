package place

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/topology"
)

// fullGrid returns a plan on all hosts of a drawn grid, and flows between random ranks in two periods.
func fullGrid(t *rapid.T) (*problem, *grid) {
	sizes := rapid.SliceOfN(rapid.IntRange(2, 4), 2, 3).Draw(t, "sizes")
	ranks := 1
	for _, n := range sizes {
		ranks *= n
	}
	e := experiment.Experiment{Seed: 7, Ranks: 2 * ranks}
	e.Network.Topology = topology.TorusSpec{Dims: sizes, Hosts: 2}
	e.Mapping.Order = experiment.MappingRandom
	p := planOf(t, e)
	q, _, err := newProblem(p, []Flow{{From: 0, To: 1, Messages: 1, Bytes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	g := gridOf(p, q)
	if g == nil || len(g.cells) != ranks {
		t.Fatalf("the grid of %v is %+v", sizes, g)
	}
	return q, g
}

// TestRearrangements: each is a permutation of the cells, so all hosts stay in use. Snakes go from a cell to
// the next one, and a turn in the usual order changes nothing.
func TestRearrangements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, g := fullGrid(t)
		all := slices.Concat(g.tilts(), g.turns(), []rearrangement{g.snake()}, g.blocks())
		for _, r := range all {
			for c, to := range slices.Sorted(slices.Values(r.to)) {
				if c != to {
					t.Fatalf("%s of %v is no permutation: %v", r.name, g.sizes, r.to)
				}
			}
			if at := g.moved(q, r.to); !slices.Equal(slices.Sorted(slices.Values(at)), slices.Sorted(slices.Values(q.slots))) {
				t.Fatalf("%s changes the hosts in use", r.name)
			}
		}
		path := g.snake().to
		for c := 1; c < len(path); c++ {
			if d := q.hops(g.cells[path[c-1]][0], g.cells[path[c]][0]); d != whole {
				t.Fatalf("the snake of %v jumps %d links after cell %d", g.sizes, d/whole, c)
			}
		}
		if same := g.turns()[0].to; !slices.IsSorted(same) {
			t.Fatalf("%v", same)
		}
	})
}

// TestBestOfEachFamily: Regular returns those with the least sum of the busiest links of both periods, on the
// hosts of the own mapping.
func TestBestOfEachFamily(t *testing.T) {
	const n = 4
	e := experiment.Experiment{Ranks: n * n * n}
	e.Network.Topology = topology.TorusSpec{Dims: []int{n, n, n}}
	p := planOf(t, e)
	var rows, columns []Flow // of a grid of ranks, 8 wide
	for a := range int32(n * n * n) {
		for b := range int32(n * n * n) {
			switch f := (Flow{From: a, To: b, Messages: 1, Bytes: 1000}); {
			case a == b:
			case a/8 == b/8:
				rows = append(rows, f)
			case a%8 == b%8:
				columns = append(columns, f)
			}
		}
	}
	flows, parts := slices.Concat(rows, columns), [][]Flow{rows, columns}
	list, err := Regular(t.Context(), p, flows, parts)
	if err != nil || len(list) != 4 {
		t.Fatalf("%v, %v", list, err)
	}
	q, _, err := newProblem(p, flows)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(hosts []int32) (sum float64) { // all ranks have a host of their own: rank = index of a host
		for _, flows := range parts {
			load := map[int32]float64{}
			for _, f := range flows {
				routes, err := newRoutes(&p.Fabric).between(hosts[f.From], hosts[f.To])
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range routes {
					load[part.link] += float64(f.Bytes*part.share) * q.perByte[part.link] / whole
				}
			}
			most := float64(0)
			for _, l := range load {
				most = max(most, l)
			}
			sum += most
		}
		return sum
	}
	g := gridOf(p, q)
	for i, family := range [][]rearrangement{g.tilts(), g.turns(), {g.snake()}, g.blocks()} {
		found := sum(list[i].Hosts)
		for _, r := range family {
			at := g.moved(q, r.to)
			if hosts := q.found(start{}, at, Cost{}).Hosts; !slices.Equal(at, q.slots) && sum(hosts) < found {
				t.Errorf("%s takes %.0f ps, %s is found with %.0f ps", r.name, sum(hosts), list[i].Start, found)
			}
		}
	}
}

// TestNoGrid: networks without coordinates, and mappings that do not use all hosts, have no rearrangements.
func TestNoGrid(t *testing.T) {
	flows := []Flow{{From: 0, To: 1, Messages: 1, Bytes: 1}}
	for name, e := range map[string]experiment.Experiment{
		"a fat tree":      {Ranks: 16, Network: experiment.Network{Topology: topology.FatTreeSpec{Radix: 4, Levels: 3}}},
		"a part of it":    {Ranks: 8, Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{3, 3}}}},
		"one dimension":   {Ranks: 8, Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{8}}}},
		"unequal numbers": {Ranks: 5, Node: experiment.Node{Ranks: 2}, Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}}},
	} {
		if list, err := Regular(t.Context(), planOf(t, e), flows, nil); err != nil || len(list) > 0 {
			t.Errorf("%s: found %v, %v", name, list, err)
		}
	}
}
