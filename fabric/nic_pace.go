package fabric

// gapOf returns how long the NIC pauses after each packet of a message, in thousandths of a packet
// time.
func (s *nicSenders) gapOf(id MsgID, m *Message) int64 {
	if m.Flags&HasExtra == 0 {
		return s.gap
	}
	gap := s.messages.extra(id).Gap
	if gap > MaxGap {
		panic(errGap)
	}
	return max(s.gap, int64(gap)*GapUnit)
}

// occupy sends a packet of so many bytes on the NIC's link now, where rates are uneven or a gap
// follows. tail is when the packet's tail leaves (ps). free is when the link is free again (ps):
// the gap occupies it for so many packet times more.
func (s *nicSenders) occupy(n *nic, bytes int64, link rate) (tail, free int64) {
	if n.free != s.events.now {
		n.linkPart = 0
	}
	took, left := link.duration(bytes, n.linkPart)
	tail = s.events.now + took
	if n.paced {
		gap := s.gapOf(MsgID(n.head), s.messages.at(MsgID(n.head)))
		took, left = link.duration(bytes+bytes*gap/GapUnit, n.linkPart)
	}
	n.linkPart = left
	return tail, s.events.now + took
}
