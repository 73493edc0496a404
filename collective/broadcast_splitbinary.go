package collective

import "fabricast/node"

var _ = broadcasts.registerWith(70, Info{
	Name: SplitBinary, Overlaps: true, Options: []Option{segmentOption(1 << 10)},
	Summary: "each half of the message down one side of a binary tree, then exchanged in pairs",
}, func(v values) BroadcastFunc { return BroadcastSplitBinary(v[0]) })

// BroadcastSplitBinary returns the split-binary broadcast of Open MPI (Pjesivac-Grbovic et al.,
// Cluster Computing 10, 2007): the first half of the message goes down one subtree of a binary tree
// and the second half down the other, in pieces of segment bytes; then ranks of the two exchange
// their halves in pairs. A rank sends a piece to one child after the other. If half of the message is
// shorter than a piece, it is a pipeline.
func BroadcastSplitBinary(segment int) BroadcastFunc {
	return func(c Comm, buf node.Buf, root int) {
		half := buf.Len() / 2
		if c.Size() < 2 {
			return
		}
		if half == 0 || half < segment {
			BroadcastPipeline(segment)(c, buf, root)
			return
		}
		halves := [2]node.Buf{part(buf, 0, half), part(buf, half, buf.Len())}
		b := splitBinary{c: c, p: c.Size(), root: root, halves: halves}
		b.place = (c.Rank() - root + b.p) % b.p
		b.spread(segment)
		b.exchange()
	}
}

// splitBinary is the state of one rank in a split-binary broadcast.
type splitBinary struct {
	c              Comm
	p, root, place int // place counts from the root
	halves         [2]node.Buf
}

// side returns the half of the message that the rank's subtree carries: 0 for the subtree of place
// 1, which holds all odd places, else 1.
func (b *splitBinary) side() int { return (b.place + 1) % 2 }

// spread sends each half down its subtree.
func (b *splitBinary) spread(segment int) {
	t := shaper(binaryShape).at(b.c, b.root)
	if b.place != 0 {
		half := b.halves[b.side()]
		downInTurn(b.c, half, t, newSegments(half.Len(), segment, 1), tagBroadcast)
		return
	}
	var cut [2]segments
	for i := range cut {
		cut[i] = newSegments(b.halves[i].Len(), segment, 1)
	}
	for i := range max(cut[0].count(), cut[1].count()) {
		for k, child := range t.children {
			if i < cut[k].count() {
				b.c.Send(cut[k].of(b.halves[k], i), child, tagBroadcast)
			}
		}
	}
}

// exchange sends each rank the half of the message that its subtree did not carry. If the number of
// ranks is even, the last rank has no partner in the other subtree and gets the second half from
// the root.
func (b *splitBinary) exchange() {
	last := b.p - 1
	mine, other := b.halves[b.side()], b.halves[1-b.side()]
	switch {
	case b.place == 0:
		if b.p%2 == 0 {
			b.c.Send(b.halves[1], b.rank(last), tagBroadcast)
		}
	case b.place == last && b.p%2 == 0:
		b.c.Recv(other, b.root, tagBroadcast)
	default:
		partner := b.rank(b.place + 1 - 2*b.side())
		b.c.Sendrecv(mine, partner, tagBroadcast, other, partner, tagBroadcast)
	}
}

func (b *splitBinary) rank(place int) int { return (place + b.root) % b.p }
