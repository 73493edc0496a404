package fabric_test

import (
	"math/rand/v2"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
)

// TestRecuts moves routers between blocks after random windows of random experiments. The outcome
// must be that of the oracle, and the invariants of the network must hold after every move.
func TestRecuts(t *testing.T) {
	eachDraw(t, func(t *testing.T, d draw, path newNetwork, few uint64) {
		moved := 0
		for seed := range draws.Seeds(few, 40*few) {
			moved += recuts(t, 60_000_000+seed, d, path)
		}
		// Few draws may have one router each: further ones are drawn until routers have moved.
		for more := 20 * draws.Round(); moved == 0 && more < 20*(draws.Round()+1); more++ {
			moved += recuts(t, 61_000_000+more, d, path)
		}
		if moved == 0 {
			t.Error("nothing was moved")
		}
	})
}

// inCells makes a network in which routers can move.
func inCells(path newNetwork, cells int) newNetwork {
	return func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		spec.Cells = cells
		return path(spec, blocks)
	}
}

// recuts checks an experiment in which routers move at random windows, and returns how often they
// have moved. In between the state is saved and restored in another network.
func recuts(t *testing.T, seed uint64, d draw, path newNetwork) (moves int) {
	t.Helper()
	e := d(seed)
	want, err := experiments.RunOracle(e)
	if err != nil {
		return 0
	}
	r := rand.New(rand.NewPCG(seed, 2))
	blocks, workers, cells := 2+r.IntN(3), 1+r.IntN(3), 1+r.IntN(30)
	path = inCells(path, cells)
	s := newScripted(t, e, blocks, path)
	defer s.network.Close()
	if len(s.parts) == 1 {
		return 0 // there is one router
	}
	for range 1 + r.IntN(8) {
		s.run(t, workers, 1+r.Uint64N(1<<r.IntN(8)))
		s.network.Cells().Recut(randomCuts(r, s.network))
		moves++
		// the room of what is leaving an output buffer comes back when that is over
		if err := s.network.Verify(); err != nil && e.Router.OutputBuffer == 0 {
			t.Fatalf("seed %d, %d blocks, after a move: %v\n%v", seed, blocks, err, e)
		}
	}
	saved := make([]engine.Snapshot, len(s.parts))
	done, cuts := s.save(saved), s.network.Cells().Cuts()
	if text := s.end(t, e, workers, want); text != "" {
		t.Fatalf("seed %d, %d blocks, %d workers, %d cells: %s\n%v", seed, blocks, workers, cells, text, e)
	}
	other := newScripted(t, e, blocks, path)
	defer other.network.Close()
	other.network.Cells().Recut(cuts)
	other.restore(saved, done)
	if text := other.end(t, e, 1+r.IntN(3), want); text != "" {
		t.Fatalf("seed %d, %d blocks, in another network: %s\n%v", seed, blocks, text, e)
	}
	return moves
}

// randomCuts draws which cells each block has.
func randomCuts(r *rand.Rand, n *fabric.Network) []int {
	cuts := n.Cells().Cuts()
	cells := cuts[len(cuts)-1]
	for i := 1; i < len(cuts)-1; i++ {
		cuts[i] = cuts[i-1] + 1 + r.IntN(cells-cuts[i-1]-(len(cuts)-1-i))
	}
	return cuts
}
