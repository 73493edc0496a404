package collective

import "fabricast/node"

// AlltoallButterfly is the standard exchange on a hypercube (Johnsson and Ho
// 1989): in round k every rank exchanges with rank XOR 2^k all blocks that must
// change bit k of their place. The bits below k of a block's number already
// name its source, those from k on its destination, so the blocks that come
// take the places of those that go.
//
// log2 p messages of p/2 blocks each per rank; p must be a power of two.
func AlltoallButterfly(c Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	move(recv, send)
	n := p / 2 * block
	out, in := scratch(n, send), scratch(n, send)
	rounds := log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		bit := 1 << k
		exchange(out, recv, rank, p, bit, block, false)
		c.Sendrecv(out, rank^bit, tagAlltoall, in, rank^bit, tagAlltoall)
		exchange(in, recv, rank, p, bit, block, true)
	}
}

// exchange moves the blocks whose place differs from rank in the given bit
// between their places and a packed buffer, in the order of places, which both
// partners have in common when the bit is left out.
func exchange(packed, blocks node.Buf, rank, p, bit, block int, in bool) {
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
			move(place, slot)
		} else {
			move(slot, place)
		}
		at += block
	}
}
