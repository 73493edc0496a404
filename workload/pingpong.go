package workload

import "fabricast/mpi"

// pingpong measures the latency between two ranks.
var pingpong = Program{
	Name: "pingpong", Summary: "a message goes to and fro between two ranks", MinRanks: 2,
	Params: []Param{sizeParam("bytes of the message"), iterationsParam, pairParam},
	main: func(p Params) func(*mpi.Rank) {
		buf, first, second, n := mpi.Size(int(p.Size)), p.Pair[0], p.Pair[1], p.Iterations
		return func(rank *mpi.Rank) {
			switch rank.Rank() {
			case first:
				for range n {
					rank.Send(buf, second, 0)
					rank.Recv(buf, second, 0)
				}
			case second:
				for range n {
					rank.Recv(buf, first, 0)
					rank.Send(buf, first, 0)
				}
			}
		}
	},
}
