package recording

import (
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// TestResolvedExperimentsKeepReports: what the check for deadlock finds is kept for a resolved
// experiment and its copies, and for all experiments of a document, but not between others.
func TestResolvedExperimentsKeepReports(t *testing.T) {
	reports := func(e fabricast.Experiment) any {
		r, err := experiment.Resolve(experiment.Experiment(e))
		if err != nil {
			t.Fatal(err)
		}
		return r.Reports()
	}
	e := fabricast.Experiment{Workload: experiment.Workload{Program: "barrier"}}
	e.Network.Topology = topology.TorusSpec{Dims: []int{3}}
	other := e
	for _, each := range []*fabricast.Experiment{&e, &other} {
		if err := each.Resolve(); err != nil {
			t.Fatal(err)
		}
	}
	again := e
	again.Seed = 7
	if reports(e) != reports(again) || reports(e) == reports(other) {
		t.Error("a copy has other reports, or another experiment the same")
	}
	preview, err := e.Preview()
	if err != nil {
		t.Fatal(err)
	}
	if reports(e) != reports(*preview.Experiment) {
		t.Error("the experiment of a preview has other reports")
	}
	document, err := fabricast.OpenDocument("../../../examples/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := document.Set("seed=7")
	if err != nil {
		t.Fatal(err)
	}
	one, err := document.Experiment()
	if err != nil {
		t.Fatal(err)
	}
	two, err := changed.Experiment()
	if err != nil {
		t.Fatal(err)
	}
	if reports(*one) != reports(*two) || reports(*one) == reports(e) {
		t.Error("experiments of a document have other reports, or another experiment the same")
	}
}
