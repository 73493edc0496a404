package fabric_test

import (
	"testing"

	"fabricast/fabric"
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

// TestCausesOfSwitchesAgainstOracle does the same on the general path, which divides waits when packets
// start.
func TestCausesOfSwitchesAgainstOracle(t *testing.T) {
	compareMany(t, 3000, 100, draw(experiments.DrawGeneral).from(51_000_000), dividing(fabric.NewGeneral))
	compareMany(t, 20, 1, draw(experiments.DrawGeneralHeavy).from(51_000_000), dividing(fabric.NewGeneral))
	compareMany(t, 3000, 100, draw(experiments.DrawShaped).from(51_000_000), dividing(fabric.NewGeneral))
	compareMany(t, 1000, 30, draw(experiments.Draw).from(51_000_000), dividing(fabric.NewGeneral))
	compareMany(t, 3000, 60, draw(experiments.DrawClassed).from(51_000_000), dividing(fabric.New))
}

// TestMessageNumbers: messages that are sent at one time differ in their numbers if they differ in their ends,
// tags or sizes.
func TestMessageNumbers(t *testing.T) {
	known := map[int64][4]int32{}
	for i := range int32(8 * 8 * 8 * 8) {
		m := [4]int32{i & 7, i >> 3 & 7, i>>6&7 - 1, i >> 9}
		number := fabric.MessageNumber(m[0], m[1], m[2], int64(m[3]), 128_514_400)
		if other, found := known[number]; found {
			t.Fatalf("messages %v and %v have the number %d", m, other, number)
		}
		known[number] = m
	}
}
