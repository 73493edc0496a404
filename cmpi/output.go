package cmpi

import (
	"math"
	"sync/atomic"
	"time"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/panics"
	"fabricast/node"
)

// order sorts the output of ranks by simulated time, then by rank.
type order struct {
	earliest *int64 // ps: time of the earliest output held back
	job      *Job
}

// InOrder makes the output of ranks appear in the order of simulated time, then of ranks, so that
// it is the same in every run with any number of workers. Output is held back until no rank can
// print anything earlier, but at most for some seconds and 64 MiB. The function that it returns
// writes the rest; it must be called after the run.
func (j *Job) InOrder() (end func()) {
	j.order = &order{j.host.HoldOutput(), j}
	tick, done := time.NewTicker(time.Second), make(chan struct{})
	panics.Go("output of programs", func() {
		for {
			select {
			case <-tick.C:
				j.watched(host.ReleaseOldOutput)
			case <-done:
				return
			}
		}
	})
	return func() {
		tick.Stop()
		close(done)
		j.watched(func() { host.ReleaseOutput(math.MaxInt64) })
	}
}

// passOutput sends what the ranks of this process have printed, in all jobs, to the process that writes the output. It
// does nothing in that process, or if output is not sorted by time.
func (j *Job) passOutput() {
	if j.abroad.world.Process() > 0 && atomic.LoadInt64(j.abroad.earliest) != math.MaxInt64 {
		j.watched(j.sendOutput)
	}
}

// pass writes output once no rank can print anything earlier.
func (o *order) pass(ops *node.Ops) {
	earliest := atomic.LoadInt64(o.earliest)
	if earliest == math.MaxInt64 || o.job.abroad != nil && o.job.abroad.world.Process() > 0 {
		return
	}
	if gvt := ops.GVT(); gvt > earliest {
		o.job.watched(func() { host.ReleaseOutput(gvt) })
	}
}
