package workload

import "fabricast/mpi"

// uniform is uniform random traffic. In each round a new random ring goes
// through all ranks, and every rank sends to the next one on it: so each
// destination is random and never the rank itself, and every rank knows how
// many messages it will get, and from whom.
var uniform = Program{
	Name: "uniform", Summary: "every rank sends messages to random other ranks", MinRanks: 2,
	Params: []Param{sizeParam("bytes of each message"), messagesParam, windowParam, seedParam},
	main: func(p Params) func(*mpi.Rank) {
		return func(rank *mpi.Rank) { scatterAround(rank, p) }
	},
}

// scatterAround sends and receives the messages of a rank. It may be a window
// of messages ahead of what has reached it.
func scatterAround(rank *mpi.Rank, p Params) {
	buf := mpi.Size(int(p.Size))
	window := min(p.Window, p.Messages)
	open := make([]mpi.Request, 2*window)
	for i := range p.Messages {
		order := newCycle(rank.Size(), p.Seed, uint64(i))
		before, after := order.around(rank.Rank())
		slot := open[2*(i%window):][:2]
		rank.WaitAll(slot)
		slot[0] = rank.Irecv(buf, before, 0)
		slot[1] = rank.Isend(buf, after, 0)
	}
	rank.WaitAll(open)
}
