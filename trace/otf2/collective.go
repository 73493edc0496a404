package otf2

import "fabricast/trace"

// kinds maps an OTF2 collective to 1 + the trace.CollectiveKind; 0 if there is no such kind.
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

// kindOf returns the kind of an OTF2 collective. moves is false for operations that only create and
// destroy handles, and have no messages.
func kindOf(op uint64) (kind trace.CollectiveKind, moves bool) {
	if op >= uint64(len(kinds)) {
		return 0, false
	}
	return kinds[op] - 1, kinds[op] != 0
}

// uneven reports whether the data blocks of an OTF2 collective may have different sizes.
func uneven(op uint64) bool {
	switch op {
	case opGatherv, opScatterv, opAllgatherv, opAlltoallv, opAlltoallw, opReduceScatter:
		return true
	}
	return false
}

// operandSize returns trace.Operation.Size of a collective of n ranks, computed from the bytes that
// a rank sent and received according to the event. Score-P includes the data that a rank sends to
// itself, unless the call uses MPI_IN_PLACE: the root of a broadcast sends n buffers, and every
// rank of an allreduce sends and receives n (in place: n-1) buffers.
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

// perRank returns the size of a data block if total is the size of n blocks, or of n-1 blocks in a
// call with MPI_IN_PLACE. If both are possible, it assumes n.
func perRank(total int64, n int) int64 {
	if p := int64(n); total%p == 0 || p == 1 || total%(p-1) != 0 {
		return total / p
	}
	return total / int64(n-1)
}
