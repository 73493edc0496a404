package collective

import "fabricast/node"

// The broadcasts along trees of Open MPI (Pjesivac-Grbovic et al., Performance analysis of MPI
// collective operations, Cluster Computing 10, 2007). p-1 messages for each piece of the message.

var (
	_ = broadcasts.registerWith(40, Info{
		Name: BinomialDoubling, Options: []Option{segmentOption(0)},
		Summary: "the message down a binomial tree, the nearest first",
	}, func(v values) BroadcastFunc { return BroadcastBinomialDoubling(v[0]) })
	_ = broadcasts.registerWith(50, Info{
		Name: Knomial, Options: []Option{segmentOption(0), radixOption},
		Summary: "the message down a k-nomial tree, the farthest first",
	}, func(v values) BroadcastFunc { return BroadcastKnomial(v[0], v[1]) })
	_ = broadcasts.registerWith(60, Info{
		Name: Binary, Overlaps: true, Options: []Option{segmentOption(32 << 10)},
		Summary: "pieces of the message down a binary tree",
	}, func(v values) BroadcastFunc { return BroadcastBinary(v[0]) })
	_ = broadcasts.registerWith(80, Info{
		Name: Chain, Overlaps: true, Options: []Option{segmentOption(64 << 10), chainsOption},
		Summary: "pieces of the message down several chains of ranks",
	}, func(v values) BroadcastFunc { return BroadcastChain(v[0], v[1]) })
	_ = broadcasts.registerWith(90, Info{
		Name: Pipeline, Overlaps: true, Options: []Option{segmentOption(64 << 10)},
		Summary: "pieces of the message from each rank to the next one",
	}, func(v values) BroadcastFunc { return BroadcastPipeline(v[0]) })
	_ = broadcasts.register(100, Info{
		Name: Linear, Summary: "from the root to every rank, all at once",
	}, BroadcastLinear)
)

// broadcastTree sends the message down a tree, divided into pieces of segment bytes, or as a whole
// if segment is 0.
func broadcastTree(f shaper, segment int) BroadcastFunc {
	return func(c Comm, buf node.Buf, root int) {
		down(c, buf, f.at(c, root), newSegments(buf.Len(), segment, 1), tagBroadcast)
	}
}

// BroadcastChain returns the broadcast down several chains of ranks that begin at the root.
func BroadcastChain(segment, chains int) BroadcastFunc {
	return broadcastTree(chainShape(chains), segment)
}

// BroadcastPipeline returns the broadcast along a chain: each rank passes the message on to the
// next one.
func BroadcastPipeline(segment int) BroadcastFunc { return BroadcastChain(segment, 1) }

// BroadcastBinary returns the broadcast down a balanced binary tree.
func BroadcastBinary(segment int) BroadcastFunc { return broadcastTree(binaryShape, segment) }

// BroadcastBinomialDoubling returns the broadcast down a binomial tree in which the distance
// between sender and receiver doubles from round to round. In BroadcastBinomial it halves.
func BroadcastBinomialDoubling(segment int) BroadcastFunc {
	return broadcastTree(doublingShape, segment)
}

// BroadcastKnomial returns the broadcast down a k-nomial tree: a rank that has the message sends it
// to k-1 others in each round.
func BroadcastKnomial(segment, k int) BroadcastFunc { return broadcastTree(knomialShape(k), segment) }

// broadcastBinomial is BroadcastBinomial, with the message divided into pieces of segment bytes if
// segment is not 0.
func broadcastBinomial(segment int) BroadcastFunc {
	if segment == 0 {
		return BroadcastBinomial
	}
	return BroadcastKnomial(segment, 2)
}

// BroadcastLinear sends the message from the root to every other rank at the same time. There are
// p-1 messages in total.
func BroadcastLinear(c Comm, buf node.Buf, root int) { fanOut(c, buf, root, tagBroadcast) }

// fanOut sends a buffer from the root to every other rank.
func fanOut(c Comm, buf node.Buf, root, tag int) {
	if c.Rank() != root {
		c.Recv(buf, root, tag)
		return
	}
	requests := make([]node.Request, 0, c.Size()-1)
	for to := range c.Size() {
		if to != root {
			requests = append(requests, c.Isend(buf, to, tag))
		}
	}
	c.WaitAll(requests)
}
