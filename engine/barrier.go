package engine

import (
	"sync/atomic"

	"fabricast/internal/osyield"
)

// barrier lets a fixed number of workers wait for one another, again and again.
type barrier struct {
	arrived    atomic.Int32
	_          [60]byte
	generation atomic.Uint32
}

// spins is how often a worker looks before it lets other threads run (about 20
// us). Spinning alone would be fastest on an idle machine, but with another
// process on the same cores it makes a run many times slower.
const spins = 10_000

// wait returns when all n workers have called it.
func (b *barrier) wait(n int) {
	if n == 1 {
		return
	}
	g := b.generation.Load()
	if int(b.arrived.Add(1)) == n {
		b.arrived.Store(0)
		b.generation.Add(1)
		return
	}
	for i := 0; b.generation.Load() == g; i++ {
		if i >= spins {
			osyield.Yield()
		}
	}
}
