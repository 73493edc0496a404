package engine

import (
	"sync/atomic"
	"time"

	"fabricast/internal/osyield"
)

// barrier lets a fixed number of workers wait for one another, again and again.
type barrier struct {
	arrived    atomic.Int32
	_          [60]byte
	generation atomic.Uint32
}

// A worker that waits looks spins times (about 20 us), then lets other threads
// run between two looks, and after yields of those, or when that has taken the time
// that it takes on an idle machine, sleeps between two looks.
// Spinning alone would be fastest on an idle machine, but with another process
// on the same cores it makes a run many times slower. Sleeping lets go of the
// processor in the eyes of Go's scheduler too, which yielding does not: with more
// workers than processors, and whenever the garbage collector wants all
// goroutines to stop, whom the worker waits for may be waiting for the worker.
const (
	spins  = 10_000
	yields = 500
	given  = time.Millisecond
	nap    = 20 * time.Microsecond
)

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
	for range spins {
		if b.generation.Load() != g {
			return
		}
	}
	begin := time.Now() // on a busy machine, others may run for long after each yield
	for i := 0; b.generation.Load() == g; i++ {
		if i < yields && time.Since(begin) < given {
			osyield.Yield()
		} else {
			time.Sleep(nap)
		}
	}
}
