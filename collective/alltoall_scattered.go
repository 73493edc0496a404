package collective

import "fabricast/node"

var _ = alltoalls.registerWith(80, Info{
	Name: Scattered, Options: []Option{windowOption(32)},
	Summary: "sends and receives in groups, each of which ends before the next begins",
}, func(v values) AlltoallFunc { return AlltoallScattered(v[0]) })

// AlltoallScattered returns MPICH's all-to-all for blocks of medium size. It starts as many
// receives and sends as the window allows, waits for all of them, and goes on with the next
// (Thakur, Rabenseifner and Gropp 2005 start all at once). Each rank sends p-1 messages of one
// block.
func AlltoallScattered(window int) AlltoallFunc {
	return func(c Comm, send, recv node.Buf) {
		p, rank := c.Size(), c.Rank()
		block := ownBlock(c, send, recv)
		requests := make([]node.Request, 0, 2*min(window, p))
		for first := 0; first < p; first += window {
			end := min(first+window, p)
			requests = requests[:0]
			for d := max(first, 1); d < end; d++ {
				from := (rank + d) % p
				requests = append(requests, c.Irecv(recv.Slice(from*block, block), from, tagAlltoall))
			}
			for d := max(first, 1); d < end; d++ {
				to := (rank - d + p) % p
				requests = append(requests, c.Isend(send.Slice(to*block, block), to, tagAlltoall))
			}
			c.WaitAll(requests)
		}
	}
}
