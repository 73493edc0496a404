package collective

import "fabricast/node"

var _ = alltoalls.register(40, Info{
	Name: SimpleSpread, Alias: "ssprd", Summary: "all p-1 sends and receives at once",
}, AlltoallSimpleSpread)

// AlltoallSimpleSpread posts all receives, then starts all sends, and waits for everything. It is
// the simple algorithm of Faraj and Yuan (2005), except that every rank begins with the rank above
// it, so that not all ranks send to rank 0 first. Each rank sends p-1 messages of one block, for
// any number of ranks, and has 2(p-1) outstanding requests.
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
