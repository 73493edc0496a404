package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
)

// TestBusAgainstOracle is TestAgainstOracle where several NICs of every host share a bus.
func TestBusAgainstOracle(t *testing.T) {
	compareMany(t, 500, 40, shared(draw(experiments.Draw).from(5_000_000)), fabric.New)
}

// TestBusAgainstOracleHeavy does the same with networks that are full for long.
func TestBusAgainstOracleHeavy(t *testing.T) {
	compareMany(t, 20, 1, shared(draw(experiments.DrawHeavy).from(5_000_000)), fabric.New)
}

// TestGeneralBusAgainstOracle does it with general switches.
func TestGeneralBusAgainstOracle(t *testing.T) {
	compareMany(t, 500, 60, shared(draw(experiments.DrawGeneral).from(6_000_000)), fabric.New)
}

// TestBusBlocksAgree is TestBlocksAgree with buses.
func TestBusBlocksAgree(t *testing.T) { blocksAgree(t, shared(experiments.Draw)) }

// shared lets d draw until there are several NICs, and gives them a bus that is slower than all
// of them together.
func shared(d draw) draw {
	return func(seed uint64) *experiments.Experiment {
		e := d(seed)
		for again := seed; e.NICs == 1; e = d(again) {
			again += 10_000_019
		}
		if e.IOBus.Bandwidth == 0 {
			e.IOBus.Latency = units.Time(int64(seed%3) * 1017)
		}
		if most := e.DMA * int64(e.NICs); e.IOBus.Bandwidth == 0 || int64(e.IOBus.Bandwidth) >= most {
			e.IOBus.Bandwidth = units.Rate(most/2 + 1)
		}
		return e
	}
}

// TestBusThatNobodyWaitsFor: a bus that one of two NICs uses, as fast as that and without latency,
// changes nothing. (What follows at once from the fetch of a message without bytes may come in
// another order, and NICs that take turns choose a message when they ask for the bus.)
func TestBusThatNobodyWaitsFor(t *testing.T) {
	for seed := range uint64(150) {
		e := experiments.Draw(7_000_000 + seed)
		if e.NICs > 1 {
			continue
		}
		e.NICs, e.Turns, e.Control = 2, false, false
		for i := range e.Messages {
			m := &e.Messages[i]
			m.Src, m.Dst, m.Size = 2*m.Src, 2*m.Dst, max(1, m.Size)
		}
		path := newNetwork(fabric.New)
		if seed%2 == 0 {
			path = fabric.NewGeneral
		}
		e.IOBus = fabric.IOBus{}
		want, err := simulate(e, 1, 1, path)
		if err != nil {
			t.Fatal(err)
		}
		e.IOBus.Bandwidth = units.Rate(e.DMA * int64(1+seed%3))
		got, err := simulate(e, 1, 1, path)
		if err != nil {
			t.Fatal(err)
		}
		if text := experiments.Diff(e, want, got); text != "" {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
}
