package setup

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/topology"
)

// TestSizedNetworks checks that networks have at least the requested size, and for commonly built
// sizes exactly that size.
func TestSizedNetworks(t *testing.T) {
	kinds := slices.DeleteFunc(
		topology.KindNames(),
		func(kind string) bool { return kind == experiment.KindFile },
	)
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		hosts := rapid.OneOf(rapid.IntRange(leastHosts, 300), rapid.IntRange(leastHosts, mostHosts)).
			Draw(r, "hosts")
		shape, ok := experiment.Sized(kind, hosts)
		if found := experiment.HostsOf(shape); !ok || found < hosts {
			r.Fatalf("%s for %d hosts has %d: %+v", kind, hosts, found, shape)
		}
	})
	for kind, hosts := range map[string]int{
		experiment.KindTorus: 512, experiment.KindFatTree: 128, experiment.KindDragonfly: 72, experiment.KindKaryTree: 64,
	} {
		if shape, _ := experiment.Sized(kind, hosts); experiment.HostsOf(shape) != hosts {
			t.Errorf("%s for %d hosts has %d: %+v", kind, hosts, experiment.HostsOf(shape), shape)
		}
	}
}

// TestInitAsks answers the questions that init asks on a terminal.
func TestInitAsks(t *testing.T) {
	f := func(answers string, want draft) {
		t.Helper()
		var d draft
		var out bytes.Buffer
		if err := d.ask(strings.NewReader(answers), &out); err != nil || d != want {
			t.Errorf("%q: %+v, %v, want %+v\n%s", answers, d, err, want, &out)
		}
	}
	f("\n\n\n", draft{network: "torus", hosts: 64, program: "alltoall"})
	f(
		"dragonfyl\ndragonfly\nmany\n1\n72\ntornado\n",
		draft{network: "dragonfly", hosts: 72, traffic: "tornado"},
	)
	f(
		"file\ncluster.edges\nrecorded\nx.txt\n",
		draft{network: "file", links: "cluster.edges", program: "recorded", recording: "x.txt"},
	)
	d := draft{network: "mesh", hosts: 9}
	if err := d.ask(strings.NewReader(""), io.Discard); err == nil {
		t.Error("no answer was no error")
	}
}
