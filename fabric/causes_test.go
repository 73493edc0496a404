package fabric_test

import (
	"slices"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
)

// dividing returns networks that divide the latencies of messages by cause.
func dividing(path newNetwork) newNetwork {
	return func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		n, err := path(spec, blocks)
		if err == nil {
			n.Observe(fabric.Observation{Causes: true, Sink: &notes{}})
		}
		return n, err
	}
}

// TestCausesAgainstOracle compares the parts of every message's latency with those of the oracle, which
// checks that they sum to the latency.
func TestCausesAgainstOracle(t *testing.T) {
	compareMany(t, 3000, 100, draw(experiments.Draw).from(50_000_000), dividing(fabric.New))
	compareMany(t, 20, 1, draw(experiments.DrawHeavy).from(50_000_000), dividing(fabric.New))
	compareMany(t, 3000, 100, draw(experiments.DrawStreams).from(50_000_000), dividing(fabric.New))
	compareMany(t, 300, 20, shared(draw(experiments.Draw).from(50_000_000)), dividing(fabric.New))
}

// TestCausesOfSwitches checks that on the general path, too, the parts of every message sum to its
// latency, and none is negative.
func TestCausesOfSwitches(t *testing.T) {
	f := func(seed uint64, e *experiments.Experiment) {
		outcome, err := simulate(e, int(seed%3)+1, 1, dividing(fabric.NewGeneral))
		if err != nil {
			return // TestGeneralAgainstOracle reports errors
		}
		for i, fate := range outcome.Fates {
			if fate.Delivered == experiments.Unknown {
				continue
			}
			parts := &outcome.Parts[i]
			if sum := parts.Sum(); sum != fate.Delivered-fate.Post || slices.Min(parts[:]) < 0 {
				t.Fatalf("seed %d: message %d with the fate %+v: parts %d\n%v", seed, i, fate, *parts, e)
			}
		}
	}
	for seed := range draws.Seeds(60, 2000) {
		f(seed, experiments.DrawGeneral(51_000_000+seed))
		f(seed, experiments.DrawShaped(51_000_000+seed))
	}
}
