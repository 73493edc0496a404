package fabric_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/draws"
	"fabricast/internal/holders"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
)

// hops collects the hops of a run.
type hops struct {
	notes
	lock sync.Mutex
	list []fabric.Hop
}

func (h *hops) Hop(_ int, hop *fabric.Hop) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.list = append(h.list, *hop)
}

// holdersOf runs an experiment on the engine, and returns who held what its messages waited for. Hops are
// forgotten as soon as possible, after every n-th.
func holdersOf(e *experiments.Experiment, blocks, workers, every int, path newNetwork) (
	held map[oracle.Held]int64, outcome *experiments.Outcome, err error,
) {
	var all hops
	logging := func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		n, err := path(spec, blocks)
		if err == nil {
			n.Observe(fabric.Observation{Causes: true, Hops: true, Sink: &all})
		}
		return n, err
	}
	outcome, err = simulate(e, blocks, workers, logging)
	if err != nil {
		return nil, nil, err
	}
	spec, err := e.Spec()
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(all.list, func(a, b fabric.Hop) int { return holders.Compare(&a, &b) })
	horizons := holders.NewHorizons(every)
	for i := range all.list {
		horizons.Add(all.list[i].Stage, all.list[i].Ready, all.list[i].Asked)
	}
	horizons.End()
	held = map[oracle.Held]int64{}
	f := holders.New(&spec, horizons, func(w *holders.Wait) {
		held[oracle.Held{
			Message: w.Message.Message, Holder: w.Holder.Message, Part: w.Part, Link: w.Message.Link,
			HolderLink: w.Holder.Link,
		}] += w.Time
	})
	for i := range all.list {
		f.Take(&all.list[i])
	}
	return held, outcome, nil
}

// TestHoldersAgainstOracle compares who holds what messages wait for with the answer of the oracle, and
// the sums with the parts of the messages' latencies.
func TestHoldersAgainstOracle(t *testing.T) {
	holdersAgree(t, 3000, 60, draw(experiments.Draw).from(60_000_000), fabric.New)
	holdersAgree(t, 1000, 30, draw(experiments.DrawStreams).from(60_000_000), fabric.New)
	holdersAgree(t, 300, 20, shared(draw(experiments.Draw).from(60_000_000)), fabric.New)
}

// TestHoldersInSwitches does the same on the general path.
func TestHoldersInSwitches(t *testing.T) {
	holdersAgree(t, 3000, 60, draw(experiments.DrawGeneral).from(61_000_000), fabric.New)
	holdersAgree(t, 3000, 60, draw(experiments.DrawShaped).from(61_000_000), fabric.New)
	holdersAgree(t, 3000, 30, draw(experiments.DrawClassed).from(61_000_000), fabric.New)
}

func holdersAgree(t *testing.T, many, few uint64, d draw, path newNetwork) {
	t.Helper()
	drawn, skipped := 0, 0
	for seed := range draws.Seeds(few, many) {
		e := d(seed)
		blocks, workers, every := int(seed%4)+1, int(seed/4%4)+1, int(seed%7)+1
		text, skips := heldDifferently(e, blocks, workers, every, path)
		if drawn++; skips {
			skipped++
		}
		if text == "" {
			continue
		}
		small := experiments.Shrink(e, func(e *experiments.Experiment) bool {
			text, _ := heldDifferently(e, blocks, workers, every, path)
			return text != ""
		})
		least, _ := heldDifferently(small, blocks, workers, every, path)
		t.Fatalf("seed %d, %d blocks, forgets every %d hops: %s\nshrunk: %s\n%v",
			seed, blocks, every, text, least, small)
	}
	if skipped > drawn/2 {
		t.Errorf("%d of %d experiments have not been compared", skipped, drawn)
	}
}

// heldDifferently describes how the engine, which forgets hops after every n-th, and the oracle differ in who
// holds what; "" if they agree. It skips experiments that the oracle refuses, and those that get stuck.
func heldDifferently(
	e *experiments.Experiment, blocks, workers, every int, path newNetwork,
) (text string, skips bool) {
	want, err := experiments.HoldersOfOracle(e)
	if err != nil {
		return "", true
	}
	got, outcome, err := holdersOf(e, blocks, workers, every, path)
	if err != nil {
		return "the engine fails: " + err.Error(), false
	}
	if outcome.Stuck {
		return "", true
	}
	for _, key := range slices.Concat(keysOf(want), keysOf(got)) {
		if want[key] != got[key] {
			return fmt.Sprintf("%+v: %d ps, want %d ps", key, got[key], want[key]), false
		}
	}
	return sumsDiffer(got, outcome), false
}

func keysOf(held map[oracle.Held]int64) (keys []oracle.Held) {
	for key := range held {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b oracle.Held) int {
		return slices.Compare(
			[]int64{a.Message, int64(a.Part), int64(a.Link), a.Holder, int64(a.HolderLink)},
			[]int64{b.Message, int64(b.Part), int64(b.Link), b.Holder, int64(b.HolderLink)})
	})
	return keys
}

// sumsDiffer compares the waits of all messages with the parts of their latencies. The waits for one router's
// ports are compared in sum: which port a packet waits for first may depend on the order in which several
// packets request it at one instant, or on what a router remembers.
func sumsDiffer(held map[oracle.Held]int64, outcome *experiments.Outcome) string {
	var got, want causes.Parts
	for key, time := range held {
		got[key.Part] += time
	}
	parts := outcome.Parts
	if parts == nil {
		parts = outcome.AtStarts
	}
	for i := range parts {
		want.Add(&parts[i])
	}
	for _, group := range [][]causes.Part{
		{causes.NICQueue},
		{causes.InjectionCredit},
		{causes.Order},
		{causes.ReceiveNIC},
		{causes.Output, causes.Crossbar, causes.Credit, causes.Ejection},
	} {
		g, w := int64(0), int64(0)
		for _, part := range group {
			g, w = g+got[part], w+want[part]
		}
		if g != w {
			return fmt.Sprintf("%v: %d ps, want %d ps", group, g, w)
		}
	}
	return ""
}
