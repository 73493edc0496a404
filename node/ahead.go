package node

import "fabricast/fabric"

// mostAhead is the largest number of ranks in a block for which meetAhead is used. The records of
// more ranks would not stay in the cache; they are prefetched for Wake instead.
const mostAhead = 2048

// meetAhead lets a message that will be in memory at the time `at` (ps) meet its receive now, if
// the host's rank is blocked until just then. Otherwise it returns false. It is used only where
// hosts are simple: nothing else can happen to the rank earlier, because messages reach the NIC in
// order, the rank has no timer, and the reads of its sends are known. The rank goes on as if woken
// at that time, which saves a timer and a router activation.
func (b *Block) meetAhead(host int32, id fabric.MsgID, at int64) bool {
	slot := b.shared.slotAt[host]
	r := &b.ranks[slot]
	first := r.queues[0]
	if r.state != WaitAll || !first.only() || r.events|r.arrivals != 0 || b.schedule.waking != nobody {
		return false
	}
	m := b.transport.Message(id)
	q := b.requests.receives.at(first.element())
	if !q.waited() || m.Flags != eager || !q.fits(key{slot, m.Context, m.SrcRank, m.Tag}) ||
		b.reader.Reading(host) {
		return false
	}
	b.schedule.now, b.schedule.waking = at, host
	r.queues[0] = queue{}
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.in(m.Context)
	b.stats.delivered(b.shared.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	var u unexpected
	u.take(m, slot, at)
	b.transport.Release(id)
	b.meet(r, first.element(), q, &u)
	if r.state != failed && b.arrived(r, q) {
		b.run(r, slot)
	}
	b.schedule.sleep(host, r)
	return true
}
