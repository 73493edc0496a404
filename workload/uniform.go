package workload

import "fabricast/mpi"

// uniform generates uniform random traffic. In each round, every rank sends a message to the next
// rank on a new random ring. Therefore each destination is random and never the rank itself, and
// every rank knows the sources of the messages that it will receive.
var _ = register(170, Program{
	Name: "uniform", Summary: "every rank sends messages to random other ranks", MinRanks: 2,
	Params:   []Param{sizeParam("bytes of each message"), messagesParam, windowParam, byParam},
	paceable: true,
	loop: func(p Params) *mpi.Loop {
		rings := &cycles{seed: p.Seed}
		return &mpi.Loop{
			Open: 2 * min(p.Window, p.Messages),
			Body: func(rank *mpi.Rank, i int, open []mpi.Request) bool {
				return scatterAround(rank, &p, rings, i, open)
			},
		}
	},
})

// scatterAround executes round i of a rank on the ring of that round. It starts a send and a
// receive, and then waits for the requests of an earlier round whose entries in open the next round
// needs. Therefore at most Params.Window messages of a rank are in flight.
func scatterAround(rank *mpi.Rank, p *Params, rings *cycles, i int, open []mpi.Request) (more bool) {
	c := p.messages(rank)
	buf, window := mpi.Size(int(p.Size)), len(open)/2
	before, after := rings.around(rank.Size(), uint64(i), rank.Rank())
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
