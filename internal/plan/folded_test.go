package plan

import (
	"slices"
	"strings"
	"testing"

	"fabricast/experiment"
	"fabricast/topology"
)

// TestFoldedRings: with the mapping "folded" neighbours on a virtual ring are one link apart, its
// ends included, and every host has a rank.
func TestFoldedRings(t *testing.T) {
	e, err := experiment.Resolve(experiment.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{
			Dims: []int{4, 3, 2, 2}, Wrap: []bool{false, false, false, false},
		}},
		Mapping:  experiment.Mapping{Order: experiment.MappingFolded},
		Workload: experiment.Workload{Program: "barrier"},
	})
	if err != nil {
		t.Fatal(err)
	}
	network, err := e.Spec().Build(1)
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := hostsOfRanks(e, network)
	if err != nil {
		t.Fatal(err)
	}
	const x, y = 8, 6
	seen := map[int32]bool{}
	for r, h := range hosts {
		seen[h] = true
		for _, next := range []int{r/x*x + (r+1)%x, (r + x) % (x * y)} {
			if d := network.Distance(int(h), int(hosts[next])); d != 1 {
				t.Errorf("ranks %d and %d, hosts %d and %d, are %d links apart", r, next, h, hosts[next], d)
			}
		}
	}
	if len(hosts) != x*y || len(seen) != x*y {
		t.Errorf("%d ranks are on %d hosts of %d", len(hosts), len(seen), x*y)
	}
}

// TestFoldedAxes: with mapping.axes the rings come in another order, and are folded otherwise.
func TestFoldedAxes(t *testing.T) {
	place := func(axes ...int) ([]int32, error) {
		e, err := experiment.Resolve(experiment.Experiment{
			Network: experiment.Network{Topology: topology.TorusSpec{
				Dims: []int{2, 3, 1, 2}, Wrap: []bool{false, false, false, false},
			}},
			Mapping:  experiment.Mapping{Order: experiment.MappingFolded, Axes: axes},
			Workload: experiment.Workload{Program: "barrier"},
		})
		if err != nil {
			return nil, err
		}
		network, err := e.Spec().Build(1)
		if err != nil {
			return nil, err
		}
		return hostsOfRanks(e, network)
	}
	// Host numbers are x + 2y + 6v, v the fourth dimension. The first ring has y and v, the second x.
	got, err := place(1, 3, 0, 2)
	if want := []int32{0, 2, 4, 10, 8, 6, 1, 3, 5, 11, 9, 7}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ranks are on hosts %v (%v), expected %v", got, err, want)
	}
	for _, axes := range [][]int{{0, 1, 2}, {0, 1, 2, 2}, {1, 2, 3, 4}, {0, 1, 2, 3, 0, 1}} {
		if _, err := place(axes...); err == nil || !strings.Contains(err.Error(), "mapping.axes") {
			t.Errorf("axes %v: %v", axes, err)
		}
	}
}

// TestFoldedNeedsPairs: other networks are refused.
func TestFoldedNeedsPairs(t *testing.T) {
	for _, spec := range []topology.Spec{
		topology.TorusSpec{Dims: []int{4, 3, 2}, Hosts: 1},
		topology.TorusSpec{Dims: []int{4, 2}, Hosts: 2},
		topology.FullSpec{Routers: 4, Hosts: 1},
	} {
		e, err := experiment.Resolve(experiment.Experiment{
			Network:  experiment.Network{Topology: spec},
			Mapping:  experiment.Mapping{Order: experiment.MappingFolded},
			Workload: experiment.Workload{Program: "barrier"},
		})
		if err != nil {
			t.Fatal(err)
		}
		network, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hostsOfRanks(e, network); err == nil ||
			!strings.Contains(err.Error(), "found folded, expected a torus or mesh of an even number") {
			t.Errorf("%+v: %v", spec, err)
		}
	}
}

// TestFoldedSnake: a ring of four dimensions and one of two, as in jobs whose rings are longer than
// an axis: neighbours are one link apart, the ends included.
func TestFoldedSnake(t *testing.T) {
	e, err := experiment.Resolve(experiment.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{
			Dims: []int{3, 4, 2, 2, 2, 2}, Wrap: make([]bool, 6),
		}},
		Mapping: experiment.Mapping{
			Order: experiment.MappingFolded, Axes: []int{0, 3, 1, 5, 2, 4}, Rings: []int{2, 4},
		},
		Workload: experiment.Workload{Program: "barrier"},
	})
	if err != nil {
		t.Fatal(err)
	}
	network, err := e.Spec().Build(1)
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := hostsOfRanks(e, network)
	if err != nil {
		t.Fatal(err)
	}
	const x, y = 6, 32
	for r, h := range hosts {
		for _, next := range []int{r/x*x + (r+1)%x, (r + x) % (x * y)} {
			if d := network.Distance(int(h), int(hosts[next])); d != 1 {
				t.Errorf("ranks %d and %d, hosts %d and %d, are %d links apart", r, next, h, hosts[next], d)
			}
		}
	}
	for _, rings := range [][]int{{2, 2}, {2, 5}, {0, 6}} {
		e.Mapping.Rings = rings
		if _, err := hostsOfRanks(e, network); err == nil || !strings.Contains(err.Error(), "mapping.rings") {
			t.Errorf("rings of %v: %v", rings, err)
		}
	}
}
