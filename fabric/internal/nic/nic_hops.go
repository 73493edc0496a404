package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Log makes NICs report the hops of packets to the sink of Divide. needs returns the space (flits) that the
// next packet of a NIC, of the given size (see core.Packet.Flits), must have in its router; nil: its size.
func (b *NICs) Log(needs func(n *Sender, size uint16) int32) {
	b.Send.sink, b.Send.block, b.Send.needs = b.Receive.sink, b.Index, needs
	b.Receive.Logs = true
}

// injected reports the hop of the packet of m that a NIC sends now, after which its link is free again at
// the time `free` (ps). Others had the NIC for queue ps from the time since (ps) on.
func (s *Senders) injected(n *Sender, m *model.Message, since, queue, free int64) {
	size := s.NextSize(n)
	h := model.Hop{
		Message: s.Spec.NumberOf(m), Source: m.Src, Destination: m.Dst, SourceRank: m.SrcRank,
		Stage: model.Injected, Last: size&core.LastPacket != 0, Port: -1, VC: -1, OutPort: m.Src, OutVC: int32(n.VC),
		Flits: int32(size & core.FlitMask), Needs: int32(size & core.FlitMask),
		Ready: since, Asked: n.Next(), Start: s.events.Now, Leave: free, Queue: queue,
	}
	if s.needs != nil {
		h.Needs = s.needs(n, size)
	}
	s.sink.Hop(s.block, &h)
}

// received reports the hop of a packet of m to memory. Its tail reached the NIC at the time tail, and it is
// transferred from the time start to the time `end` (ps).
func (v *Receivers) received(id int32, m *model.Message, flits uint16, tail, start, end int64) {
	v.sink.Hop(v.block, &model.Hop{
		Message: v.Spec.NumberOf(m), Source: m.Src, Destination: m.Dst, SourceRank: m.SrcRank,
		Stage: model.Received, Last: flits&core.LastPacket != 0, Port: id, VC: int32(v.Via), OutPort: -1, OutVC: -1,
		Flits: int32(flits & core.FlitMask), Needs: int32(flits & core.FlitMask),
		Ready: tail, Asked: tail, Start: start, Leave: end,
	})
}
