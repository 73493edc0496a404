package networks

import (
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/report"
	"fabricast/topology"
)

// What is known before a run names no neighbours where there are none.
func TestZeroLoadOfOneRouter(t *testing.T) {
	for _, c := range []struct {
		hosts int
		want  string
		times fabricast.ZeroLoad
	}{
		{1, "there is one host", fabricast.ZeroLoad{}},
		{3, "all hosts are at one router", fabricast.ZeroLoad{Mean: 748_800, Farthest: 748_800}},
	} {
		e := producttest.Torus(1)
		e.Network.Topology = topology.TorusSpec{Dims: []int{1}, Hosts: c.hosts}
		e.Workload = experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: 4}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		if z := p.ZeroLoad; z.Neighbour != 0 || z.Mean != c.times.Mean || z.Farthest != c.times.Farthest {
			t.Errorf("%d hosts: %+v", c.hosts, z)
		}
		var text strings.Builder
		if err := report.Check(&text, p); err != nil {
			t.Fatal(err)
		}
		if got := text.String(); !strings.Contains(got, "one router") || !strings.Contains(got, c.want) ||
			strings.Contains(got, "neighbour") ||
			strings.Contains(got, "1 routers") {
			t.Errorf("%d hosts: %s", c.hosts, got)
		}
	}
}
