package plan

import (
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/topology"
)

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
