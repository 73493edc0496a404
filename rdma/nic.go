package rdma

import (
	"fmt"
	"math"

	"fabricast/mpi"
	"fabricast/node"
)

// NIC starts one-sided operations of a rank. Only that rank may use it.
type NIC struct {
	rank    *mpi.Rank
	options mpi.Options // options of the operations that it starts
}

// Open returns a NIC that starts operations for the given rank, on any of the rank's NICs if there
// are several. It costs no simulated time.
func Open(rank *mpi.Rank) NIC { return NIC{rank: rank} }

// With returns a NIC that starts operations with the given options: the NIC to use, for the request
// as well as the reply, and the gap between packets. The gap applies to data in both directions, of
// puts and of gets.
//
//	nic.With(mpi.Options{NIC: 2}).FetchAdd(place, 1)
func (n NIC) With(options mpi.Options) NIC {
	n.options = options
	return n
}

// Handle is an operation that has been started. It becomes invalid after Complete, or after Test
// has returned true. The zero Handle is complete.
type Handle struct{ request node.Request }

// NoTag is the tag of puts for which the target does not poll.
const NoTag = int(node.NoTag)

// Put starts to copy a buffer to a place. Its contents are read at the time of the call. The target
// can poll for the put by its tag, which must not be negative unless it is NoTag.
func (n NIC) Put(buf mpi.Buf, to Place, tag int) Handle {
	return n.put(buf, to, tag, node.Access{})
}

// PutWith is like Put with options for the message: a NIC and a gap.
func (n NIC) PutWith(buf mpi.Buf, to Place, tag int, options mpi.Options) Handle {
	return n.With(options).Put(buf, to, tag)
}

// PutDetached is like Put without a handle: only the target can detect that the data has arrived.
func (n NIC) PutDetached(buf mpi.Buf, to Place, tag int) {
	n.put(buf, to, tag, node.Access{Detached: true})
}

func (n NIC) put(buf mpi.Buf, to Place, tag int, a node.Access) (h Handle) {
	if tag < NoTag || tag > math.MaxInt32 {
		panic(fmt.Errorf("put with tag %d: tags are 0 to %d, or NoTag", tag, math.MaxInt32))
	}
	n.aim(&a, to, buf, "put")
	n.rank.Emit(func(ops *node.Ops) {
		h.request = ops.OneSided().Put(buf, a, int32(n.rank.Rank()), int32(tag), n.rank.Context(node.Puts))
	})
	return h
}

// Get starts to copy data from a place into a buffer.
func (n NIC) Get(buf mpi.Buf, from Place) (h Handle) {
	var a node.Access
	n.aim(&a, from, buf, "get")
	n.rank.Emit(func(ops *node.Ops) { h.request = ops.OneSided().Get(buf, a) })
	return h
}

// GetWith is like Get with options: a NIC, and a gap between the packets of the data.
func (n NIC) GetWith(buf mpi.Buf, from Place, options mpi.Options) Handle {
	return n.With(options).Get(buf, from)
}

// FetchAdd starts to add addend to a word, which is a signed 8-byte little-endian integer at an
// offset that is a multiple of 8. Complete returns the word's old value.
func (n NIC) FetchAdd(at Place, addend int64) Handle { return n.atomic(node.FetchAdd, at, addend, 0) }

// Swap starts to replace a word (see FetchAdd). Complete returns the word's old value.
func (n NIC) Swap(at Place, value int64) Handle { return n.atomic(node.Swap, at, value, 0) }

// CompareAndSwap starts to replace a word (see FetchAdd) by value if the word equals compare.
// Complete returns the word's old value.
func (n NIC) CompareAndSwap(at Place, compare, value int64) Handle {
	return n.atomic(node.CompareAndSwap, at, value, compare)
}

func (n NIC) atomic(change node.Change, at Place, operand, compare int64) (h Handle) {
	var a node.Access
	n.aim(&a, at, mpi.Size(8), "atomic operation")
	if at.Byte%8 != 0 {
		panic(fmt.Errorf("atomic operation on byte %d: it must be a multiple of 8", at.Byte))
	}
	n.rank.Emit(func(ops *node.Ops) { h.request = ops.OneSided().Atomic(change, operand, compare, a) })
	return h
}

// aim sets the target of access a. It panics if the rank, size or region is out of range. what
// names the operation.
func (n NIC) aim(a *node.Access, at Place, buf mpi.Buf, what string) {
	switch {
	case uint(at.Rank) >= uint(n.rank.Size()):
		panic(fmt.Errorf("%s: rank %d of a world with ranks 0 to %d", what, at.Rank, n.rank.Size()-1))
	case buf.Len() < 0:
		panic(fmt.Errorf("%s of %d bytes: sizes must not be negative", what, buf.Len()))
	case at.Region < 0 || at.Region > math.MaxInt32:
		panic(fmt.Errorf("%s: region %d of rank %d: they are numbered from 1", what, at.Region, at.Rank))
	case n.options != mpi.Options{}:
		n.rank.CheckAccess(what, n.options)
	}
	a.Options = n.options
	a.Rank, a.Region, a.Place = int32(at.Rank), int32(at.Region), int64(at.Byte)
}

// Complete waits until the operation is complete. It returns the old value of the word for an
// atomic operation, and 0 for others.
func (n NIC) Complete(h Handle) (found int64) {
	n.rank.Block(func(ops *node.Ops) bool { return ops.WaitAll(h.request) })
	if h.request != (node.Request{}) {
		found = n.rank.Found()
	}
	return found
}

// Test reports whether the operation is complete. If so, Test also returns the old value of the
// word for an atomic operation, and the handle becomes invalid. If not, the call costs the software
// overhead, but at least 1 ns.
func (n NIC) Test(h Handle) (found int64, complete bool) {
	var ops *node.Ops
	n.rank.Ask(func(o *node.Ops) bool {
		ops = o
		return o.Test(h.request)
	})
	if !ops.Flag() {
		return 0, false
	}
	found = ops.OneSided().Value(h.request)
	ops.Free(h.request)
	return found, true
}

// Poll waits until a put with the given tag (or any put, for mpi.AnyTag) is in this rank's memory.
// Of several puts that have not been polled for, it takes the one that arrived first.
func (n NIC) Poll(tag int) mpi.Status { return n.PollFrom(mpi.AnySource, tag) }

// PollFrom is like Poll for puts from one rank, or from any rank for mpi.AnySource.
func (n NIC) PollFrom(source, tag int) mpi.Status {
	if source != mpi.AnySource && uint(source) >= uint(n.rank.Size()) {
		panic(fmt.Errorf("poll for a put of rank %d of a world with ranks 0 to %d", source, n.rank.Size()-1))
	}
	if tag != mpi.AnyTag && uint(tag) > math.MaxInt32 {
		panic(fmt.Errorf("poll with tag %d: tags are 0 to %d, or mpi.AnyTag", tag, math.MaxInt32))
	}
	var status mpi.Status
	if n.rank.Block(func(ops *node.Ops) bool {
		return ops.WaitAll(ops.Recv(node.Anything(), int32(source), int32(tag), n.rank.Context(node.Puts)))
	}) {
		status = n.rank.Received()
	}
	return status
}
