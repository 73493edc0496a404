package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is an allgather algorithm: it copies the send buffer of rank s to block s of recv at every
// rank.
type Func func(c collective.Comm, send, recv node.Buf)

// Algorithms holds the allgather algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagAllgather, collective.KindAllgather)

// Run collects the send buffers of all ranks, in the order of ranks, at every rank, with algorithm
// a. All send buffers must have the same length.
func Run(c collective.Comm, send, recv node.Buf, a collective.Algorithm) {
	steps.CheckLen(collective.KindAllgather, "receive", recv, send.Len()*c.Size())
	steps.CheckPair(collective.KindAllgather, send, recv)
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{Bytes: send.Len()}), send, recv)
}

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.Ring, Stackless: true, Summary: "p-1 rounds of one block to the rank above",
}, Ring)

// Ring passes every block around the ring (Thakur, Rabenseifner and Gropp 2005). Each rank sends
// p-1 messages of one block, for any number of ranks.
func Ring(c collective.Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	to, from := partners.Above(rank, p), partners.Below(rank, p)
	k := c.Round(0, p-1)
	if k == 0 {
		steps.Move(c, recv.Slice(rank*block, block), send)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		have := (rank - k + p) % p
		next := partners.Below(have, p)
		c.Sendrecv(recv.Slice(have*block, block), to, collective.TagAllgather,
			recv.Slice(next*block, block), from, collective.TagAllgather)
	}
}

var _ = Algorithms.Register(30, collective.Info{
	Name:       collective.RecursiveDoubling,
	Stackless:  true,
	Summary:    "log2 p rounds with rank XOR 2^k",
	PowerOfTwo: true,
}, RecursiveDoubling)

// RecursiveDoubling exchanges all blocks collected so far with rank XOR 2^k in round k (Thakur,
// Rabenseifner and Gropp 2005). Each rank sends log2 p messages with p-1 blocks in total. p must be
// a power of two.
func RecursiveDoubling(c collective.Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	n := partners.Log2(p)
	k := c.Round(0, n)
	if k == 0 {
		steps.Move(c, recv.Slice(rank*block, block), send)
	}
	for ; k < n; k = c.Round(k+1, n) {
		bit := 1 << k
		partner := rank ^ bit
		mine, theirs := rank&^(bit-1), partner&^(bit-1)
		c.Sendrecv(recv.Slice(mine*block, bit*block), partner, collective.TagAllgather,
			recv.Slice(theirs*block, bit*block), partner, collective.TagAllgather)
	}
}

var _ = Algorithms.Register(10, collective.Info{
	Name: collective.Bruck, Summary: "ceil(log2 p) rounds, doubling what is held",
}, Bruck)

// Bruck is the concatenation algorithm of Bruck et al. (1997). In round k, every rank sends the
// first blocks that it has, at most 2^k, to the rank 2^k below it. The blocks are kept in order,
// starting with the rank's own block, and are rotated at the end. Each rank sends ceil(log2 p)
// messages with p-1 blocks in total, for any number of ranks.
func Bruck(c collective.Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	held := steps.Scratch(p*block, send)
	steps.Move(c, held, send)
	rounds := partners.Log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		d := 1 << k
		n := min(d, p-d) * block
		c.Sendrecv(held.Slice(0, n), (rank-d+p)%p, collective.TagAllgather,
			held.Slice(d*block, n), (rank+d)%p, collective.TagAllgather)
	}
	steps.Rotate(c, recv, held, p, rank, block)
}
