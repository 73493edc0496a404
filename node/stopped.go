package node

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// A host that goes down takes its ranks with it (Spec.Stops). A rank stops at its first operation that
// would begin when its host is down. A rank that ends later than its host has not ended.

// stopped reports whether a rank's next operation would begin when its host is down.
func (b *Block) stopped(r *core.Rank) bool {
	stops := b.shared.Spec.Stops
	return stops != nil && max(r.Clock, b.schedule.Now) >= stops[r.Host]
}

// stop ends a rank with its host.
func (b *Block) stop(r *core.Rank) { r.State = model.Failed }

// end handles the end of a rank's program.
func (b *Block) end(r *core.Rank) {
	if b.stopped(r) {
		b.programs.running[b.shared.Slot(r.ID)] = nil
		b.stop(r)
		return
	}
	b.programs.exit(r)
}

// discards discards a message that reaches a host at the time `at` (ps), and reports true, if the host
// is down.
func (b *Block) discards(host int32, id fabric.MsgID, at int64) bool {
	stops := b.shared.Spec.Stops
	if stops == nil || at < stops[host] {
		return false
	}
	if m := b.transport.Message(id); m.Payload != 0 && core.KindOf(m) == core.EagerMessage {
		b.shared.Payloads.Drop(m.Payload)
	}
	b.transport.Release(id)
	return true
}

// stoppedFor reports whether a rank that has not ended is on a host that goes down.
func (w *World) stoppedFor(id int32, state model.Kind) bool {
	stops := w.shared.Spec.Stops
	return stops != nil && state != model.Exit && stops[w.shared.HostOf[id]] != fabric.Forever
}

// Stopped reports whether ranks have stopped with their hosts. It must be called when no event is left,
// after Deadlock if several processes share the world.
func (w *World) Stopped() bool {
	if w.shared.Spec.Stops == nil {
		return false
	}
	for id := range w.shared.HostOf {
		if _, state, _, found := w.stand(int32(id), unanswered{}); found && w.stoppedFor(int32(id), state) {
			return true
		}
	}
	return false
}
