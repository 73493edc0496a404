package workload

import (
	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/reduce"
	"fabricast/collective/reducescatter"
	"fabricast/collective/scan"
	"fabricast/collective/scatter"
	"fabricast/mpi"
)

// Programs that call one collective repeatedly.
var (
	_ = register(10, call(
		collective.KindAlltoall, "every rank sends a block to every rank", onceAlltoall,
		sizeParam("bytes for each pair of ranks"),
	))
	_ = register(20, call(collective.KindBarrier, "no rank goes on before all have come", onceBarrier))
	_ = register(30, call(
		collective.KindBroadcast, "the root's message goes to every rank", onceBroadcast,
		sizeParam("bytes of the message"), rootParam,
	))
	_ = register(40, call(
		collective.KindAllreduce, "every rank gets the combination of all ranks' vectors",
		onceAllreduce, sizeParam("bytes of each rank's vector"),
	))
	_ = register(50, call(
		collective.KindAllgather, "every rank gets every rank's block", onceAllgather,
		sizeParam("bytes of each rank's block"),
	))
	_ = register(60, call(
		collective.KindReduce, "the root gets the combination of all ranks' vectors", onceReduce,
		sizeParam("bytes of each rank's vector"), rootParam,
	))
	_ = register(70, call(
		collective.KindReduceScatter, "every rank gets its block of the combination",
		onceReduceScatter, sizeParam("bytes that each rank gets"),
	))
	_ = register(80, call(
		collective.KindGather, "the root gets every rank's block", onceGather,
		sizeParam("bytes of each rank's block"), rootParam,
	))
	_ = register(90, call(
		collective.KindScatter, "every rank gets its block from the root", onceScatter,
		sizeParam("bytes of each rank's block"), rootParam,
	))
	_ = register(92, call(
		collective.KindScan, "every rank gets the combination of the ranks up to it", onceScan,
		sizeParam("bytes of each rank's vector"),
	))
	_ = register(94, call(
		collective.KindExscan, "every rank gets the combination of the ranks below it", onceExscan,
		sizeParam("bytes of each rank's vector"),
	))
)

// call returns the program that calls a collective once per iteration. once returns a function that
// makes the call for given parameters.
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

// calls returns a loop that calls a collective, through once, in each iteration.
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
	// The barriers of pacing interrupt the rounds of an algorithm, which requires coroutines.
	l.Coroutines = pacing != nil && pacing.Every > 0
	return l
}

// repeat returns a loop of n identical iterations.
func repeat(n int, once func(*mpi.Rank)) *mpi.Loop {
	return &mpi.Loop{Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
		once(rank)
		return i+1 < n
	}}
}

// Collective returns the collective that each rank calls once per iteration, if the program repeats
// a single collective, and nil otherwise. params must have been resolved, see Resolve.
func (p *Program) Collective(params Params) func(c collective.Comm) {
	if p.once == nil {
		return nil
	}
	return p.once(params)
}

// Round returns the communication of one iteration, for programs whose messages can be paced by
// steps. These are the programs that repeat a collective, and some others. For all other programs
// it returns nil.
func (p *Program) Round(params Params) func(c collective.Comm) {
	if p.round != nil {
		return p.round(params)
	}
	return p.Collective(params)
}

// Paceable reports whether Params.Pacing applies to the program's messages.
func (p *Program) Paceable() bool { return p.once != nil || p.paceable }

func onceAlltoall(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		blocks := mpi.Size(c.Size() * size)
		alltoall.Run(c, blocks, blocks, algorithm)
	}
}

func onceBarrier(p Params) func(collective.Comm) {
	algorithm := collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		barrier.Run(c, algorithm)
	}
}

func onceBroadcast(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		broadcast.Run(c, mpi.Size(size), root, algorithm)
	}
}

func onceAllreduce(p Params) func(collective.Comm) { return onVectors(p, allreduce.Run) }

func onceAllgather(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		allgather.Run(c, mpi.Size(size), all, algorithm)
	}
}

func onceReduce(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		buf := mpi.Size(size)
		reduce.Run(c, buf, buf, nil, root, algorithm)
	}
}

func onceReduceScatter(p Params) func(collective.Comm) {
	size, algorithm := int(p.Size), collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		reducescatter.Run(c, all, mpi.Size(size), nil, algorithm)
	}
}

func onceGather(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		gather.Run(c, mpi.Size(size), all, root, algorithm)
	}
}

func onceScatter(p Params) func(collective.Comm) {
	size, root, algorithm := int(p.Size), p.Root, collective.Algorithm(p.Algorithm)
	return func(c collective.Comm) {
		all := mpi.Size(c.Size() * size)
		scatter.Run(c, all, mpi.Size(size), root, algorithm)
	}
}

func onceScan(p Params) func(collective.Comm) { return onVectors(p, scan.Run) }

func onceExscan(p Params) func(collective.Comm) { return onVectors(p, scan.RunExclusive) }

// onVectors returns a function that calls a reduction whose result on every rank is a vector of
// p.Size bytes.
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
