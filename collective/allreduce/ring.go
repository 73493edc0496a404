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
	c, n := r.c, r.p-1
	if !r.acc.HasData() {
		r.rounds(reduceRounds{}, i).On(c)
		return
	}
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		r.reduceRound(i, k)
	}
}

// gather sends every reduced chunk around the ring.
func (r *ringReduce) gather() {
	c, n := r.c, r.p-1
	if !r.acc.HasData() {
		r.rounds(gatherRounds{}, 0).On(c)
		return
	}
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		r.gatherRound(k)
	}
}

// reduceRound exchanges the pieces of round k of reduce, and adds the rank's operand.
func (r *ringReduce) reduceRound(i, k int) {
	c, p := r.c, r.p
	have := (r.rank - k + p) % p
	acc := r.piece(partners.Below(have, p), i)
	got := node.Size(acc.Len())
	if r.in.HasData() {
		got = r.in.Slice(0, acc.Len())
	}
	c.Sendrecv(r.piece(have, i), partners.Above(r.rank, p), collective.TagAllreduce,
		got, partners.Below(r.rank, p), collective.TagAllreduce)
	steps.Combine(c, r.op, acc, got, true)
}

// gatherRound exchanges the chunks of round k of gather.
func (r *ringReduce) gatherRound(k int) {
	p := r.p
	have := (r.rank - k + 1 + p) % p
	next := partners.Below(have, p)
	r.c.Sendrecv(r.chunks.Chunks(r.acc, have, have+1), partners.Above(r.rank, p), collective.TagAllreduce,
		r.chunks.Chunks(r.acc, next, next+1), partners.Below(r.rank, p), collective.TagAllreduce)
}

// reduceRounds and gatherRounds are the rounds of ringReduce without contents.
type (
	reduceRounds struct{}
	gatherRounds struct{}
)

// rounds returns the rounds of reduce for piece i, or those of gather.
func (r *ringReduce) rounds(by collective.Rounder, i int) collective.Rounds {
	return collective.Rounds{By: by, N: r.p - 1, Bytes: r.acc.Len(), Pieces: r.pieces, Piece: i, Op: r.op}
}

// ringOf returns the state of a rank in rounds without contents.
func ringOf(c collective.Comm, r *collective.Rounds) ringReduce {
	p := r.N + 1
	return ringReduce{
		c: c, acc: node.Size(r.Bytes), op: r.Op, p: p, rank: c.Rank(), pieces: r.Pieces,
		chunks: steps.Divide(r.Op, r.Bytes, p),
	}
}

// Round implements collective.Rounder.
func (reduceRounds) Round(c collective.Comm, r collective.Rounds, k int) {
	ring := ringOf(c, &r)
	ring.reduceRound(r.Piece, k)
}

// Round implements collective.Rounder.
func (gatherRounds) Round(c collective.Comm, r collective.Rounds, k int) {
	ring := ringOf(c, &r)
	ring.gatherRound(k)
}
