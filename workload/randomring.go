package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// Tags of messages by direction on the ring.
const (
	upward = iota
	downward
)

// random-ring has the communication of the random ring benchmark of the HPC Challenge suite
// (Luszczek et al. 2005). Neighbours on the ring are usually far apart in the network, and each
// rank exchanges messages with both neighbours concurrently.
var _ = register(120, Program{
	Name:    "random-ring",
	Summary: "every rank exchanges with both neighbours on a ring of random order", MinRanks: 2,
	Params:   []Param{sizeParam("bytes of each message"), iterationsParam, byParam},
	paceable: true,
	round:    randomRingRound,
	loop: func(p Params) *mpi.Loop {
		round := randomRingRound(p)
		return repeat(p.Iterations, func(rank *mpi.Rank) { round(p.messages(rank)) })
	},
})

func randomRingRound(p Params) func(collective.Comm) {
	buf := mpi.Size(int(p.Size))
	return func(c collective.Comm) {
		order := newCycle(c.Size(), p.Seed, 0)
		before, after := order.around(c.Rank())
		exchangeBoth(c, buf, before, after)
	}
}

// exchangeBoth sends a message to each of two neighbours and receives one from each, concurrently.
func exchangeBoth(c collective.Comm, buf mpi.Buf, before, after int) {
	requests := [...]mpi.Request{
		c.Irecv(buf, before, upward),
		c.Irecv(buf, after, downward),
		c.Isend(buf, before, downward),
		c.Isend(buf, after, upward),
	}
	c.WaitAll(requests[:])
}
