package otf2

import "fabricast/trace"

// kinds maps an operation to its collective: 1 more than the number in package trace.
var kinds = [...]trace.CollectiveKind{
	opBarrier: trace.Barrier + 1, opBroadcast: trace.Broadcast + 1,
	opGather: trace.Gather + 1, opGatherv: trace.Gather + 1, opScatter: trace.Scatter + 1,
	opScatterv:  trace.Scatter + 1,
	opAllgather: trace.Allgather + 1, opAllgatherv: trace.Allgather + 1,
	opAlltoall: trace.Alltoall + 1, opAlltoallv: trace.Alltoall + 1, opAlltoallw: trace.Alltoall + 1,
	opAllreduce: trace.Allreduce + 1, opReduce: trace.Reduce + 1,
	opReduceScatter: trace.ReduceScatter + 1, opReduceScatterBlock: trace.ReduceScatter + 1,
	opScan: trace.Scan + 1, opExscan: trace.Exscan + 1,
}

// kindOf returns which collective an operation is. Those that make and destroy handles, without
// messages of their own, are none.
func kindOf(op uint64) (kind trace.CollectiveKind, moves bool) {
	if op >= uint64(len(kinds)) {
		return 0, false
	}
	return kinds[op] - 1, kinds[op] != 0
}

// uneven reports whether the blocks of an operation may differ.
func uneven(op uint64) bool {
	switch op {
	case opGatherv, opScatterv, opAllgatherv, opAlltoallv, opAlltoallw, opReduceScatter:
		return true
	}
	return false
}

// operandSize returns the size of a collective's operand (see trace.Operation) from the bytes that
// the event says were sent and received on a rank of n. Score-P counts what a rank has for itself
// too, unless it is left in place: the root of a broadcast sends n buffers, and every rank of an
// allreduce sends and receives n (or n-1) of them.
func operandSize(kind trace.CollectiveKind, sent, received int64, n int) int64 {
	switch kind {
	case trace.Barrier:
		return 0
	case trace.Broadcast, trace.Scatter:
		if received > 0 {
			return received
		}
		return perRank(sent, n)
	case trace.Gather, trace.Reduce:
		if sent > 0 {
			return sent
		}
		return perRank(received, n)
	case trace.Scan, trace.Exscan:
		return max(sent, received)
	}
	return perRank(max(sent, received), n)
}

// perRank returns one of n equal parts, of which in-place calls leave one out. Where both readings
// are possible the total is taken to be of all n.
func perRank(total int64, n int) int64 {
	if p := int64(n); total%p == 0 || p == 1 || total%(p-1) != 0 {
		return total / p
	}
	return total / int64(n-1)
}
