package plan

import (
	"testing"

	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// TestPlansLeaveTheirExperiment: what the network decides, the number of virtual channels and the
// algorithm, stands in the plan's own experiment. The resolved one stays as it was, whatever the
// network, and two plans of it are the same. Reports of the check for deadlock are made once where
// they are kept.
func TestPlansLeaveTheirExperiment(t *testing.T) {
	decided := 0
	for _, network := range []topology.Spec{
		topology.TorusSpec{Dims: []int{3, 3}},
		topology.FatTreeSpec{Radix: 4, Levels: 2},
		topology.DragonflySpec{P: 1, A: 3, H: 1},
		topology.SlimFlySpec{Q: 3, Hosts: 1},
	} {
		for _, algorithm := range []routing.Spec{
			nil, routing.MinimalOptions{}, routing.ShortestOptions{}, routing.ValiantOptions{}, routing.UGALLOptions{},
		} {
			e := experiment.Experiment{Workload: experiment.Workload{Program: "barrier"}}
			e.Network.Topology, e.Network.Routing = network, algorithm
			r, err := experiment.Resolve(e)
			if err != nil {
				t.Fatal(err)
			}
			if planLeaves(t, r) {
				decided++
			}
			planLeaves(t, r.KeepingReports())
		}
	}
	if decided == 0 {
		t.Error("no network has decided anything")
	}
}

// planLeaves checks plans of an experiment, and reports whether its network decides the number of virtual channels.
func planLeaves(t *testing.T, r *experiment.Resolved) (decides bool) {
	t.Helper()
	before, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	first, err := Build(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(r)
	if err != nil {
		t.Fatal(err)
	}
	after, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Fatalf("the plan has changed its experiment from\n%s\nto\n%s", before, after)
	}
	n := &first.Experiment.Network
	if n.Router.VCs != first.Fabric.Router.VCs || n.Router.VCs != again.Fabric.Router.VCs ||
		first.RoutingName() != again.RoutingName() {
		t.Fatalf(
			"%d virtual channels in the experiment, %d and %d in plans",
			n.Router.VCs, first.Fabric.Router.VCs, again.Fabric.Router.VCs,
		)
	}
	if kept := r.Reports() != nil; kept != (first.Deadlock == again.Deadlock) {
		t.Fatalf("reports are kept: %v, but the second is the first: %v", kept, !kept)
	}
	return n.Router.VCs != r.Network.Router.VCs
}
