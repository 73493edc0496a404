package mpi

import (
	"errors"
	"fmt"
	"sync"

	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/node"
)

// Win is one rank's handle of a window: memory at every rank of a communicator that the other ranks
// may access without a call by its owner, as in the chapter "One-Sided Communications" of the MPI
// standard. NICs do the work, as in package rdma.
//
// Every operation must be within an epoch: between two calls of Fence, between Start and Complete,
// or between Lock and Unlock. Calling it only starts the operation. It is complete at both ends
// when the epoch ends, or when Flush returns. Only the rank itself may use its handle.
type Win struct {
	comm    *Comm // communicator for the messages of the window itself
	shared  *window
	pending []pending
	waits   []Request // the requests that the current Flush waits for
	epoch   epoch
}

// pending is an operation that has been started but not yet waited for.
type pending struct {
	request Request
	target  int32
}

// window holds the state shared by all ranks of a window. It does not change after the barrier at
// the end of CreateWin.
type window struct {
	*group
	parts []part // by rank
}

// part is one rank's memory in a window.
type part struct {
	region int32
	size   int // bytes
	unit   int // bytes per unit of displacement
}

// windows holds the windows that are being created from one communicator. The ranks exchange their
// parts through this table, as Split does with colors; a barrier simulates the time of the
// exchange.
type windows struct {
	sync.Mutex
	open map[uint32]*window
	made map[uint32]int // by sequence number: number of ranks that have joined
}

// CreateWin creates a window to which each rank contributes a buffer of any size. Displacements in
// this rank's memory count in units of unit bytes (at least 1). All ranks of the communicator must
// call it.
func (c *Comm) CreateWin(memory Buf, unit int) *Win {
	if c.rank.cursor != nil {
		panic(errOutcome)
	}
	if unit < 1 || memory.Len() < 0 {
		panic(
			fmt.Errorf(
				"window of %d bytes in units of %d: sizes must not be negative, units must be positive",
				memory.Len(), unit,
			),
		)
	}
	c.rank.begin()
	if c.rank.ops.World().Apart() {
		panic(node.ErrShared)
	}
	region := c.rank.ops.OneSided().Register(memory)
	sequence := c.made
	c.made++
	shared := c.group.windows.join(sequence, c, part{region, memory.Len(), unit})
	w := &Win{comm: &Comm{rank: c.rank, group: shared.group, me: c.me}, shared: shared}
	w.meet()
	return w
}

// join adds part own to the window with the given sequence number.
func (s *windows) join(sequence uint32, c *Comm, own part) *window {
	s.Lock()
	defer s.Unlock()
	if s.open == nil {
		s.open, s.made = make(map[uint32]*window), make(map[uint32]int)
	}
	w := s.open[sequence]
	if w == nil {
		g := &group{size: c.group.size, ranks: c.group.ranks}
		g.context = c.rank.ops.World().NewContexts(node.Creation{
			Kind: node.CreatedForWindow, Of: c.group.context, Number: int32(sequence),
		}, g.ranks)
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

// meet waits until all ranks of the window have called meet.
func (w *Win) meet() { barrier.Meet((*private)(w.comm)) }

// Free ends the window. Its epochs must have ended. All ranks must call it.
func (w *Win) Free() {
	if e := &w.epoch; e.started || e.posted || e.holding() {
		panic(errors.New("free of a window in an epoch: Complete, Wait or Unlock comes first"))
	}
	w.FlushAll()
	w.meet()
	w.comm.rank.begin()
	w.comm.rank.ops.OneSided().Unregister(w.shared.parts[w.comm.me].region)
}

// Put starts to copy a buffer into the target's memory at a displacement.
func (w *Win) Put(buf Buf, target, displacement int) { w.PutWith(buf, target, displacement, Options{}) }

// PutWith is like Put with options for the message: a NIC and a gap.
func (w *Win) PutWith(buf Buf, target, displacement int, o Options) {
	a := w.accessWith("put", buf.Len(), target, displacement, o)
	c := w.comm
	w.started(c.rank.ops.OneSided().Put(buf, a, c.me, node.NoTag, c.Context(node.Puts)), target)
}

// Get starts to copy from the target's memory, starting at a displacement, into a buffer.
func (w *Win) Get(buf Buf, target, displacement int) { w.GetWith(buf, target, displacement, Options{}) }

// GetWith is like Get with options: the NIC for both the request and the data, and a gap between
// the packets of the data.
func (w *Win) GetWith(buf Buf, target, displacement int, o Options) {
	a := w.accessWith("get", buf.Len(), target, displacement, o)
	w.started(w.comm.rank.ops.OneSided().Get(buf, a), target)
}

// Accumulate starts to combine a buffer with the target's memory: each element there is replaced by
// the result of op on that element and the buffer's element. Each element is updated atomically.
// Accumulates from one rank to another take effect in the order of the calls.
func (w *Win) Accumulate(buf Buf, op *collective.Op, target, displacement int) {
	w.AccumulateWith(buf, op, target, displacement, Options{})
}

// AccumulateWith is like Accumulate with options for the message: a NIC and a gap.
func (w *Win) AccumulateWith(buf Buf, op *collective.Op, target, displacement int, o Options) {
	a := w.accessWith("accumulate", buf.Len(), target, displacement, o)
	w.started(w.comm.rank.ops.OneSided().Accumulate(buf, w.combination(op, buf), a), target)
}

// GetAccumulate is like Accumulate, and also copies the old contents of the target's memory into
// result.
func (w *Win) GetAccumulate(buf, result Buf, op *collective.Op, target, displacement int) {
	if buf.Len() != result.Len() {
		panic(fmt.Errorf("get-accumulate of %d bytes into a result of %d", buf.Len(), result.Len()))
	}
	a := w.access("get-accumulate", buf.Len(), target, displacement)
	w.started(w.comm.rank.ops.OneSided().Exchange(buf, result, w.combination(op, buf), a), target)
}

// FetchAndOp is GetAccumulate for a single element.
func (w *Win) FetchAndOp(value, result Buf, op *collective.Op, target, displacement int) {
	if op != nil && op.Elem > 1 && value.Len() != op.Elem {
		panic(fmt.Errorf("fetch-and-op of %d bytes: an element of %v has %d", value.Len(), op, op.Elem))
	}
	w.GetAccumulate(value, result, op, target, displacement)
}

// CompareAndSwap starts to replace an element of the target's memory by value if it equals compare
// byte for byte. The old element is copied into result. All buffers must have the size of the
// element.
func (w *Win) CompareAndSwap(value, compare, result Buf, target, displacement int) {
	n := value.Len()
	if compare.Len() != n || result.Len() != n {
		panic(
			fmt.Errorf(
				"compare-and-swap of %d, %d and %d bytes: they must be one element each",
				n, compare.Len(), result.Len(),
			),
		)
	}
	a := w.access("compare-and-swap", n, target, displacement)
	both := Size(2 * n)
	if value.HasData() && compare.HasData() {
		both = Data(append(append(make([]byte, 0, 2*n), compare.Bytes()...), value.Bytes()...))
	}
	ops := w.comm.rank.ops
	w.started(
		ops.OneSided().Exchange(both, result, ops.World().Combine(compareAndSwap{}, swapIfEqual), a),
		target,
	)
}

// compareAndSwap is the key under which swapIfEqual is registered with the node.
type compareAndSwap struct{}

// swapIfEqual replaces memory by the second half of data if it equals the first half.
func swapIfEqual(memory, data []byte) {
	if n := len(memory); string(memory) == string(data[:n]) {
		copy(memory, data[n:])
	}
}

// Operations for Accumulate and GetAccumulate on elements of any size, in addition to those of
// package collective.
var (
	// Replace sets the target's element to the buffer's element.
	Replace = &collective.Op{Name: "replace", Elem: 1, Combine: func(_, _ []byte) {}}
	// NoOp leaves the target's element unchanged.
	NoOp = &collective.Op{Name: "no-op", Elem: 1, Combine: func(inout, in []byte) { copy(inout, in) }}
)

// combination registers op with the node and returns its ID there.
func (w *Win) combination(op *collective.Op, buf Buf) int64 {
	switch {
	case buf.HasData() && (op == nil || op.Combine == nil):
		panic(errors.New("accumulate: the operation has no Combine function, but the buffer has contents"))
	case op == nil:
		return 0
	case op.Elem > 1 && buf.Len()%op.Elem != 0:
		panic(
			fmt.Errorf(
				"accumulate: %d bytes are not whole elements of %v, which have %d",
				buf.Len(), op, op.Elem,
			),
		)
	}
	return combinationOf(w.comm.rank.ops.World(), op)
}

// combinationOf registers op with a world, and returns its number there.
func combinationOf(world *node.World, op *collective.Op) int64 {
	if n := world.Combination(op); n != 0 {
		return n
	}
	return world.Combine(op, applied(op))
}

// applied converts op to the form that package node expects: a function that combines data into
// memory and stores the old memory in data.
func applied(op *collective.Op) func(memory, data []byte) {
	return func(memory, data []byte) {
		op.Combine(data, memory)
		copy(memory, data)
	}
}

// access checks an operation on n bytes of the target's memory, and makes sure that there is
// capacity to emit it. what names the operation in error messages. access panics if the bytes are
// outside of the window.
func (w *Win) access(what string, n, target, displacement int) node.Access {
	if uint(target) >= uint(w.comm.Size()) {
		panic(fmt.Errorf("%s: rank %d of a window with ranks 0 to %d", what, target, w.comm.Size()-1))
	}
	p := &w.shared.parts[target]
	if n < 0 || displacement < 0 || displacement > p.size/p.unit || n > p.size-displacement*p.unit {
		panic(
			fmt.Errorf(
				"%s: %d bytes at displacement %d, in units of %d bytes, are not within the %d bytes "+
					"of rank %d's window",
				what, n, displacement, p.unit, p.size, target,
			),
		)
	}
	w.admit(what, target)
	w.comm.rank.ask()
	return node.Access{
		Rank:   w.comm.world(target),
		Region: p.region,
		Place:  int64(displacement) * int64(p.unit),
	}
}

// accessWith is like access for a message with options.
func (w *Win) accessWith(what string, n, target, displacement int, o Options) node.Access {
	w.comm.rank.CheckAccess(what, o)
	a := w.access(what, n, target, displacement)
	a.Options = o
	return a
}

// started records an operation that has been started.
func (w *Win) started(r Request, target int) {
	w.pending = append(w.pending, pending{r, int32(target)})
}

// Flush waits until all of this rank's operations on the target are complete at both ends.
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

// FlushAll is like Flush for all targets.
func (w *Win) FlushAll() {
	for _, p := range w.pending {
		w.waits = append(w.waits, p.request)
	}
	w.pending = w.pending[:0]
	w.await()
}

// await waits for the requests in waits.
func (w *Win) await() {
	if len(w.waits) > 0 {
		w.comm.WaitAll(w.waits)
	}
	w.waits = w.waits[:0]
}
