package node

import "fabricast/fabric"

// mostAhead is the most ranks of a block that go on ahead of their time: the records of more do not stay in the cache, and
// are loaded ahead for Wake.
const mostAhead = 2048

// meetAhead, where hosts are simple, lets a message that will be in memory at a time (ps) meet its receive now if the host's rank is blocked until
// just that happens; it returns false if it is not. Nothing else can happen to the rank before: messages come to the NIC in order, it
// has no timer, and all that the NIC has read of its sends is known. So it goes on as it would when woken
// then, without a timer and a visit of its router, which take as long as many messages take otherwise.
func (b *Block) meetAhead(host int32, id fabric.MsgID, at int64) bool {
	slot := b.world.slotAt[host]
	r := &b.ranks[slot]
	first := r.queues[0]
	if r.state != WaitAll || !first.only() || r.events|r.arrivals != 0 || b.waking != nobody {
		return false
	}
	m := b.transport.Message(id)
	q := b.receives.at(first.element())
	if !q.waited() || m.Flags != eager || !q.fits(key{slot, m.Context, m.SrcRank, m.Tag}) || b.reader.Reading(host) {
		return false
	}
	b.now, b.waking = at, host
	r.queues[0] = queue{}
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.in(m.Context)
	b.delivered(b.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	u := unexpected{at: at, size: m.Size, slot: slot, source: m.SrcRank, tag: m.Tag, context: m.Context, payload: m.Payload}
	b.transport.Release(id)
	b.meet(r, first.element(), q, &u)
	if r.state != failed && b.arrived(r, q) {
		b.run(r, slot)
	}
	b.sleep(host, r)
	return true
}

// sleep asks for the host's next wake, if its rank needs one.
func (b *Block) sleep(host int32, r *rank) {
	b.waking = nobody
	if at := b.due(r); at != fabric.Forever {
		b.transport.SetTimer(host, at)
	}
}
