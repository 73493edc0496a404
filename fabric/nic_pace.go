package fabric

import "errors"

// MaxGap is the largest Extra.Gap.
const MaxGap = 1 << 24

// GapUnit is the number of units of Spec.Gap in one packet time: Spec.Gap counts thousandths.
const GapUnit = 1000

var errGap = errors.New("fabricast: a gap between packets of more than 2^24 packet times")

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

// next returns when the NIC may send the first of the packets that it has fetched (ps).
func (n *nic) next() int64 { return max(n.ready[0], n.free) }

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
