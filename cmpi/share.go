package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
)

// share is what a rank says of its part of a collective that all ranks must say alike.
type share struct {
	bytes  int64  // of each rank's part; 0 where they need not be equal
	counts uint64 // hash of the counts of all ranks, where these are named
	op     int32  // of a reduction; the program's own count as one
}

// ownOperation is the op of all operations of the program's own: ranks may have made them in different orders.
const ownOperation = -1

// shareOf is what a call says.
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

// hashCounts is a hash of counts of all ranks (Fowler, Noll and Vo's 1a, by words).
func hashCounts(counts *int64, n int32) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range unsafe.Slice(counts, n) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// signature is that of what a rank gives or takes and, above it, the number of the predefined type; 0 if it is not known.
type signature int32

const (
	signatureBits = 16
	anything      = 1 // the number that matches all others
)

func (s signature) number() int32 { return int32(s) & (1<<signatureBits - 1) }

// describe puts the type into words.
func (s signature) describe() string { return host.Describe(int32(s)>>signatureBits, s.number()) }

// typePair is the lowest rank of a turn whose type tells what bytes are, and the lowest that takes them for something else.
type typePair struct {
	rank, other               int
	signature, otherSignature signature
	typed, differ             bool
}

// add notes the type of a rank's part of so many bytes.
func (t *typePair) add(rank int, s signature, bytes int64) {
	if s.number() <= anything {
		return
	}
	match := !t.typed || s.number() == t.signature.number() || host.SameBytes(s.number(), t.signature.number(), bytes)
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
