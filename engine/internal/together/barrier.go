package together

import (
	"runtime"
	"sync/atomic"
	"time"

	"fabricast/internal/osyield"
)

// Barrier is a reusable barrier for a fixed number of workers.
type Barrier struct {
	arrived    atomic.Int32
	_          [60]byte
	generation atomic.Uint32
}

// A worker that waits first spins, checking spins times (about 20 us), unless there are more workers
// than processors. Then it yields to other goroutines and threads between two checks. After yields of
// those, or when they have taken longer than on an idle machine (given), it sleeps for nap between
// two checks.
//
// Spinning alone would be fastest on an idle machine, but makes a run many times slower if another
// process uses the same cores. If there are more workers than processors, the worker that is waited
// for may itself be waiting for the processor of this one in Go's scheduler, which yielding to
// threads does not release.
const (
	spins  = 10_000
	yields = 500
	given  = time.Millisecond
	nap    = 20 * time.Microsecond
)

// processors is how many goroutines run at the same time.
var processors = runtime.GOMAXPROCS(0)

// Wait returns when all n workers have called it.
func (b *Barrier) Wait(n int) {
	if n == 1 {
		return
	}
	g := b.generation.Load()
	if int(b.arrived.Add(1)) == n {
		b.arrived.Store(0)
		b.generation.Add(1)
		return
	}
	if n <= processors {
		for range spins {
			if b.generation.Load() != g {
				return
			}
		}
	}
	begin := time.Now() // on a busy machine, others may run for long after each yield
	for i := 0; b.generation.Load() == g; i++ {
		if i < yields && time.Since(begin) < given {
			runtime.Gosched()
			osyield.Yield()
		} else {
			time.Sleep(nap)
		}
	}
}
