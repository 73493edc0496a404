package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// GapOf returns the pause of the NIC after each packet of a message, in thousandths of a packet
// time.
func (s *Senders) GapOf(id model.MsgID, m *model.Message) int64 {
	if m.Flags&model.HasExtra == 0 {
		return s.Gap
	}
	gap := s.messages.Extra(id).Gap
	if gap > model.MaxGap {
		panic(core.ErrGap)
	}
	return max(s.Gap, int64(gap)*model.GapUnit)
}

// occupy sends a packet of the given number of bytes on the NIC's link now. It is used where rates
// are uneven or a gap follows. It returns the times (ps) at which the packet's tail leaves and at
// which the link is free again, after the gap.
func (s *Senders) occupy(n *Sender, bytes int64, link core.Rate) (tail, free int64) {
	if n.Free != s.events.Now {
		n.LinkPart = 0
	}
	took, left := link.Duration(bytes, n.LinkPart)
	tail = s.events.Now + took
	if n.Paced {
		gap := s.GapOf(model.MsgID(n.Head), s.messages.At(model.MsgID(n.Head)))
		took, left = link.Duration(bytes+bytes*gap/model.GapUnit, n.LinkPart)
	}
	n.LinkPart = left
	return tail, s.events.Now + took
}
