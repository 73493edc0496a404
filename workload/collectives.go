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

// call describes the program that calls a collective. The functions below make
// one loop each, with nothing in between: what is on the stack while a rank
// waits is there for every rank.
func call(kind collective.Kind, summary string, main func(p Params) func(*mpi.Rank), params ...Param) Program {
	return Program{
		Name: string(kind), Summary: summary, MinRanks: 1,
		Params: append([]Param{algorithmParam(kind), iterationsParam}, params...),
		main:   main,
	}
}

func alltoall(p Params) func(*mpi.Rank) {
	n, size, algorithm := p.Iterations, int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		blocks := mpi.Size(rank.Size() * size)
		for range n {
			rank.Alltoall(blocks, blocks, algorithm)
		}
	}
}

func barrier(p Params) func(*mpi.Rank) {
	n, algorithm := p.Iterations, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		for range n {
			rank.Barrier(algorithm)
		}
	}
}

func broadcast(p Params) func(*mpi.Rank) {
	n, size, root, algorithm := p.Iterations, int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		for range n {
			rank.Broadcast(mpi.Size(size), root, algorithm)
		}
	}
}

func allreduce(p Params) func(*mpi.Rank) {
	n, size, algorithm := p.Iterations, int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		buf := mpi.Size(size)
		for range n {
			rank.Allreduce(buf, buf, nil, algorithm)
		}
	}
}

func allgather(p Params) func(*mpi.Rank) {
	n, size, algorithm := p.Iterations, int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		for range n {
			rank.Allgather(mpi.Size(size), all, algorithm)
		}
	}
}

func reduce(p Params) func(*mpi.Rank) {
	n, size, root, algorithm := p.Iterations, int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		buf := mpi.Size(size)
		for range n {
			rank.Reduce(buf, buf, nil, root, algorithm)
		}
	}
}

func reduceScatter(p Params) func(*mpi.Rank) {
	n, size, algorithm := p.Iterations, int(p.Size), collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		for range n {
			rank.ReduceScatter(all, mpi.Size(size), nil, algorithm)
		}
	}
}

func gather(p Params) func(*mpi.Rank) {
	n, size, root, algorithm := p.Iterations, int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		for range n {
			rank.Gather(mpi.Size(size), all, root, algorithm)
		}
	}
}

func scatter(p Params) func(*mpi.Rank) {
	n, size, root, algorithm := p.Iterations, int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(rank *mpi.Rank) {
		all := mpi.Size(rank.Size() * size)
		for range n {
			rank.Scatter(all, mpi.Size(size), root, algorithm)
		}
	}
}
