package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(50, collective.Info{
	Name:       collective.Butterfly,
	Alias:      "btfly",
	Summary:    "log2 p rounds of p/2 blocks each with rank XOR 2^k",
	PowerOfTwo: true,
}, Butterfly)

// Butterfly is the standard exchange on a hypercube (Johnsson and Ho 1989). In round k, every rank
// exchanges all blocks whose destination differs from the rank in bit k with rank XOR 2^k. Before
// round k, the bits below k of a block's place are those of its source, and the other bits those of
// its destination. Received blocks thus take the places of the sent ones.
//
// Each rank sends log2 p messages of p/2 blocks. p must be a power of two.
func Butterfly(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	steps.Move(c, recv, send)
	n := p / 2 * block
	out, in := steps.Scratch(n, send), steps.Scratch(n, send)
	rounds := partners.Log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		bit := 1 << k
		exchange(c, out, recv, rank, p, bit, block, false)
		c.Sendrecv(out, rank^bit, collective.TagAlltoall, in, rank^bit, collective.TagAlltoall)
		exchange(c, in, recv, rank, p, bit, block, true)
	}
}

// exchange copies blocks between their places and a packed buffer: the blocks whose place differs
// from rank in the given bit. If `in` is true, it copies from the buffer to the places. Both
// partners use the same order of blocks.
func exchange(c collective.Comm, packed, blocks node.Buf, rank, p, bit, block int, in bool) {
	steps.Copied(c, packed.Len())
	if !blocks.HasData() {
		return
	}
	at := 0
	for i := range p {
		if (i^rank)&bit == 0 {
			continue
		}
		place, slot := blocks.Slice(i*block, block), packed.Slice(at, block)
		if in {
			copy(place.Bytes(), slot.Bytes())
		} else {
			copy(slot.Bytes(), place.Bytes())
		}
		at += block
	}
}
