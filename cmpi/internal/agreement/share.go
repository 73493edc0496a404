package agreement

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
)

// share holds the arguments of a collective call that must be the same at all ranks.
type share struct {
	bytes  int64  // size of each rank's part; 0 where sizes may differ
	counts uint64 // hash of the counts of all ranks, where they are given
	op     int32  // of a reduction; all user-defined ones count as the same
}

// ownOperation stands for all user-defined operations, which ranks may have created in different
// orders.
const ownOperation = -1

// shareOf returns the share of a call.
func shareOf(c *host.Call) share {
	if c.Remote != nil { // the groups may differ
		return share{}
	}
	var s share
	if c.Op != 0 {
		if s.op = c.Op; !host.Predefined(c.Op) {
			s.op = ownOperation
		}
	}
	leads, n := c.Rank == c.Root, int64(c.Size)
	switch c.What {
	case host.Broadcast:
		s.bytes = c.RecvSize
	case host.Gather:
		if s.bytes = c.SendSize; leads {
			s.bytes = c.RecvSize / n
		}
	case host.Scatter:
		if s.bytes = c.RecvSize; leads {
			s.bytes = c.SendSize / n
		}
	case host.Alltoall:
		s.bytes = c.SendSize / n
	case host.Allgather, host.Reduce, host.Allreduce, host.ReduceScatter, host.Scan, host.Exscan:
		s.bytes = c.SendSize
	case host.ReduceScatterv:
		s.bytes, s.counts = c.SendSize, hashCounts(c.SendCounts, c.Size)
	case host.Allgatherv:
		s.counts = hashCounts(c.RecvCounts, c.Size)
	}
	return s
}

// hashCounts returns a hash of the counts of all ranks (the FNV-1a hash of Fowler, Noll and Vo, by
// words).
func hashCounts(counts *int64, n int32) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range unsafe.Slice(counts, n) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
