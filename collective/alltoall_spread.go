package collective

import "fabricast/node"

// AlltoallSimpleSpread posts all receives, then starts all sends, and waits for
// everything (the simple algorithm of Faraj and Yuan 2005, its messages spread:
// every rank begins with the rank above it, so that not everyone sends to rank
// 0 first). p-1 messages of one block each per rank, for any number of ranks;
// 2(p-1) requests are outstanding at every rank.
func AlltoallSimpleSpread(c Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := ownBlock(c, send, recv)
	requests := make([]node.Request, 0, 2*(p-1))
	for from, i := rank, 1; i < p; i++ {
		from = below(from, p)
		requests = append(requests, c.Irecv(recv.Slice(from*block, block), from, tagAlltoall))
	}
	for to, i := rank, 1; i < p; i++ {
		to = above(to, p)
		requests = append(requests, c.Isend(send.Slice(to*block, block), to, tagAlltoall))
	}
	c.WaitAll(requests)
}
