package whatif

import (
	"context"
	"testing"

	"fabricast"
	"fabricast/experiment"
)

// TestSameNetwork: a path tells the effect of a change of links, with the buffers that follow them,
// but not that of buffers alone, or of what routers do.
func TestSameNetwork(t *testing.T) {
	base := load(t, "network.link.bandwidth=1GB/s")
	for set, want := range map[string]bool{
		"network.link.bandwidth=1GB/s":     true,
		"network.link.bandwidth=4GB/s":     true,
		"network.link.latency=3us":         true, // the default of buffers follows the round trip
		"node.overhead=1us":                true,
		"engine.workers=2":                 true,
		"network.router.buffer=1MiB":       false,
		"network.packet.mtu=512B":          false,
		"network.routing.algorithm=ugal-l": false,
		"ranks=4":                          false,
	} {
		changed := load(t, set)
		if got := SameNetwork(base, changed); got != want {
			t.Errorf("%s: the same network: %t", set, got)
		}
	}
}

// load loads a small dragonfly with an assignment.
func load(t *testing.T, set string) *experiment.Experiment {
	t.Helper()
	const text = "network: {topology: {kind: dragonfly, p: 2, a: 2, h: 1}, link: {bandwidth: 1GB/s}}\n" +
		"workload: {program: barrier}\n"
	e, err := fabricast.Parse("test.yaml", text, set)
	if err != nil {
		t.Fatal(err)
	}
	return (*experiment.Experiment)(e)
}

// TestFewerJobs: an experiment without one of its jobs runs, of whatever kind the others are.
func TestFewerJobs(t *testing.T) {
	e, err := fabricast.Parse("jobs.yaml", "network: {topology: {dims: [5, 4]}}\njobs:\n"+
		"  - {name: a, ranks: 4, traffic: {load: 10%, size: 300B}}\n"+
		"  - {name: b, ranks: 3, workload: {program: ring, size: 1KiB}}\n"+
		"  - {name: c, ranks: 2, workload: {program: pingpong, size: 1KiB}}\n")
	if err != nil {
		t.Fatal(err)
	}
	list := fewerJobs((*experiment.Experiment)(e))
	if len(list) != len(e.Jobs) {
		t.Fatalf("%d experiments", len(list))
	}
	for _, a := range list {
		changed := fabricast.Experiment(a.Experiment)
		if _, err := changed.Run(context.Background(), fabricast.Workers(1)); err != nil {
			t.Errorf("%s: %v", a.Change, err)
		}
	}
}
