package collective

import "fabricast/node"

var _ = allreduces.registerWith(40, Info{
	Name: SegmentedRing, CommutativeOnly: true, Options: []Option{segmentOption(1 << 20)},
	Summary: "as ring, with the chunks reduced in pieces",
}, func(v values) AllreduceFunc { return AllreduceSegmentedRing(v[0]) })

// AllreduceSegmentedRing returns Open MPI's ring allreduce for long buffers. The buffer is divided
// into p chunks, each of k pieces of at most segment bytes. First the chunks are reduced on the
// ring, one piece of each chunk at a time; then the whole chunks are gathered. Each rank sends
// (p-1)(k+1) messages. The operation must be commutative.
func AllreduceSegmentedRing(segment int) AllreduceFunc {
	return func(c Comm, recv node.Buf, op *Op) {
		pieces := 1
		if segment > 0 {
			pieces = max((op.largestChunk(recv.Len(), c.Size())+segment-1)/segment, 1)
		}
		ringAllreduce(c, recv, op, pieces)
	}
}
