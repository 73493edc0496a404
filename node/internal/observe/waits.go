package observe

import (
	"fabricast/node/internal/core"
)

// WaitTimes divides the waits of ranks into time for messages under way, and time for messages that
// were sent late.
type WaitTimes struct {
	world *core.Shared
	By    []waits // by slot; nil if waits are not divided
	alone alone
	// ps: since when a NIC has had the arriving message; 0 if since before the wait
	Posted int64
}

func NewWaitTimes(w *core.Shared, ranks int) WaitTimes {
	t := WaitTimes{world: w, alone: alone{size: -1}}
	if w.Spec.Serialization != nil {
		t.By = make([]waits, ranks)
	}
	return t
}

// waits are sums over a rank's waits (ps), by cause.
type waits struct {
	Network       int64 // ps: for messages under way
	Serialization int64 // ps, of that: as long as the messages' bytes take by themselves
	Messages      uint32
}

// divide, if waits are divided, computes for how much of a wait that began at `since` (ps) the
// message of `size` bytes was under way. A message that arrived before the rank blocked was sent
// before.
func (t *WaitTimes) Divide(r *core.Rank, since, size int64) {
	under := min(r.Clock-since, r.Clock-t.Posted)
	if under <= 0 {
		return
	}
	w := &t.By[t.world.Slot(r.ID)]
	w.Network += under
	w.Messages++
	if size != t.alone.size {
		t.alone.size, t.alone.time = size, t.world.Spec.Serialization(size)
	}
	w.Serialization += min(under, t.alone.time)
}

// DivideTaken does what divide does, for a wait (ps) that ends when the processor takes a message
// sent `sent` ps ago. Its bytes count as processor time.
func (t *WaitTimes) DivideTaken(r *core.Rank, wait, sent int64) {
	w := &t.By[t.world.Slot(r.ID)]
	w.Network += min(wait, sent)
	w.Messages++
}

// alone caches the serialization time of one size: most messages are as long as the one before.
type alone struct{ size, time int64 }
