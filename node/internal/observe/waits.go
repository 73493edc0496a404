package observe

import (
	"fabricast/node/internal/core"
)

// WaitTimes divides the waits of ranks into time during which the awaited message was in flight,
// and time before it was sent.
type WaitTimes struct {
	world *core.Shared
	By    []waits // by slot; nil if waits are not divided
	alone alone
	// Posted is the time (ps) at which a NIC received the arriving message for sending; 0 if that
	// was before the wait.
	Posted int64
}

func NewWaitTimes(w *core.Shared, ranks int) WaitTimes {
	t := WaitTimes{world: w, alone: alone{size: -1}}
	if w.Spec.Serialization != nil {
		t.By = make([]waits, ranks)
	}
	return t
}

// waits are the totals of a rank's waits (ps), by cause.
type waits struct {
	Network       int64 // ps: the awaited message was in flight
	Serialization int64 // ps, part of Network: the time that the messages' bytes take on their own
	Messages      uint32
}

// Divide computes, for a wait that started at `since` (ps), how long the awaited message of `size`
// bytes was in flight, and adds this to the totals. A message that arrived before the rank blocked
// counts as sent before the wait.
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

// DivideTaken is like Divide for a wait (ps) that ends when the processor takes a message that was
// sent `sent` ps ago. The time of its bytes counts as processor time.
func (t *WaitTimes) DivideTaken(r *core.Rank, wait, sent int64) {
	w := &t.By[t.world.Slot(r.ID)]
	w.Network += min(wait, sent)
	w.Messages++
}

// alone caches the serialization time of one size, because most messages have the same size as the
// previous one.
type alone struct{ size, time int64 }
