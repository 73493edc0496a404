package ethernet

import (
	"math/rand/v2"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/draws"
	"fabricast/topology"
)

// TestIdle: a message alone arrives when Idle says, in networks drawn over all settings, if the queue
// before a slow link does not overflow.
func TestIdle(t *testing.T) {
	compared := 0
	for seed := range draws.Seeds(60, 5_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		spec := drawSpec(t, r)
		spec.NIC.Control = control.Make(control.NoneOptions{})
		spec.NIC.Paths = paths.Make(paths.ECMPOptions{})
		spec.NIC.Timeout = 1 << 40
		spec.Changes, spec.Epochs = nil, nil
		for i := range spec.Links { // all ways take the same time
			if i != int(topology.LinkHost) {
				spec.Links[i] = spec.Links[0]
			}
		}
		f := drawFlows(r, &spec)[0]
		f.start = 0
		n, _, got := simulate(t, spec, []flow{f}, 1)
		if c := n.Counts(); c.Again > 0 || c.Pauses > 0 || spec.NIC.Retransmission == GoBackN && c.OutOfOrder > 0 {
			continue
		}
		idle, err := NewIdle(spec)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := idle.Time(f.src, f.dst, f.size)
		if got[0] != want {
			t.Errorf("seed %d: %+v arrives after %d ps, expected %d", seed, f, got[0], want)
		}
		compared++
	}
	if compared == 0 {
		t.Error("every message lost packets")
	}
}
