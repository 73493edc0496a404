package collective

import "fabricast/node"

// Start describes the call of a collective: everything that determines the messages of its ranks
// except the number of ranks and, for algorithms without segments, their sizes.
type Start struct {
	Kind      Kind
	Algorithm Algorithm // by its name, even if it is the default
	Root      int       // 0 where a collective has none
	Ordered   bool      // a reduction whose operation is not commutative
	// Bytes is the size of the buffer that is divided into segments and Elem that of its elements,
	// in bytes. Both are 0 for algorithms without segments, whose messages do not depend on sizes.
	Bytes, Elem int
}

// Starter is a communicator that is informed which collective begins on it.
type Starter interface {
	Comm
	// Start returns the communicator for the algorithm's messages.
	Start(s Start) Comm
}

// start informs a communicator that is a Starter which collective begins. It returns the
// communicator for the algorithm's messages.
func (f *family[F]) start(c Comm, a Algorithm, root int, ordered bool) Comm {
	return f.startSized(c, a, Start{Root: root, Ordered: ordered})
}

// startSized is like start for collectives that may divide a buffer into segments: at tells of it.
func (f *family[F]) startSized(c Comm, a Algorithm, at Start) Comm {
	s, told := c.(Starter)
	if !told {
		return c
	}
	if a == Default {
		a = f.algorithms.First().Name
	}
	at.Kind, at.Algorithm = f.kind, a
	if e, _ := f.find(a); e.option(optionSegment) < 0 {
		at.Bytes, at.Elem = 0, 0
	}
	return s.Start(at)
}

// Meet is a barrier with the default algorithm that is part of something else: a Starter is not
// informed of it.
func Meet(c Comm) { barriers.pick(Default, c.Size())(c) }

// Run makes the call with buffers without contents: of Bytes, or of a few bytes for each rank.
func (s Start) Run(c Comm) {
	const each = 8
	one, all := node.Size(each), node.Size(each*c.Size())
	switch {
	case s.Bytes > 0 && s.Kind == KindGather:
		one, all = node.Size(s.Bytes), node.Size(s.Bytes*c.Size())
	case s.Bytes > 0:
		all = node.Size(s.Bytes)
	}
	var op *Op
	switch {
	case s.Ordered:
		op = &Op{Name: "ordered", Elem: each, Combine: func(_, _ []byte) {}}
	case s.Elem > 0:
		op = &Op{Name: "segments", Commutative: true, Combine: func(_, _ []byte) {}}
	}
	if s.Elem > 0 {
		op.Elem = s.Elem
	}
	switch s.Kind {
	case KindAlltoall:
		Alltoall(c, all, all, s.Algorithm)
	case KindBarrier:
		Barrier(c, s.Algorithm)
	case KindBroadcast:
		Broadcast(c, all, s.Root, s.Algorithm)
	case KindAllreduce:
		Allreduce(c, all, all, op, s.Algorithm)
	case KindAllgather:
		Allgather(c, one, all, s.Algorithm)
	case KindReduce:
		Reduce(c, all, all, op, s.Root, s.Algorithm)
	case KindReduceScatter:
		ReduceScatter(c, all, one, op, s.Algorithm)
	case KindGather:
		Gather(c, one, all, s.Root, s.Algorithm)
	case KindScatter:
		Scatter(c, all, one, s.Root, s.Algorithm)
	case KindScan:
		Scan(c, all, all, op, s.Algorithm)
	case KindExscan:
		Exscan(c, all, all, op, s.Algorithm)
	}
}
