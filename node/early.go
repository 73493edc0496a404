package node

import "fabricast/fabric"

// A message is announced (Delivered) before it is in memory. If its receive has been posted by then,
// nothing that can happen in between changes what it meets: it met that receive in any case, and a
// wait for the receive ends at the time of the arrival, which is known. So it meets the receive at
// once, while the message and the receive are in the cache, and the host is not woken for it. This is
// done for receives that their ranks do not wait for yet, of programs that call Ops.Pause.

// isPatient, in rank.shapes, marks a rank whose program does not depend on the order in which its
// receives complete, see Ops.Pause.
const isPatient = 1 << 7

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
	b.stats.delivered(b.world.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	b.transport.Release(id)
	b.requests.setSize(q, m.Size)
	q.completeAt(at)
	return true
}

// takeEarly does what takePosted does, of a rank without wildcards. It takes no receive that the rank
// waits for or watches, that wants contents, or into which a message of the size does not fit.
func (m *matching) takeEarly(r *rank, k key, size int64) (uint32, *receive) {
	if r.queues[0].only() {
		return 0, nil // which its rank waits for, or will soon
	}
	first, place := m.firstPosted(r, k)
	if first == 0 {
		return 0, nil
	}
	q := m.requests.receives.at(first)
	if q.awaited() || q.extent&isWide != 0 || size > int64(q.extent) {
		return 0, nil
	}
	m.dropPosted(r, place, first)
	return first, q
}

// foreseen reports whether a receive is complete at a time to which its rank's clock has yet to come.
func (q *request) foreseen(r *rank) bool { return q.complete() && !q.send() && q.done > r.clock }

// settlesLater reports whether a rank that begins a WaitAll has to wait for a receive that is
// foreseen. It need not if that is the only receive: if it waits for others, too, those that arrive
// earlier are charged earlier.
func (o *Ops) settlesLater(q *request, all []Request) bool {
	if !q.foreseen(o.rank) {
		return false
	}
	receives := 0
	for _, id := range all {
		if id.ID != 0 && isReceiveID(id.ID) {
			receives++
		}
	}
	return receives > 1
}
