package whatif

import (
	"context"
	"errors"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/why"
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

// TestAlgorithms: the other algorithms of a collective are tried in each job that is this collective, and in no
// other; each is accepted or refused as a field, and the experiment itself stays as it is.
func TestAlgorithms(t *testing.T) {
	e, err := fabricast.Parse("jobs.yaml", "network: {topology: {dims: [5, 4]}}\njobs:\n"+
		"  - {name: a, ranks: 4, workload: {program: alltoall, size: 300B, algorithm: bruck}}\n"+
		"  - {name: b, ranks: 3, workload: {program: pingpong, size: 1KiB}}\n"+
		"  - {name: c, ranks: 5, workload: {program: alltoall, size: 300B, algorithm: ring}}\n")
	if err != nil {
		t.Fatal(err)
	}
	path := &why.Path{Segments: []why.Segment{{Time: 1, Message: &why.Message{Collective: "alltoall"}}}}
	changes := map[string]bool{}
	for _, a := range algorithms(path, (*experiment.Experiment)(e)) {
		changes[a.Change] = true
		changed := fabricast.Experiment(a.Experiment)
		var refused *fabricast.ConfigError
		if _, err := changed.Run(context.Background(), fabricast.Workers(1)); err != nil && !errors.As(err, &refused) {
			t.Errorf("%s: %v", a.Change, err)
		}
	}
	for change, tried := range map[string]bool{
		"alltoall by ring in job a": true, "alltoall by bruck in job a": false, "alltoall by bruck in job c": true,
		"alltoall by ring in job c": false, "alltoall by ring in job b": false, "alltoall by ring": false,
	} {
		if changes[change] != tried {
			t.Errorf("%s: %v, expected %v, of %v", change, changes[change], tried, changes)
		}
	}
	if a, c := e.Jobs[0].Workload.Algorithm, e.Jobs[2].Workload.Algorithm; a != "bruck" || c != "ring" {
		t.Errorf("the experiment has become one of %s and %s", a, c)
	}
}
