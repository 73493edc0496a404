package alltoall

import (
	"fabricast/collective"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(60, collective.Info{
		Name: collective.Linear, Summary: "as simple-spread, but sends begin with the rank below",
	}, Linear)
	_ = Algorithms.RegisterWith(70, collective.Info{
		Name: collective.LinearSync, Overlaps: true, Options: []collective.Option{windowOption(8)},
		Summary: "as linear, with a bounded number of messages under way",
	}, func(v collective.Values) Func { return LinearSync(v[0]) })
)

// Linear posts all receives, starting with the rank above, then starts all sends, starting with the
// rank below, and waits for all of them (the linear algorithm of Open MPI). Each rank sends p-1
// messages of one block.
func Linear(c collective.Comm, send, recv node.Buf) { Scattered(c.Size())(c, send, recv) }

// LinearSync returns Open MPI's all-to-all with a limited number of sends and receives in progress.
// It starts the next one when the oldest is complete (Open MPI: when any of them is). Each rank
// sends p-1 messages of one block.
func LinearSync(window int) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		p, rank := c.Size(), c.Rank()
		block := ownBlock(c, send, recv)
		n := min(window, p-1)
		receives, sends := make([]node.Request, n), make([]node.Request, n)
		receive := func(k int) {
			from := (rank + 1 + k) % p
			receives[k%n] = c.Irecv(recv.Slice(from*block, block), from, collective.TagAlltoall)
		}
		start := func(k int) {
			to := (rank - 1 - k + p) % p
			sends[k%n] = c.Isend(send.Slice(to*block, block), to, collective.TagAlltoall)
		}
		for k := range n {
			receive(k)
		}
		for k := range n {
			start(k)
		}
		for k := n; k < p-1; k++ {
			c.Wait(receives[k%n])
			receive(k)
			c.Wait(sends[k%n])
			start(k)
		}
		c.WaitAll(receives)
		c.WaitAll(sends)
	}
}
