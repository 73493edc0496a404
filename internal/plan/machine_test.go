package plan

import (
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/topology"
)

// On nodes that are networks, collectives know which hosts are a node, and how fast it is: 450 GB/s of
// NVLink, and eight NICs of 50 GB/s.
func TestMachineKnowsNodes(t *testing.T) {
	var e experiment.Experiment
	e.Network.Topology = topology.NodesSpec{
		Count: 2, Unit: 2, Planes: 1, Block: topology.XGFTSpec{M: []int{1, 8}, W: []int{1, 1}},
		Outer: topology.XGFTSpec{M: []int{2, 8}, W: []int{1, 2}},
	}
	e.Network.Link.Bandwidth = 50e9
	e.Network.Links = map[string]experiment.Link{"block": {Bandwidth: 450e9}}
	e.Ranks, e.Workload = 16, experiment.Workload{Program: "barrier"}
	e.Mapping.Order = experiment.MappingRandom
	r, err := experiment.Resolve(e)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build(r)
	if err != nil {
		t.Fatal(err)
	}
	l := p.Machine().World()
	if want := (collective.Rates{Within: 450_000, Between: 400_000}); l.Seats.Rates != want {
		t.Errorf("rates %+v, want %+v", l.Seats.Rates, want)
	}
	for node, ranks := range l.Seats.Members {
		for seat, rank := range ranks {
			if host := p.Hosts[rank]; int(host)%8 != seat || host/8 != p.Hosts[ranks[0]]/8 || len(ranks) != 8 {
				t.Errorf("node %d, seat %d: host %d of %d", node, seat, host, len(ranks))
			}
		}
	}
}

// An algorithm that needs to know the machine is refused where it cannot run, with its place, and runs
// elsewhere.
func TestAlgorithmsFitTheMachine(t *testing.T) {
	torus := topology.TorusSpec{Dims: []int{4, 4}, Hosts: 2}
	dragonfly := topology.DragonflySpec{P: 2, A: 4, H: 2}
	for _, c := range []struct {
		network   topology.Spec
		ranks     int
		program   string
		algorithm string
		override  string
		want      string // "": it is accepted
	}{
		{torus, 32, "allreduce", "swing", "", ""},
		{torus, 8, "allreduce", "bucket/ports=1", "", ""},
		{torus, 7, "allreduce", "swing", "", "workload.algorithm: found swing on routers with different numbers of ranks"},
		{torus, 10, "allreduce", "bucket", "", "found bucket on ranks that leave gaps in the box around them"},
		{torus, 32, "barrier", "groups", "", "found groups on a network without groups, expected a network with groups of routers"},
		{dragonfly, 72, "barrier", "groups", "", ""},
		{dragonfly, 72, "allreduce", "swing", "", "found swing on a network that is no grid"},
		{dragonfly, 72, "allreduce", "ring", "swing", "collectives.allreduce: found swing on a network that is no grid"},
	} {
		e := experiment.Experiment{Ranks: c.ranks}
		e.Network.Topology = c.network
		e.Workload = experiment.Workload{Program: c.program, Algorithm: c.algorithm}
		if c.program != "barrier" {
			e.Workload.Size = 8
		}
		for i, one := range e.Collectives.Each() {
			if c.override != "" && string(collective.Kinds()[i]) == c.program {
				one.Algorithm = c.override
			}
		}
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Build(r)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s on %d ranks: %v, want %q", c.algorithm, c.ranks, err, c.want)
		}
	}
}
