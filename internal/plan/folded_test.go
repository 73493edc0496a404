package plan

import (
	"strings"
	"testing"

	"fabricast/internal/experiment"
	"fabricast/topology"
)

// TestFoldedRings: with the mapping "folded" neighbours on a virtual ring are one link apart, its
// ends included, and every host has a rank.
func TestFoldedRings(t *testing.T) {
	e, err := experiment.Resolve(experiment.Experiment{
		Network: experiment.Network{Topology: experiment.Topology{
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

// TestFoldedNeedsPairs: other networks are refused.
func TestFoldedNeedsPairs(t *testing.T) {
	for _, spec := range []topology.Spec{
		topology.TorusSpec{Dims: []int{4, 3, 2}, Hosts: 1},
		topology.TorusSpec{Dims: []int{4, 2}, Hosts: 2},
		topology.FullSpec{Routers: 4, Hosts: 1},
	} {
		e, err := experiment.Resolve(experiment.Experiment{
			Network:  experiment.Network{Topology: experiment.Topology{Custom: spec}},
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
		if _, err := hostsOfRanks(e, network); err == nil || !strings.Contains(err.Error(), "found folded, expected a torus or mesh of an even number") {
			t.Errorf("%+v: %v", spec, err)
		}
	}
}
