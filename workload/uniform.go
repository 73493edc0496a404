package workload

import "fabricast/mpi"

// uniform generates uniform random traffic. In each round, a new random ring goes through all
// ranks, and every rank sends to the next one on the ring. Each destination is thus random and
// never the rank itself, and every rank knows how many messages it will receive, and from whom.
var _ = register(170, Program{
	Name: "uniform", Summary: "every rank sends messages to random other ranks", MinRanks: 2,
	Params:   []Param{sizeParam("bytes of each message"), messagesParam, windowParam, byParam},
	paceable: true,
	loop: func(p Params) *mpi.Loop {
		rings := &cycles{seed: p.Seed}
		return &mpi.Loop{
			Open: 2 * min(p.Window, p.Messages),
			Body: func(rank *mpi.Rank, i int, open []mpi.Request) bool {
				return scatterAround(rank, p, rings.at(rank.Size(), uint64(i)), i, open)
			},
		}
	},
})

// scatterAround executes round i of a rank, on the ring of that round. It starts a send and a
// receive, and waits until the requests of the next round fit into open. A rank is thus at most a
// window of messages ahead of the messages it has received.
func scatterAround(rank *mpi.Rank, p Params, order *cycle, i int, open []mpi.Request) (more bool) {
	c := p.messages(rank)
	buf, window := mpi.Size(int(p.Size)), len(open)/2
	before, after := order.around(rank.Rank())
	at := 2 * (i % window)
	open[at], open[at+1] = c.Irecv(buf, before, 0), c.Isend(buf, after, 0)
	if i+1 == p.Messages {
		c.WaitAll(open)
		return false
	}
	next := 2 * ((i + 1) % window)
	c.WaitAll(open[next : next+2])
	return true
}
