package whatif

import (
	"testing"

	"fabricast"
	"fabricast/experiment"
)

func TestAssignment(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", "network: {topology: {dims: [4]}, link: {bandwidth: 8GB/s, latency: 3ps}}\nworkload: {program: barrier}\n")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"network.link.bandwidth=+10%":      "network.link.bandwidth=8.8GB/s",
		"network.link.latency=-50%":        "network.link.latency=2ps",
		"node.overhead=+0.05%":             "node.overhead=200.1ns",
		"network.link.bandwidth=9GB/s":     "network.link.bandwidth=9GB/s",
		"workload.algorithm=dissemination": "workload.algorithm=dissemination",
		"network.link.bandwith=+10%":       "network.link.bandwith=+10%", // refused when it is set
		"network.topology.dims=+1%":        "",
		"network.link.bandwidth":           "",
	} {
		got, err := Assignment((*experiment.Experiment)(e), text)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s (%v), want %s", text, got, err, want)
		}
	}
}
