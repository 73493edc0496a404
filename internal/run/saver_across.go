package run

import (
	"sync/atomic"

	"fabricast/engine"
	"fabricast/internal/cluster"
)

// sizeOf returns the number of processes of a group; g is nil for one process.
func sizeOf(g cluster.Group) int { return max(1, several(g)) }

// asks is called when the engine has stopped. It combines the requests of all processes: whether to
// write a checkpoint, and whether the run ends with it. failed is true if the run has ended for
// another reason. All processes must call it at the same point of the run. v may be nil.
func (v *saver) asks(halted *atomic.Bool, failed bool) (wants, last bool) {
	if v == nil {
		return false, false
	}
	values := []int64{0, 0, 0}
	for i, is := range []bool{v.wants.Load(), v.ends.Load(), failed || halted.Load()} {
		if is {
			values[i] = -1
		}
	}
	if cluster.Several(v.group) {
		v.group.Least(values)
	}
	if values[1] < 0 {
		v.ends.Store(true)
	}
	return values[0]+values[1] < 0 && values[2] == 0, values[1] < 0
}

// agree makes all processes return an error if the checkpoint failed in any of them.
func (v *saver) agree(err error) error {
	if cluster.Any(v.group, err != nil) && err == nil {
		return engine.ErrElsewhere
	}
	return err
}
