package cmpi

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

// signature identifies a datatype by its sequence of basic types, with the number of the predefined
// type in the upper bits; 0 if unknown.
type signature int32

const (
	signatureBits = 16
	anything      = 1 // the number that matches all others
)

func (s signature) number() int32 { return int32(s) & (1<<signatureBits - 1) }

// describe returns the name of the type.
func (s signature) describe() string { return host.Describe(int32(s)>>signatureBits, s.number()) }

// typePair records, for one call of a collective by all ranks, the lowest rank with a known
// datatype, and the lowest rank whose datatype does not match it.
type typePair struct {
	rank, other               int
	signature, otherSignature signature
	typed, differ             bool
}

// add records the datatype of a rank's part, which has the given number of bytes.
func (t *typePair) add(rank int, s signature, bytes int64) {
	if s.number() <= anything {
		return
	}
	match := !t.typed || s.number() == t.signature.number() ||
		host.SameBytes(s.number(), t.signature.number(), bytes)
	switch {
	case !t.typed:
		t.rank, t.signature, t.typed = rank, s, true
	case rank < t.rank:
		if !match {
			t.other, t.otherSignature, t.differ = t.rank, t.signature, true
		}
		t.rank, t.signature = rank, s
	case !match && (!t.differ || rank < t.other):
		t.other, t.otherSignature, t.differ = rank, s, true
	}
}
