package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// collectives are the programs that call one collective again and again.
func collectives() []Program {
	size := sizeParam
	return []Program{
		call(collective.KindAlltoall, "every rank sends a block to every rank", alltoall, size("bytes for each pair of ranks")),
		call(collective.KindBarrier, "no rank goes on before all have come", barrier),
		call(collective.KindBroadcast, "the root's message goes to every rank", broadcast, size("bytes of the message"), rootParam),
		call(collective.KindAllreduce, "every rank gets the combination of all ranks' vectors", allreduce, size("bytes of each rank's vector")),
		call(collective.KindAllgather, "every rank gets every rank's block", allgather, size("bytes of each rank's block")),
		call(collective.KindReduce, "the root gets the combination of all ranks' vectors", reduce, size("bytes of each rank's vector"), rootParam),
		call(collective.KindReduceScatter, "every rank gets its block of the combination", reduceScatter, size("bytes that each rank gets")),
		call(collective.KindGather, "the root gets every rank's block", gather, size("bytes of each rank's block"), rootParam),
		call(collective.KindScatter, "every rank gets its block from the root", scatter, size("bytes of each rank's block"), rootParam),
	}
}

// call describes the program that calls a collective once in each iteration.
func call(kind collective.Kind, summary string, once func(p Params) func(*mpi.Rank), params ...Param) Program {
	return Program{
		Name: string(kind), Summary: summary, MinRanks: 1,
		Params: append([]Param{algorithmParam(kind), iterationsParam}, params...),
		loop:   func(p Params) *mpi.Loop { return repeat(p.Iterations, once(p)) },
	}
}

// repeat is the loop of n iterations that are all alike.
func repeat(n int, once func(*mpi.Rank)) *mpi.Loop {
	return &mpi.Loop{Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
		once(rank)
		return i+1 < n
	}}
}

func alltoall(p Params) func(*mpi.Rank) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		blocks := mpi.Size(rank.Size() * size)
		rank.Alltoall(blocks, blocks, algorithm)
	}
}

func barrier(p Params) func(*mpi.Rank) {
	algorithm := collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		rank.Barrier(algorithm)
	}
}

func broadcast(p Params) func(*mpi.Rank) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		rank.Broadcast(mpi.Size(size), root, algorithm)
	}
}

func allreduce(p Params) func(*mpi.Rank) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		buf := mpi.Size(size)
		rank.Allreduce(buf, buf, nil, algorithm)
	}
}

func allgather(p Params) func(*mpi.Rank) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		rank.Allgather(mpi.Size(size), all, algorithm)
	}
}

func reduce(p Params) func(*mpi.Rank) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		buf := mpi.Size(size)
		rank.Reduce(buf, buf, nil, root, algorithm)
	}
}

func reduceScatter(p Params) func(*mpi.Rank) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		rank.ReduceScatter(all, mpi.Size(size), nil, algorithm)
	}
}

func gather(p Params) func(*mpi.Rank) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		rank.Gather(mpi.Size(size), all, root, algorithm)
	}
}

func scatter(p Params) func(*mpi.Rank) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		rank.Scatter(all, mpi.Size(size), root, algorithm)
	}
}
