package alltoall

import (
	"fabricast/collective"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(80, collective.Info{
	Name: collective.Scattered, Options: []collective.Option{windowOption(32)},
	Summary: "sends and receives in groups, each of which ends before the next begins",
}, func(v collective.Values) Func { return Scattered(v[0]) })

// Scattered returns MPICH's all-to-all for blocks of medium size. It starts `window` receives and
// sends, waits for all of them, and continues with the next ones (Thakur, Rabenseifner and Gropp
// 2005 start all of them at once). Each rank sends p-1 messages of one block.
func Scattered(window int) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		p, rank := c.Size(), c.Rank()
		block := ownBlock(c, send, recv)
		requests := make([]node.Request, 0, 2*min(window, p))
		for first := 0; first < p; first += window {
			end := min(first+window, p)
			requests = requests[:0]
			for d := max(first, 1); d < end; d++ {
				from := (rank + d) % p
				requests = append(requests, c.Irecv(recv.Slice(from*block, block), from, collective.TagAlltoall))
			}
			for d := max(first, 1); d < end; d++ {
				to := (rank - d + p) % p
				requests = append(requests, c.Isend(send.Slice(to*block, block), to, collective.TagAlltoall))
			}
			c.WaitAll(requests)
		}
	}
}

// windowOption returns the option for the maximum number of messages in progress, with default n.
func windowOption(n int) collective.Option {
	return collective.Option{
		Name: "window", Default: n, Least: 1,
		Summary: "messages that a rank sends, and receives, at once",
	}
}
