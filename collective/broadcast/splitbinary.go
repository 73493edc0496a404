package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(70, collective.Info{
	Name: collective.SplitBinary, Overlaps: true, Options: []collective.Option{steps.SegmentOption(1 << 10)},
	Summary: "each half of the message down one side of a binary tree, then exchanged in pairs",
}, func(v collective.Values) Func { return SplitBinary(v[0]) })

// SplitBinary returns the split-binary broadcast of Open MPI (Pjesivac-Grbovic et al., Cluster
// Computing 10, 2007). One half of the message goes down each of the two subtrees of a binary tree,
// in pieces of `segment` bytes. Then each rank of one subtree exchanges halves with a rank of the
// other. A rank sends a piece to one child after another. If half of the message is shorter than a
// piece, the algorithm is Pipeline.
func SplitBinary(segment int) Func {
	return func(c collective.Comm, buf node.Buf, root int) {
		half := buf.Len() / 2
		if c.Size() < 2 {
			return
		}
		if half == 0 || half < segment {
			Pipeline(segment)(c, buf, root)
			return
		}
		halves := [2]node.Buf{steps.Part(buf, 0, half), steps.Part(buf, half, buf.Len())}
		b := splitBinary{c: c, p: c.Size(), root: root, halves: halves}
		b.place = (c.Rank() - root + b.p) % b.p
		b.spread(segment)
		b.exchange()
	}
}

// splitBinary is the state of one rank in a split-binary broadcast.
type splitBinary struct {
	c              collective.Comm
	p, root, place int // number of ranks, root, and the rank's place, counted from the root
	halves         [2]node.Buf
}

// side returns the half of the message that the rank's subtree carries: 0 for the subtree of place
// 1, which consists of all odd places, and 1 for the other.
func (b *splitBinary) side() int { return (b.place + 1) % 2 }

// spread sends each half of the message down its subtree.
func (b *splitBinary) spread(segment int) {
	t := partners.Shaper(partners.BinaryShape).At(b.c, b.root)
	if b.place != 0 {
		half := b.halves[b.side()]
		steps.DownInTurn(b.c, half, t, steps.NewSegments(half.Len(), segment, 1), collective.TagBroadcast)
		return
	}
	var cut [2]steps.Segments
	for i := range cut {
		cut[i] = steps.NewSegments(b.halves[i].Len(), segment, 1)
	}
	for i := range max(cut[0].Count(), cut[1].Count()) {
		for k, child := range t.Children {
			if i < cut[k].Count() {
				b.c.Send(cut[k].Of(b.halves[k], i), child, collective.TagBroadcast)
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
			b.c.Send(b.halves[1], b.rank(last), collective.TagBroadcast)
		}
	case b.place == last && b.p%2 == 0:
		b.c.Recv(other, b.root, collective.TagBroadcast)
	default:
		partner := b.rank(b.place + 1 - 2*b.side())
		b.c.Sendrecv(mine, partner, collective.TagBroadcast, other, partner, collective.TagBroadcast)
	}
}

func (b *splitBinary) rank(place int) int { return (place + b.root) % b.p }
