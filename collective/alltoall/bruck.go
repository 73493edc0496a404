package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(10, collective.Info{
	Name:    collective.Bruck,
	Summary: "ceil(log2 p) rounds of about p/2 blocks each, forwarded by way of others",
}, Bruck)

// Bruck is the index algorithm of Bruck et al. (1997). Blocks are first rotated, so that block i is
// the one that must travel i ranks up. In round k, every rank sends all blocks whose distance has
// bit k set to the rank 2^k above it, in one message. At the end, the blocks are rotated back. Open
// MPI receives in a second buffer, so blocks are packed, unpacked and moved in each round.
//
// Each rank sends ceil(log2 p) messages of about p/2 blocks, for any number of ranks. Without
// contents, a rank needs O(log p) time and O(1) memory.
func Bruck(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	var w *turned
	if send.HasData() {
		w = turn(send, p, rank, block)
	}
	steps.Copied(c, p*block)
	rounds := partners.Log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		bit := 1 << k
		n := marked(p, bit) * block
		steps.Copied(c, n)
		c.Sendrecv(w.pack(bit, n), (rank+bit)%p, collective.TagAlltoall,
			w.space(n), (rank-bit+p)%p, collective.TagAlltoall)
		steps.Copied(c, 2*n) // received blocks are unpacked, and moved to the places of the sent ones
		w.unpack(bit)
	}
	steps.Copied(c, p*block)
	w.unturn(recv, rank)
}

// marked returns how many of the numbers 0 to p-1 have the given bit set.
func marked(p, bit int) int {
	return p/(2*bit)*bit + max(0, p%(2*bit)-bit)
}

// turned holds the contents of a rank's blocks after the first rotation: block i must still travel
// i ranks up. A nil *turned stands for messages without contents.
type turned struct {
	p, block        int
	blocks, out, in node.Buf
}

func turn(send node.Buf, p, rank, block int) *turned {
	half := (p + 1) / 2 * block // no round sends more than this
	w := &turned{
		p:      p,
		block:  block,
		blocks: steps.Scratch(p*block, send),
		out:    steps.Scratch(half, send),
		in:     steps.Scratch(half, send),
	}
	for i := range p {
		copy(w.blocks.Slice(i*block, block).Bytes(), send.Slice((i+rank)%p*block, block).Bytes())
	}
	return w
}

// pack copies the blocks whose numbers have the given bit set into a buffer of n bytes.
func (w *turned) pack(bit, n int) node.Buf {
	if w == nil {
		return node.Size(n)
	}
	at := 0
	for i := bit; i < w.p; i = (i + 1) | bit {
		copy(w.out.Slice(at, w.block).Bytes(), w.blocks.Slice(i*w.block, w.block).Bytes())
		at += w.block
	}
	return w.out.Slice(0, n)
}

// space returns a buffer of n bytes for blocks that another rank has packed.
func (w *turned) space(n int) node.Buf {
	if w == nil {
		return node.Size(n)
	}
	return w.in.Slice(0, n)
}

// unpack copies the received blocks, whose numbers have the given bit set, to their places.
func (w *turned) unpack(bit int) {
	if w == nil {
		return
	}
	at := 0
	for i := bit; i < w.p; i = (i + 1) | bit {
		copy(w.blocks.Slice(i*w.block, w.block).Bytes(), w.in.Slice(at, w.block).Bytes())
		at += w.block
	}
}

// unturn copies each block to the place of the rank that it came from.
func (w *turned) unturn(recv node.Buf, rank int) {
	if w == nil {
		return
	}
	source := rank
	for i := range w.p {
		copy(recv.Slice(source*w.block, w.block).Bytes(), w.blocks.Slice(i*w.block, w.block).Bytes())
		source = partners.Below(source, w.p)
	}
}
