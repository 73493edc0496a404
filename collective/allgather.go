package collective

import "fabricast/node"

// AllgatherFunc is an allgather algorithm: block s of recv at every rank
// becomes rank s's send buffer.
type AllgatherFunc func(c Comm, send, recv node.Buf)

var allgathers = family[AllgatherFunc]{KindAllgather, []entry[AllgatherFunc]{
	{Info{Name: Bruck, Summary: "ceil(log2 p) rounds, doubling what is held"}, AllgatherBruck},
	{Info{Name: Ring, Stackless: true, Summary: "p-1 rounds of one block to the rank above"}, AllgatherRing},
	{Info{Name: RecursiveDoubling, Stackless: true, Summary: "log2 p rounds with rank XOR 2^k", PowerOfTwo: true}, AllgatherRecursiveDoubling},
}}

// Allgather collects the send buffers of all ranks, in the order of ranks, at
// every rank. All send buffers have the same length.
func Allgather(c Comm, send, recv node.Buf, a Algorithm) {
	checkLen(KindAllgather, "receive", recv, send.Len()*c.Size())
	checkPair(KindAllgather, send, recv)
	allgathers.pick(a, c.Size())(allgathers.start(c, a, 0, false), send, recv)
}

// AllgatherRing passes every block around the ring (Thakur, Rabenseifner and
// Gropp 2005). p-1 messages of one block each per rank, for any number of ranks.
func AllgatherRing(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	to, from := above(rank, p), below(rank, p)
	k := c.Round(0, p-1)
	if k == 0 {
		move(recv.Slice(rank*block, block), send)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		have := (rank - k + p) % p
		next := below(have, p)
		c.Sendrecv(recv.Slice(have*block, block), to, tagAllgather,
			recv.Slice(next*block, block), from, tagAllgather)
	}
}

// AllgatherRecursiveDoubling exchanges all that is held with rank XOR 2^k in
// round k (Thakur, Rabenseifner and Gropp 2005). log2 p messages and p-1 blocks
// sent per rank; p must be a power of two.
func AllgatherRecursiveDoubling(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	n := log2(p)
	k := c.Round(0, n)
	if k == 0 {
		move(recv.Slice(rank*block, block), send)
	}
	for ; k < n; k = c.Round(k+1, n) {
		bit := 1 << k
		partner := rank ^ bit
		mine, theirs := rank&^(bit-1), partner&^(bit-1)
		c.Sendrecv(recv.Slice(mine*block, bit*block), partner, tagAllgather,
			recv.Slice(theirs*block, bit*block), partner, tagAllgather)
	}
}

// AllgatherBruck is the concatenation algorithm of Bruck et al. (1997): in round
// k every rank sends all that it holds, at most 2^k blocks, to the rank 2^k
// below. Blocks are held counted from the own rank and turned at the end.
// ceil(log2 p) messages and p-1 blocks sent per rank, for any number of ranks.
func AllgatherBruck(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	held := scratch(p*block, send)
	move(held, send)
	rounds := log2(p)
	for k := c.Round(0, rounds); k < rounds; k = c.Round(k+1, rounds) {
		d := 1 << k
		n := min(d, p-d) * block
		c.Sendrecv(held.Slice(0, n), (rank-d+p)%p, tagAllgather,
			held.Slice(d*block, n), (rank+d)%p, tagAllgather)
	}
	rotate(recv, held, p, rank, block)
}
