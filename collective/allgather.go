package collective

import "fabricast/node"

// AllgatherFunc is an allgather algorithm: it copies rank s's send buffer to block s of recv at
// every rank.
type AllgatherFunc func(c Comm, send, recv node.Buf)

var allgathers = family[AllgatherFunc]{kind: KindAllgather}

// Allgather collects the send buffers of all ranks, in the order of ranks, at every rank. All send
// buffers must have the same length.
func Allgather(c Comm, send, recv node.Buf, a Algorithm) {
	checkLen(KindAllgather, "receive", recv, send.Len()*c.Size())
	checkPair(KindAllgather, send, recv)
	allgathers.pick(a, c.Size())(allgathers.start(c, a, 0, false), send, recv)
}

var _ = allgathers.register(20, Info{
	Name: Ring, Stackless: true, Summary: "p-1 rounds of one block to the rank above",
}, AllgatherRing)

// AllgatherRing passes every block around the ring (Thakur, Rabenseifner and Gropp 2005). Each rank
// sends p-1 messages of one block each, for any number of ranks.
func AllgatherRing(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	to, from := above(rank, p), below(rank, p)
	k := c.Round(0, p-1)
	if k == 0 {
		move(c, recv.Slice(rank*block, block), send)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		have := (rank - k + p) % p
		next := below(have, p)
		c.Sendrecv(recv.Slice(have*block, block), to, tagAllgather,
			recv.Slice(next*block, block), from, tagAllgather)
	}
}

var _ = allgathers.register(30, Info{
	Name:       RecursiveDoubling,
	Stackless:  true,
	Summary:    "log2 p rounds with rank XOR 2^k",
	PowerOfTwo: true,
}, AllgatherRecursiveDoubling)

// AllgatherRecursiveDoubling exchanges all blocks collected so far with rank XOR 2^k in round k
// (Thakur, Rabenseifner and Gropp 2005). Each rank sends log2 p messages and p-1 blocks in total. p
// must be a power of two.
func AllgatherRecursiveDoubling(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	n := log2(p)
	k := c.Round(0, n)
	if k == 0 {
		move(c, recv.Slice(rank*block, block), send)
	}
	for ; k < n; k = c.Round(k+1, n) {
		bit := 1 << k
		partner := rank ^ bit
		mine, theirs := rank&^(bit-1), partner&^(bit-1)
		c.Sendrecv(recv.Slice(mine*block, bit*block), partner, tagAllgather,
			recv.Slice(theirs*block, bit*block), partner, tagAllgather)
	}
}

var _ = allgathers.register(10, Info{
	Name: Bruck, Summary: "ceil(log2 p) rounds, doubling what is held",
}, AllgatherBruck)

// AllgatherBruck is the concatenation algorithm of Bruck et al. (1997). In round k every rank sends
// the first blocks that it has, at most 2^k, to the rank 2^k below. Blocks are kept in order
// starting with the rank's own, and are rotated at the end. Each rank sends ceil(log2 p) messages
// and p-1 blocks in total, for any number of ranks.
func AllgatherBruck(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	held := scratch(p*block, send)
	move(c, held, send)
	rounds := log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		d := 1 << k
		n := min(d, p-d) * block
		c.Sendrecv(held.Slice(0, n), (rank-d+p)%p, tagAllgather,
			held.Slice(d*block, n), (rank+d)%p, tagAllgather)
	}
	rotate(c, recv, held, p, rank, block)
}
