package otf2

import "fabricast/trace"

// kinds tells which collective an operation is; the others make and destroy handles, without
// messages of their own.
var kinds = map[uint64]trace.CollectiveKind{
	opBarrier: trace.Barrier, opBroadcast: trace.Broadcast,
	opGather: trace.Gather, opGatherv: trace.Gather, opScatter: trace.Scatter, opScatterv: trace.Scatter,
	opAllgather: trace.Allgather, opAllgatherv: trace.Allgather,
	opAlltoall: trace.Alltoall, opAlltoallv: trace.Alltoall, opAlltoallw: trace.Alltoall,
	opAllreduce: trace.Allreduce, opReduce: trace.Reduce,
	opReduceScatter: trace.ReduceScatter, opReduceScatterBlock: trace.ReduceScatter,
	opScan: trace.Scan, opExscan: trace.Exscan,
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
