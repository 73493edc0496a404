package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(20, collective.Info{
	Name:            collective.Ring,
	Summary:         "reduce-scatter and allgather on a ring, 2(p-1) rounds of 1/p each",
	CommutativeOnly: true,
}, Ring)

// Ring is the bandwidth-optimal ring algorithm (Patarasuk and Yuan 2009). The buffer is divided
// into p chunks of whole elements. First the chunks travel up the ring p-1 times, and every rank
// adds its operand. Then the results travel up the ring p-1 times. Before the call, recv holds the
// rank's own operand. Each rank sends 2(p-1) messages of about 1/p of the buffer, for any number of
// ranks. The operation must be commutative, because each chunk starts at a different rank and is
// combined in the order of the ring.
func Ring(c collective.Comm, recv node.Buf, op *collective.Op) { ringAllreduce(c, recv, op, 1) }

// ringAllreduce reduces the chunks on the ring, one piece of each chunk at a time, and then gathers
// whole chunks. `pieces` is the number of pieces of each chunk.
func ringAllreduce(c collective.Comm, recv node.Buf, op *collective.Op, pieces int) {
	r := ringReduce{c: c, acc: recv, op: op, p: c.Size(), rank: c.Rank(), pieces: pieces}
	r.chunks = steps.Divide(op, recv.Len(), r.p)
	if recv.HasData() {
		r.in = steps.Scratch(steps.LargestChunk(op, recv.Len(), r.p), recv)
	}
	// A chunk that was sent is overwritten only by its result, of which what was sent is a part.
	steps.Lend(c)
	for i := range pieces {
		r.reduce(i)
	}
	r.gather()
}

// ringReduce is the state of one rank in an allreduce on a ring.
type ringReduce struct {
	c       collective.Comm
	acc, in node.Buf // in: for an operand that is received; empty if acc has no contents
	op      *collective.Op
	p, rank int
	chunks  steps.Division // of acc, one for each rank
	pieces  int            // number of pieces of each chunk
}

// piece returns piece i of a chunk. It consists of whole elements.
func (r *ringReduce) piece(chunk, i int) node.Buf {
	whole := r.chunks.Chunks(r.acc, chunk, chunk+1)
	if r.pieces == 1 {
		return whole
	}
	return steps.Chunks(r.op, whole, i, i+1, r.pieces)
}

// reduce sends piece i of every chunk around the ring. Every rank adds its operand to it.
func (r *ringReduce) reduce(i int) {
	c, p := r.c, r.p
	to, from := partners.Above(r.rank, p), partners.Below(r.rank, p)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		have := (r.rank - k + p) % p
		acc := r.piece(partners.Below(have, p), i)
		got := node.Size(acc.Len())
		if r.in.HasData() {
			got = r.in.Slice(0, acc.Len())
		}
		c.Sendrecv(r.piece(have, i), to, collective.TagAllreduce, got, from, collective.TagAllreduce)
		steps.Combine(c, r.op, acc, got, true)
	}
}

// gather sends every reduced chunk around the ring.
func (r *ringReduce) gather() {
	c, p := r.c, r.p
	to, from := partners.Above(r.rank, p), partners.Below(r.rank, p)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		have := (r.rank - k + 1 + p) % p
		next := partners.Below(have, p)
		c.Sendrecv(r.chunks.Chunks(r.acc, have, have+1), to, collective.TagAllreduce,
			r.chunks.Chunks(r.acc, next, next+1), from, collective.TagAllreduce)
	}
}
