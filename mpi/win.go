package mpi

import (
	"errors"
	"fmt"
	"sync"

	"fabricast/collective"
	"fabricast/node"
)

// Win is a window: memory of every rank of a communicator that the others may access without a call of that
// rank, as in chapter "One-Sided Communications" of the MPI standard. NICs do the work, as in package rdma.
//
// Every operation must be within an epoch: between two calls of Fence, between Start and Complete, or between Lock and
// Unlock. An operation only starts there; it is complete, at both ends, when the epoch ends, or Flush returns. A
// rank's view of a window belongs to the rank and must not be used by another.
type Win struct {
	comm    *Comm // of the window alone
	shared  *window
	pending []pending
	waits   []Request // of a Flush
	epoch   epoch
}

// pending is an operation that has been started and not been waited for.
type pending struct {
	request Request
	target  int32
}

// window is what all ranks of a window share. It is read only after the barrier that ends its making.
type window struct {
	*group
	parts []part // by rank
}

// part is one rank's part of a window.
type part struct {
	region int32
	size   int // bytes
	unit   int // bytes that displacements count
}

// windows are the windows being made from one communicator. As with splits, values go through this table and a barrier
// takes its time in messages.
type windows struct {
	sync.Mutex
	open map[uint32]*window
	made map[uint32]int // ranks that have come
}

// CreateWin makes a window of a part of each rank's memory, of any size. Displacements in this rank's part count units of so
// many bytes. All ranks of the communicator must call it.
func (c *Comm) CreateWin(memory Buf, unit int) *Win {
	if c.rank.cursor != nil {
		panic(errOutcome)
	}
	if unit < 1 || memory.Len() < 0 {
		panic(fmt.Errorf("window of %d bytes in units of %d: sizes must not be negative, units must be positive", memory.Len(), unit))
	}
	c.rank.begin()
	region := c.rank.ops.Register(memory)
	sequence := c.made
	c.made++
	shared := c.group.windows.join(sequence, c, part{region, memory.Len(), unit})
	w := &Win{comm: &Comm{rank: c.rank, group: shared.group, me: c.me}, shared: shared}
	w.meet()
	return w
}

// join adds a rank's part to the window that is the next to be made.
func (s *windows) join(sequence uint32, c *Comm, own part) *window {
	s.Lock()
	defer s.Unlock()
	if s.open == nil {
		s.open, s.made = make(map[uint32]*window), make(map[uint32]int)
	}
	w := s.open[sequence]
	if w == nil {
		g := &group{size: c.group.size, ranks: c.group.ranks}
		g.context = c.rank.ops.World().NewContexts(g.ranks)
		w = &window{group: g, parts: make([]part, g.size)}
		s.open[sequence] = w
	}
	w.parts[c.me] = own
	if s.made[sequence]++; s.made[sequence] == c.group.size {
		delete(s.open, sequence)
		delete(s.made, sequence)
	}
	return w
}

// meet is a barrier of all ranks of the window.
func (w *Win) meet() { collective.Meet((*private)(w.comm)) }

// Free ends the window, whose epochs must have ended. All ranks must call it.
func (w *Win) Free() {
	if e := &w.epoch; e.started || e.posted || e.holding() {
		panic(errors.New("free of a window in an epoch: Complete, Wait or Unlock comes first"))
	}
	w.FlushAll()
	w.meet()
	w.comm.rank.begin()
	w.comm.rank.ops.Unregister(w.shared.parts[w.comm.me].region)
}

// Put copies a buffer into the target's memory, from a displacement on.
func (w *Win) Put(buf Buf, target, displacement int) { w.PutWith(buf, target, displacement, Options{}) }

// PutWith is Put with options for the message: a NIC and a gap.
func (w *Win) PutWith(buf Buf, target, displacement int, o Options) {
	a := w.accessWith("put", buf.Len(), target, displacement, o)
	c := w.comm
	w.started(c.rank.ops.Put(buf, a, c.me, node.NoTag, c.Context(node.Puts)), target)
}

// Get copies from the target's memory, from a displacement on, into a buffer.
func (w *Win) Get(buf Buf, target, displacement int) { w.GetWith(buf, target, displacement, Options{}) }

// GetWith is Get with options: a NIC, by which the data comes back too, and a gap between its packets.
func (w *Win) GetWith(buf Buf, target, displacement int, o Options) {
	a := w.accessWith("get", buf.Len(), target, displacement, o)
	w.started(w.comm.rank.ops.Get(buf, a), target)
}

// Accumulate combines a buffer with the target's memory: each element there becomes itself op that of the buffer.
// Every element is changed at once, and what one rank sends to another takes effect in the order of the calls.
func (w *Win) Accumulate(buf Buf, op *collective.Op, target, displacement int) {
	w.AccumulateWith(buf, op, target, displacement, Options{})
}

// AccumulateWith is Accumulate with options for the message: a NIC and a gap.
func (w *Win) AccumulateWith(buf Buf, op *collective.Op, target, displacement int, o Options) {
	a := w.accessWith("accumulate", buf.Len(), target, displacement, o)
	w.started(w.comm.rank.ops.Accumulate(buf, w.combination(op, buf), a), target)
}

// GetAccumulate is Accumulate that also tells what was in the target's memory before.
func (w *Win) GetAccumulate(buf, result Buf, op *collective.Op, target, displacement int) {
	if buf.Len() != result.Len() {
		panic(fmt.Errorf("get-accumulate of %d bytes into a result of %d", buf.Len(), result.Len()))
	}
	a := w.access("get-accumulate", buf.Len(), target, displacement)
	w.started(w.comm.rank.ops.Exchange(buf, result, w.combination(op, buf), a), target)
}

// FetchAndOp is GetAccumulate of a single element.
func (w *Win) FetchAndOp(value, result Buf, op *collective.Op, target, displacement int) {
	if op != nil && op.Elem > 1 && value.Len() != op.Elem {
		panic(fmt.Errorf("fetch-and-op of %d bytes: an element of %v has %d", value.Len(), op, op.Elem))
	}
	w.GetAccumulate(value, result, op, target, displacement)
}

// CompareAndSwap replaces an element of the target's memory by a value if it is, byte for byte, what it is compared with. The
// result tells what it was before. All have the size of the element.
func (w *Win) CompareAndSwap(value, compare, result Buf, target, displacement int) {
	n := value.Len()
	if compare.Len() != n || result.Len() != n {
		panic(fmt.Errorf("compare-and-swap of %d, %d and %d bytes: they must be one element each", n, compare.Len(), result.Len()))
	}
	a := w.access("compare-and-swap", n, target, displacement)
	both := Size(2 * n)
	if value.HasData() && compare.HasData() {
		both = Data(append(append(make([]byte, 0, 2*n), compare.Bytes()...), value.Bytes()...))
	}
	ops := w.comm.rank.ops
	w.started(ops.Exchange(both, result, ops.World().Combine(compareAndSwap{}, swapIfEqual), a), target)
}

// compareAndSwap is the key of swapIfEqual.
type compareAndSwap struct{}

// swapIfEqual takes as data what memory is compared with, and then what takes its place.
func swapIfEqual(memory, data []byte) {
	if n := len(memory); string(memory) == string(data[:n]) {
		copy(memory, data[n:])
	}
}

// Operations for Accumulate and GetAccumulate beside those of package collective, on elements of any size.
var (
	// Replace takes the element of the buffer.
	Replace = &collective.Op{Name: "replace", Elem: 1, Combine: func(_, _ []byte) {}}
	// NoOp leaves the target's element as it is.
	NoOp = &collective.Op{Name: "no-op", Elem: 1, Combine: func(inout, in []byte) { copy(inout, in) }}
)

// combination is an operation's number for the node.
func (w *Win) combination(op *collective.Op, buf Buf) int64 {
	switch {
	case buf.HasData() && (op == nil || op.Combine == nil):
		panic(errors.New("accumulate: the operation has no Combine function, but the buffer has contents"))
	case op == nil:
		return 0
	case op.Elem > 1 && buf.Len()%op.Elem != 0:
		panic(fmt.Errorf("accumulate: %d bytes are not whole elements of %v, which have %d", buf.Len(), op, op.Elem))
	}
	world := w.comm.rank.ops.World()
	if n := world.Combination(op); n != 0 {
		return n
	}
	return world.Combine(op, applied(op))
}

// applied is an operation as the node wants it.
func applied(op *collective.Op) func(memory, data []byte) {
	return func(memory, data []byte) {
		op.Combine(data, memory)
		copy(memory, data)
	}
}

// access checks an operation on n bytes of the target's memory, and makes sure that it can be emitted.
func (w *Win) access(what string, n, target, displacement int) node.Access {
	if uint(target) >= uint(w.comm.Size()) {
		panic(fmt.Errorf("%s: rank %d of a window with ranks 0 to %d", what, target, w.comm.Size()-1))
	}
	p := &w.shared.parts[target]
	if n < 0 || displacement < 0 || displacement > p.size/p.unit || n > p.size-displacement*p.unit {
		panic(fmt.Errorf("%s: %d bytes at displacement %d, in units of %d bytes, are not within the %d bytes of rank %d's window",
			what, n, displacement, p.unit, p.size, target))
	}
	w.admit(what, target)
	w.comm.rank.ask()
	return node.Access{Rank: w.comm.world(target), Region: p.region, Place: int64(displacement) * int64(p.unit)}
}

// accessWith is access for a message with options.
func (w *Win) accessWith(what string, n, target, displacement int, o Options) node.Access {
	w.comm.rank.CheckAccess(what, o)
	a := w.access(what, n, target, displacement)
	a.Options = o
	return a
}

// started notes an operation that is under way.
func (w *Win) started(r Request, target int) {
	w.pending = append(w.pending, pending{r, int32(target)})
}

// Flush returns when all own operations on the target's memory are complete, there and here.
func (w *Win) Flush(target int) {
	w.comm.World(target) // panics if there is no such rank
	rest := w.pending[:0]
	for _, p := range w.pending {
		if int(p.target) == target {
			w.waits = append(w.waits, p.request)
		} else {
			rest = append(rest, p)
		}
	}
	w.pending = rest
	w.await()
}

// FlushAll is Flush for all targets.
func (w *Win) FlushAll() {
	for _, p := range w.pending {
		w.waits = append(w.waits, p.request)
	}
	w.pending = w.pending[:0]
	w.await()
}

// await waits for the operations in waits.
func (w *Win) await() {
	if len(w.waits) > 0 {
		w.comm.WaitAll(w.waits)
	}
	w.waits = w.waits[:0]
}
