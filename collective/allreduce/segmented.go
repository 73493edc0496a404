package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(40, collective.Info{
	Name: collective.SegmentedRing, CommutativeOnly: true, Options: []collective.Option{steps.SegmentOption(1 << 20)},
	Summary: "as ring, with the chunks reduced in pieces",
}, func(v collective.Values) Func { return SegmentedRing(v[0]) })

// SegmentedRing returns Open MPI's ring allreduce for long buffers. The buffer is divided into p
// chunks, each of k pieces of at most `segment` bytes. First the chunks are reduced on the ring,
// one piece of each chunk at a time. Then the whole chunks are gathered. Each rank sends (p-1)(k+1)
// messages. The operation must be commutative.
func SegmentedRing(segment int) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		pieces := 1
		if segment > 0 {
			pieces = max((steps.LargestChunk(op, recv.Len(), c.Size())+segment-1)/segment, 1)
		}
		ringAllreduce(c, recv, op, pieces)
	}
}
