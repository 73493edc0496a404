package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

var _ = Algorithms.Register(40, collective.Info{
	Name: collective.SimpleSpread, Alias: "ssprd", Summary: "all p-1 sends and receives at once",
}, SimpleSpread)

// SimpleSpread posts all receives, then starts all sends, and waits for all of them. It is the
// simple algorithm of Faraj and Yuan (2005), except that every rank starts with the rank above it,
// so that not all ranks send to rank 0 first. Each rank sends p-1 messages of one block and has
// 2(p-1) outstanding requests, for any number of ranks.
func SimpleSpread(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := ownBlock(c, send, recv)
	requests := make([]node.Request, 0, 2*(p-1))
	for from, i := rank, 1; i < p; i++ {
		from = partners.Below(from, p)
		requests = append(requests, c.Irecv(recv.Slice(from*block, block), from, collective.TagAlltoall))
	}
	for to, i := rank, 1; i < p; i++ {
		to = partners.Above(to, p)
		requests = append(requests, c.Isend(send.Slice(to*block, block), to, collective.TagAlltoall))
	}
	c.WaitAll(requests)
}
