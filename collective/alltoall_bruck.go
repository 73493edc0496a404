package collective

import "fabricast/node"

// AlltoallBruck is the algorithm of Bruck et al. (1997). Blocks are first
// turned so that block i is the one that must travel i ranks up. In round k
// every rank sends, packed in one message, all blocks whose distance has bit k
// set to the rank 2^k above it. At the end the blocks are turned back.
//
// ceil(log2 p) messages per rank, each of about p/2 blocks, for any number of
// ranks. Without contents a rank computes O(log p) and needs O(1) memory.
func AlltoallBruck(c Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	blocks := scratch(p*block, send)
	rotate(blocks, send, p, (p-rank)%p, block)
	half := (p + 1) / 2 * block // no round sends more
	out, in := scratch(half, send), scratch(half, send)
	for bit := 1; bit < p; bit <<= 1 {
		n := marked(p, bit) * block
		pack(out, blocks, p, bit, block)
		c.Sendrecv(out.Slice(0, n), (rank+bit)%p, tagAlltoall,
			in.Slice(0, n), (rank-bit+p)%p, tagAlltoall)
		unpack(blocks, in, p, bit, block)
	}
	unturn(recv, blocks, p, rank, block)
}

// marked is how many of the numbers 0 to p-1 have the given bit set.
func marked(p, bit int) int {
	return p/(2*bit)*bit + max(0, p%(2*bit)-bit)
}

// pack collects the blocks whose numbers have the given bit set.
func pack(out, blocks node.Buf, p, bit, block int) {
	if !blocks.HasData() {
		return
	}
	at := 0
	for i := bit; i < p; i = (i + 1) | bit {
		move(out.Slice(at, block), blocks.Slice(i*block, block))
		at += block
	}
}

// unpack puts the blocks that pack collected at another rank in their places.
func unpack(blocks, in node.Buf, p, bit, block int) {
	if !blocks.HasData() {
		return
	}
	at := 0
	for i := bit; i < p; i = (i + 1) | bit {
		move(blocks.Slice(i*block, block), in.Slice(at, block))
		at += block
	}
}

// unturn puts the block that came i ranks up at the place of its source.
func unturn(recv, blocks node.Buf, p, rank, block int) {
	if !recv.HasData() {
		return
	}
	source := rank
	for i := range p {
		move(recv.Slice(source*block, block), blocks.Slice(i*block, block))
		source = below(source, p)
	}
}
