package fabric

import "errors"

// MaxGap is the largest Extra.Gap.
const MaxGap = 1 << 24

var errGap = errors.New("fabricast: a gap between packets of more than 2^24 packet times")

// gapOf is for how many packet times the NIC pauses after each packet of a message.
func (b *Block) gapOf(id MsgID, m *Message) int64 {
	if m.Flags&HasExtra == 0 {
		return 0
	}
	gap := b.Extra(id).Gap
	if gap > MaxGap {
		panic(errGap)
	}
	return int64(gap)
}

// next is when the NIC may send the first of the packets that it has fetched.
func (n *nic) next() int64 { return max(n.ready[0], n.free) }

// occupy lets the NIC's link take a packet of so many bytes now, where that needs more than
// a multiplication. The tail leaves after the packet's own time; with the pause after
// it the link is taken for so many packet times more, as if by bytes that follow.
func (b *Block) occupy(n *nic, bytes int64) (tail, free int64) {
	if n.free != b.now {
		n.linkPart = 0
	}
	took, left := b.nicTx.duration(bytes, n.linkPart)
	tail = b.now + took
	if n.paced {
		gap := b.gapOf(MsgID(n.head), b.Message(MsgID(n.head)))
		took, left = b.nicTx.duration((1+gap)*bytes, n.linkPart)
	}
	n.linkPart = left
	return tail, b.now + took
}
