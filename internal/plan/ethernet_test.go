package plan

import (
	"strings"
	"testing"

	"fabricast/experiment"
)

func TestEthernetIsRefused(t *testing.T) {
	var e experiment.Experiment
	e.Network.Topology, e.Network.Router.Buffers = torus(4, 4), experiment.BuffersLossy
	e.Workload.Program, e.Workload.Size = "pingpong", 8
	want := "network.router.buffers: found lossy, expected credits (networks that lose or pause packets"
	if _, err := Build(resolved(t, e)); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
