package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// The programs that call one collective repeatedly.
var (
	_ = register(10, call(
		collective.KindAlltoall, "every rank sends a block to every rank", alltoall,
		sizeParam("bytes for each pair of ranks"),
	))
	_ = register(20, call(collective.KindBarrier, "no rank goes on before all have come", barrier))
	_ = register(30, call(
		collective.KindBroadcast, "the root's message goes to every rank", broadcast,
		sizeParam("bytes of the message"), rootParam,
	))
	_ = register(40, call(
		collective.KindAllreduce, "every rank gets the combination of all ranks' vectors",
		allreduce, sizeParam("bytes of each rank's vector"),
	))
	_ = register(50, call(
		collective.KindAllgather, "every rank gets every rank's block", allgather,
		sizeParam("bytes of each rank's block"),
	))
	_ = register(60, call(
		collective.KindReduce, "the root gets the combination of all ranks' vectors", reduce,
		sizeParam("bytes of each rank's vector"), rootParam,
	))
	_ = register(70, call(
		collective.KindReduceScatter, "every rank gets its block of the combination",
		reduceScatter, sizeParam("bytes that each rank gets"),
	))
	_ = register(80, call(
		collective.KindGather, "the root gets every rank's block", gather,
		sizeParam("bytes of each rank's block"), rootParam,
	))
	_ = register(90, call(
		collective.KindScatter, "every rank gets its block from the root", scatter,
		sizeParam("bytes of each rank's block"), rootParam,
	))
	_ = register(92, call(
		collective.KindScan, "every rank gets the combination of the ranks up to it", scan,
		sizeParam("bytes of each rank's vector"),
	))
	_ = register(94, call(
		collective.KindExscan, "every rank gets the combination of the ranks below it", exscan,
		sizeParam("bytes of each rank's vector"),
	))
)

// call describes the program that calls a collective once in each iteration. once returns the
// function that makes the call.
func call(
	kind collective.Kind,
	summary string,
	once func(p Params) func(collective.Comm),
	params ...Param,
) Program {
	return Program{
		Name: string(kind), Summary: summary, MinRanks: 1,
		Params: append([]Param{algorithmParam(kind), iterationsParam, byParam}, params...),
		once:   once,
		loop: func(p Params) *mpi.Loop {
			l := calls(&p, once(p))
			l.Coroutines = l.Coroutines || collective.Overlaps(kind, collective.Algorithm(p.Algorithm))
			return l
		},
	}
}

// calls returns the loop that calls a collective as the parameters select.
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

// repeat returns a loop of n equal iterations.
func repeat(n int, once func(*mpi.Rank)) *mpi.Loop {
	return &mpi.Loop{Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
		once(rank)
		return i+1 < n
	}}
}

// Collective returns the function that a rank calls in each iteration of a program that is a
// collective; nil for other programs. The parameters must be resolved.
func (p *Program) Collective(params Params) func(c collective.Comm) {
	if p.once == nil {
		return nil
	}
	return p.once(params)
}

// Round is like Collective, but also returns the communication of one iteration for other programs
// that can be paced by steps. It returns nil for programs that cannot.
func (p *Program) Round(params Params) func(c collective.Comm) {
	if p.round != nil {
		return p.round(params)
	}
	return p.Collective(params)
}

// Paceable reports whether the program's messages can be paced.
func (p *Program) Paceable() bool { return p.once != nil || p.paceable }

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

func allreduce(p Params) func(collective.Comm) { return onVectors(p, collective.Allreduce) }

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

func scan(p Params) func(collective.Comm) { return onVectors(p, collective.Scan) }

func exscan(p Params) func(collective.Comm) { return onVectors(p, collective.Exscan) }

// onVectors calls a reduction that gives every rank a vector.
func onVectors(
	p Params,
	call func(c collective.Comm, send, recv mpi.Buf, op *collective.Op, a collective.Algorithm),
) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		buf := mpi.Size(size)
		call(c, buf, buf, nil, algorithm)
	}
}
