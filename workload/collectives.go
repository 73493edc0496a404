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
func call(kind collective.Kind, summary string, once func(p Params) func(collective.Comm), params ...Param) Program {
	return Program{
		Name: string(kind), Summary: summary, MinRanks: 1,
		Params: append([]Param{algorithmParam(kind), iterationsParam, byParam}, params...),
		once:   once,
		loop:   func(p Params) *mpi.Loop { return calls(&p, once(p)) },
	}
}

// calls is the loop that calls a collective as the parameters say.
func calls(p *Params, once func(collective.Comm)) *mpi.Loop {
	byPut, pacing := p.By == ByPut, p.Pacing
	l := repeat(p.Iterations, func(rank *mpi.Rank) {
		rank.Pace(pacing)
		if byPut {
			once(rank.ByPut().Collective())
		} else {
			once(rank.Collective())
		}
	})
	// Ranks that meet between steps do so in the middle of an algorithm's rounds.
	l.Coroutines = pacing != nil && pacing.Every > 0
	return l
}

// repeat is the loop of n iterations that are all alike.
func repeat(n int, once func(*mpi.Rank)) *mpi.Loop {
	return &mpi.Loop{Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
		once(rank)
		return i+1 < n
	}}
}

// Collective returns what a rank calls in each iteration of a program that is a collective;
// nil for other programs. The parameters must be resolved.
func (p *Program) Collective(params Params) func(c collective.Comm) {
	if p.once == nil {
		return nil
	}
	return p.once(params)
}

func alltoall(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		blocks := mpi.Size(c.Size() * size)
		collective.Alltoall(c, blocks, blocks, algorithm)
	}
}

func barrier(p Params) func(collective.Comm) {
	algorithm := collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		collective.Barrier(c, algorithm)
	}
}

func broadcast(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		collective.Broadcast(c, mpi.Size(size), root, algorithm)
	}
}

func allreduce(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		buf := mpi.Size(size)
		collective.Allreduce(c, buf, buf, nil, algorithm)
	}
}

func allgather(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		collective.Allgather(c, mpi.Size(size), all, algorithm)
	}
}

func reduce(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		buf := mpi.Size(size)
		collective.Reduce(c, buf, buf, nil, root, algorithm)
	}
}

func reduceScatter(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		collective.ReduceScatter(c, all, mpi.Size(size), nil, algorithm)
	}
}

func gather(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		collective.Gather(c, mpi.Size(size), all, root, algorithm)
	}
}

func scatter(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		collective.Scatter(c, all, mpi.Size(size), root, algorithm)
	}
}
