package calls

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
	"fabricast/node"
)

// Start executes the call that a Start describes. The buffers have no contents. Their size is
// s.Bytes or, if that is not given, a few bytes for each rank.
func Start(s collective.Start, c collective.Comm) {
	const each = 8
	one, all := node.Size(each), node.Size(each*c.Size())
	switch {
	case s.Bytes > 0 && (s.Kind == collective.KindGather || s.Kind == collective.KindAllgather):
		one, all = node.Size(s.Bytes), node.Size(s.Bytes*c.Size())
	case s.Bytes > 0 && s.Kind == collective.KindReduceScatter:
		one, all = node.Size(s.Bytes/c.Size()), node.Size(s.Bytes)
	case s.Bytes > 0:
		all = node.Size(s.Bytes)
	}
	var op *collective.Op
	switch {
	case s.Ordered:
		op = &collective.Op{Name: "ordered", Elem: each, Combine: func(_, _ []byte) {}}
	case s.Elem > 0:
		op = &collective.Op{Name: "segments", Commutative: true, Combine: func(_, _ []byte) {}}
	}
	if s.Elem > 0 {
		op.Elem = s.Elem
	}
	switch s.Kind {
	case collective.KindAlltoall:
		alltoall.Run(c, all, all, s.Algorithm)
	case collective.KindBarrier:
		barrier.Run(c, s.Algorithm)
	case collective.KindBroadcast:
		broadcast.Run(c, all, s.Root, s.Algorithm)
	case collective.KindAllreduce:
		allreduce.Run(c, all, all, op, s.Algorithm)
	case collective.KindAllgather:
		allgather.Run(c, one, all, s.Algorithm)
	case collective.KindReduce:
		reduce.Run(c, all, all, op, s.Root, s.Algorithm)
	case collective.KindReduceScatter:
		reducescatter.Run(c, all, one, op, s.Algorithm)
	case collective.KindGather:
		gather.Run(c, one, all, s.Root, s.Algorithm)
	case collective.KindScatter:
		scatter.Run(c, all, one, s.Root, s.Algorithm)
	case collective.KindScan:
		scan.Run(c, all, all, op, s.Algorithm)
	case collective.KindExscan:
		scan.RunExclusive(c, all, all, op, s.Algorithm)
	}
}

// Func runs an algorithm of a collective. Its arguments are the buffers, the root, and the
// operation of a reduction.
type Func func(c collective.Comm, send, recv node.Buf, root int, op *collective.Op)

// Anew returns a function that runs a stackless algorithm of a collective again (see
// collective.Info), without the checks of the arguments that the first run has made. It returns nil
// if the algorithm is not stackless. Arguments that the collective does not have are ignored. A
// collective with a single buffer uses recv.
func Anew(k collective.Kind, a collective.Algorithm, ranks int) Func {
	if !collective.Stackless(k, a) {
		return nil
	}
	switch k {
	case collective.KindBarrier:
		f := barrier.Algorithms.Choose(a, ranks).Run
		return func(c collective.Comm, _, _ node.Buf, _ int, _ *collective.Op) { f(c) }
	case collective.KindAlltoall:
		f := alltoall.Algorithms.Choose(a, ranks).Run
		return func(c collective.Comm, send, recv node.Buf, _ int, _ *collective.Op) { f(c, send, recv) }
	case collective.KindAllgather:
		f := allgather.Algorithms.Choose(a, ranks).Run
		return func(c collective.Comm, send, recv node.Buf, _ int, _ *collective.Op) { f(c, send, recv) }
	case collective.KindBroadcast:
		f := broadcast.Algorithms.Choose(a, ranks).Run
		return func(c collective.Comm, _, recv node.Buf, root int, _ *collective.Op) { f(c, recv, root) }
	case collective.KindAllreduce:
		f := allreduce.Algorithms.Choose(a, ranks).Run
		return func(c collective.Comm, _, recv node.Buf, _ int, op *collective.Op) { f(c, recv, op) }
	}
	return nil
}
