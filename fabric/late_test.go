package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/invariants"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
)

// TestHeldNotices checks that it makes no difference when a block processes what other blocks have sent,
// as long as it does so before anything takes effect. In a third of the experiments each router is a block.
func TestHeldNotices(t *testing.T) {
	for seed := range draws.Seeds(100, 20_000) {
		e := streamsDraw(seed)(60_000_000 + seed)
		if text := held(e, seed, streamsOf(seed)); text != "" {
			small := experiments.Shrink(e, func(e *experiments.Experiment) bool { return held(e, seed, streamsOf(seed)) != "" })
			t.Fatalf("seed %d: %s\nshrunk: %s\n%v", seed, text, held(small, seed, streamsOf(seed)), small)
		}
	}
}

// streamsDraw draws links of one rate for half of the seeds, and of several for the others.
func streamsDraw(seed uint64) draw {
	if seed/2%2 == 0 {
		return experiments.DrawStreams
	}
	return experiments.DrawRates
}

// streamsOf allows streams of any number of packets for half of the seeds.
func streamsOf(seed uint64) newNetwork {
	if seed%2 == 0 {
		return withShortStreams
	}
	return fabric.New
}

// held describes how the engine and the oracle differ where blocks process everything as late as they may.
func held(e *experiments.Experiment, seed uint64, path newNetwork) string {
	want, err := experiments.RunOracle(e)
	if err != nil {
		return ""
	}
	blocks := int(2 + seed%3)
	if seed%3 == 0 {
		blocks = 1 << 10 // one for each router
	}
	got, err := simulateBlocks(e, blocks, 1, path, (*fabric.Network).HeldBlocks)
	if err != nil {
		return err.Error()
	}
	return experiments.Diff(e, want, got)
}

// TestNoSlack checks that none of the delays by which streams affect other routers and blocks could be any
// longer: 1 ps more changes some result, or breaks the run.
func TestNoSlack(t *testing.T) {
	first := map[string]uint64{ // seeds that show it; without one the search begins at 0
		"fewer packets": 31, "less credit": 20, "fewer packets to another block": 10, "notice of fewer packets": 60,
		"departures to another block": 14, "notice of fewer departures": 11,
		"fewer departures to another block": 591, // a departure then lacks credit at once
	}
	for _, d := range fabric.Delays() {
		t.Run(d.Name, func(t *testing.T) {
			if d.Checked && !invariants.Enabled {
				t.Skip("only an invariant shows it: timers are not set to the past")
			}
			late := func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
				n, err := withShortStreams(spec, blocks)
				if err == nil {
					n.Delay(d, 1)
				}
				return n, err
			}
			for seed := first[d.Name]; seed < first[d.Name]+500; seed++ {
				e := experiments.DrawStreams(61_000_000 + seed)
				if seed%2 == 0 {
					shortHops(e, seed)
				}
				if text := disagreement(e, 1, 1, late); text != "" {
					t.Logf("one block, seed %d: %.120s", seed, text)
					return
				}
				if text := held(e, seed, late); text != "" {
					t.Logf("several blocks, seed %d: %.120s", seed, text)
					return
				}
			}
			t.Error("no experiment shows the difference")
		})
	}
}

// shortHops makes the hops of an experiment take two or three ps. Windows are no longer then, so that each
// time is often the last one of its window.
func shortHops(e *experiments.Experiment, seed uint64) {
	r := &e.Router
	r.Routing, r.VCAllocation, r.SwitchAllocation, r.SwitchTraversal, r.Latency = 0, 0, 0, 0, 0
	e.Link.Latency = units.Time(2 + seed/2%2)
}
