package workload

import "fabricast/mpi"

// pingpong sends a message back and forth between two ranks, which measures latency.
var _ = register(100, Program{
	Name: "pingpong", Summary: "a message goes to and fro between two ranks", MinRanks: 2,
	Params:   []Param{sizeParam("bytes of the message"), iterationsParam, pairParam, byParam},
	paceable: true,
	loop: func(p Params) *mpi.Loop {
		buf, first, second, n := mpi.Size(int(p.Size)), p.Pair[0], p.Pair[1], p.Iterations
		return &mpi.Loop{Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
			c := p.messages(rank)
			switch rank.Rank() {
			case first:
				c.Send(buf, second, 0)
				c.Recv(buf, second, 0)
			case second:
				c.Recv(buf, first, 0)
				c.Send(buf, first, 0)
			default:
				return false
			}
			return i+1 < n
		}}
	},
})
