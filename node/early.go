package node

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/schedule"
)

// A message is announced (Delivered) before it is in memory. If a matching receive has been posted
// by then, no event before the arrival can change which receive the message matches, and a wait for
// that receive ends at the time of the arrival, which is known. So the message is matched at once,
// while the message and the receive are in the cache, and the host is not woken for it. This
// applies to receives that are not yet waited for, in programs that call Ops.Pause.

// meetEarly matches a message that will be in memory at the time `at` (ps) with its receive now. It
// returns false, and changes nothing, if the outcome is not certain or the rank already waits for
// the receive.
func (b *Block) meetEarly(r *core.Rank, slot int32, id fabric.MsgID, at int64) bool {
	// ranks that use wildcards have further bits set
	if r.Shapes != core.IsPatient || !b.matchesAhead || r.Arrivals != 0 || b.watching.Watchers != nil {
		return false
	}
	m := b.transport.Message(id)
	if m.Flags != core.EagerMessage || m.Payload != 0 {
		return false
	}
	index, q := b.matching.TakeEarly(r, core.Key{Rank: slot, Context: m.Context, Source: m.SrcRank, Tag: m.Tag}, m.Size)
	if index == 0 {
		return false
	}
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += m.Size
	b.stats.Delivered(b.shared.SourceOf(m), r.ID, m.Tag, m.Size, m.Sent, at)
	b.transport.Release(id)
	b.requests.SetSize(q, m.Size)
	q.CompleteAt(at)
	return true
}

// mostAhead is the maximum number of ranks in a block for which meetAhead is used. The records of
// more ranks would not stay in the cache; they are prefetched for Wake instead.
const mostAhead = 2048

// meetAhead matches a message that will be in memory at the time `at` (ps) with its receive now, if
// the rank of the host is blocked exactly until that time. Otherwise it returns false. It is used
// only for hosts where nothing else can happen to the rank earlier: messages reach the NIC in
// order, the rank has no timer, and the completion times of its sends are known. The rank continues
// as if it had been woken at that time, which saves a timer and a router activation.
func (b *Block) meetAhead(host int32, id fabric.MsgID, at int64) bool {
	slot := b.shared.SlotAt[host]
	r := &b.ranks[slot]
	first := r.Queues[0]
	if r.State != model.WaitAll || !first.Only() || r.Events|r.Arrivals != 0 || b.schedule.Waking != schedule.Nobody {
		return false
	}
	m := b.transport.Message(id)
	q := b.requests.Receives.At(first.Element())
	if !q.Waited() || m.Flags != core.EagerMessage || !q.Fits(core.Key{Rank: slot, Context: m.Context, Source: m.SrcRank, Tag: m.Tag}) ||
		b.reader.Reading(host) {
		return false
	}
	b.schedule.Now, b.schedule.Waking = at, host
	r.Queues[0] = core.Queue{}
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += m.Size
	b.stats.In(m.Context)
	b.stats.Delivered(b.shared.SourceOf(m), r.ID, m.Tag, m.Size, m.Sent, at)
	if b.meetPlainly(q, m, at) {
		b.transport.Release(id)
	} else {
		var u core.Unexpected
		u.Take(m, slot, at)
		b.transport.Release(id)
		b.meet(r, first.Element(), q, &u)
	}
	if r.State != model.Failed && b.arrived(r, first.Element(), q) {
		b.run(r, slot)
	}
	b.schedule.Sleep(host, r)
	return true
}

// meetPlainly implements meet for an eager message that fits into its receive, if neither has contents.
func (b *Block) meetPlainly(q *core.ReceiveState, m *fabric.Message, at int64) bool {
	if m.Payload != 0 || q.Extent&core.IsWide != 0 || m.Size > int64(q.Extent) || b.journal != nil {
		return false
	}
	q.Extent = uint32(m.Size)
	q.Source, q.Tag = m.SrcRank, m.Tag
	q.CompleteAt(at)
	return true
}
