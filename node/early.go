package node

import "fabricast/fabric"

// A message is announced (Delivered) before it is in memory. If its receive has been posted by then,
// nothing that can happen in between changes what it meets: it met that receive in any case, and a
// wait for the receive ends at the time of the arrival, which is known. So it meets the receive at
// once, while the message and the receive are in the cache, and the host is not woken for it. This is
// done for receives that their ranks do not wait for yet, of programs that call Ops.Pause.

// meetEarly lets a message that will be in memory at the time `at` (ps) meet its receive now. It
// returns false, and changes nothing, if the outcome is not certain or the rank waits for it.
func (b *Block) meetEarly(r *rank, slot int32, id fabric.MsgID, at int64) bool {
	// a rank that uses wildcards has other bits set, too
	if r.shapes != isPatient || !b.early || r.arrivals != 0 || b.watching.watchers != nil {
		return false
	}
	m := b.transport.Message(id)
	if m.Flags != eager || m.Payload != 0 {
		return false
	}
	index, q := b.matching.takeEarly(r, key{slot, m.Context, m.SrcRank, m.Tag}, m.Size)
	if index == 0 {
		return false
	}
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.delivered(b.shared.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	b.transport.Release(id)
	b.requests.setSize(q, m.Size)
	q.completeAt(at)
	return true
}
