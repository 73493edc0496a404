package cmpi

import (
	"math"
	"sync/atomic"
	"time"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// order puts what ranks print into the order of simulated time, then of ranks.
type order struct {
	earliest *int64 // ps: of what is held back
}

// InOrder has what ranks print written in the order of simulated time and, at one time, of ranks, so that it is the same
// in every run and for any number of workers. It is held back until no rank can print anything earlier, but for no more
// than some seconds and 64 MiB: then it is written as it is. The function that it returns writes
// what is left, and is to be called after the run.
func (j *Job) InOrder() (end func()) {
	j.order = &order{j.host.HoldOutput()}
	tick, done := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				host.ReleaseOldOutput()
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		host.ReleaseOutput(math.MaxInt64)
	}
}

// pass writes what nobody can print anything earlier than any more.
func (o *order) pass(ops *node.Ops) {
	earliest := atomic.LoadInt64(o.earliest)
	if earliest == math.MaxInt64 {
		return
	}
	if gvt := ops.GVT(); gvt > earliest {
		host.ReleaseOutput(gvt)
	}
}
