package node

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
)

// A message is announced (Delivered) before it is in memory. If its receive has been posted by then,
// nothing that can happen in between changes what it meets: it met that receive in any case, and a
// wait for the receive ends at the time of the arrival, which is known. So it meets the receive at
// once, while the message and the receive are in the cache, and the host is not woken for it. This is
// done for receives that their ranks do not wait for yet, of programs that call Ops.Pause.

// meetEarly lets a message that will be in memory at the time `at` (ps) meet its receive now. It
// returns false, and changes nothing, if the outcome is not certain or the rank waits for it.
func (b *Block) meetEarly(r *core.Rank, slot int32, id fabric.MsgID, at int64) bool {
	// a rank that uses wildcards has other bits set, too
	if r.Shapes != core.IsPatient || !b.early || r.Arrivals != 0 || b.watching.Watchers != nil {
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
	b.stats.Delivered(b.shared.SourceOf(m), r.Id, m.Tag, m.Size, m.Sent, at)
	b.transport.Release(id)
	b.requests.SetSize(q, m.Size)
	q.CompleteAt(at)
	return true
}
