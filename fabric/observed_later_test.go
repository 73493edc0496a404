package fabric_test

import (
	"math/rand/v2"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
)

// TestObservedLater begins to observe random experiments in the middle, or after their state was restored in
// another network, and ends some of these observations before the end, as for a run that is stopped. The outcome
// must be that of the oracle.
func TestObservedLater(t *testing.T) {
	for seed := range draws.Seeds(100, 10_000) {
		e := experiments.DrawStreams(85_000_000 + seed)
		want, err := experiments.RunOracle(e)
		if err != nil {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 0x6c61746572))
		blocks, workers := 1+r.IntN(4), 1+r.IntN(3)
		s := newScripted(t, e, blocks, withShortStreams)
		s.run(t, workers, 1+r.Uint64N(1<<r.IntN(8)))
		if r.IntN(2) == 0 {
			saved := make([]engine.Snapshot, len(s.parts))
			done := s.save(saved)
			s.network.Close()
			s = newScripted(t, e, blocks, withShortStreams)
			s.restore(saved, done)
		}
		s.network.Observe(fabric.Observation{Causes: r.IntN(2) == 0, Sink: &notes{}})
		if r.IntN(2) == 0 {
			s.run(t, workers, 1+r.Uint64N(1<<r.IntN(8)))
			s.network.EndObservation(fabric.Forever)
		}
		if text := s.end(t, e, workers, want); text != "" {
			t.Fatalf("seed %d, %d blocks: %s\n%v", seed, blocks, text, e)
		}
		s.network.Close()
	}
}
