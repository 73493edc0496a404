package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// The broadcasts of Open MPI along trees (Pjesivac-Grbovic et al., Performance analysis of MPI
// collective operations, Cluster Computing 10, 2007). They take p-1 messages for each piece of the
// message.

var (
	_ = Algorithms.RegisterWith(40, collective.Info{
		Name: collective.BinomialDoubling, Options: []collective.Option{steps.SegmentOption(0)},
		Summary: "the message down a binomial tree, the nearest first",
	}, func(v collective.Values) Func { return BinomialDoubling(v[0]) })
	_ = Algorithms.RegisterWith(50, collective.Info{
		Name: collective.Knomial, Options: []collective.Option{steps.SegmentOption(0), steps.RadixOption},
		Summary: "the message down a k-nomial tree, the farthest first",
	}, func(v collective.Values) Func { return Knomial(v[0], v[1]) })
	_ = Algorithms.RegisterWith(60, collective.Info{
		Name: collective.Binary, Overlaps: true, Options: []collective.Option{steps.SegmentOption(32 << 10)},
		Summary: "pieces of the message down a binary tree",
	}, func(v collective.Values) Func { return Binary(v[0]) })
	_ = Algorithms.RegisterWith(80, collective.Info{
		Name: collective.Chain, Overlaps: true, Options: []collective.Option{steps.SegmentOption(64 << 10), steps.ChainsOption},
		Summary: "pieces of the message down several chains of ranks",
	}, func(v collective.Values) Func { return Chain(v[0], v[1]) })
	_ = Algorithms.RegisterWith(90, collective.Info{
		Name: collective.Pipeline, Overlaps: true, Options: []collective.Option{steps.SegmentOption(64 << 10)},
		Summary: "pieces of the message from each rank to the next one",
	}, func(v collective.Values) Func { return Pipeline(v[0]) })
	_ = Algorithms.Register(100, collective.Info{
		Name: collective.Linear, Summary: "from the root to every rank, all at once",
	}, Linear)
)

// alongTree sends the message down a tree, divided into pieces of `segment` bytes, or as a whole if
// segment is 0.
func alongTree(f partners.Shaper, segment int) Func {
	return func(c collective.Comm, buf node.Buf, root int) {
		steps.Down(c, buf, f.At(c, root), steps.NewSegments(buf.Len(), segment, 1), collective.TagBroadcast)
	}
}

// Chain returns the broadcast down several chains of ranks that start at the root.
func Chain(segment, chains int) Func {
	return alongTree(partners.ChainShape(chains), segment)
}

// Pipeline returns the broadcast along a chain: each rank sends the message on to the next one.
func Pipeline(segment int) Func { return Chain(segment, 1) }

// Binary returns the broadcast down a balanced binary tree.
func Binary(segment int) Func { return alongTree(partners.BinaryShape, segment) }

// BinomialDoubling returns the broadcast down a binomial tree in which the distance between sender
// and receiver doubles from round to round, whereas it halves in Binomial.
func BinomialDoubling(segment int) Func {
	return alongTree(partners.DoublingShape, segment)
}

// Knomial returns the broadcast down a k-nomial tree: a rank that has the message sends it
// to k-1 others in each round.
func Knomial(segment, k int) Func { return alongTree(partners.KnomialShape(k), segment) }

// binomial is Binomial, with the message divided into pieces of `segment` bytes unless segment is
// 0.
func binomial(segment int) Func {
	if segment == 0 {
		return Binomial
	}
	return Knomial(segment, 2)
}

// Linear sends the message from the root to every other rank at the same time. There are
// p-1 messages in total.
func Linear(c collective.Comm, buf node.Buf, root int) {
	steps.FanOut(c, buf, root, collective.TagBroadcast)
}
