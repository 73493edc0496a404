package collective

import "fabricast/node"

// Start is the call of a collective: all that the messages of its ranks depend on, except for their sizes and the
// number of ranks.
type Start struct {
	Kind      Kind
	Algorithm Algorithm // by its name, also where it is the default
	Root      int       // 0 where a collective has none
	Ordered   bool      // of a reduction: the operation is not commutative
}

// Starter is a communicator that is told which collective begins on it.
type Starter interface {
	Comm
	// Start returns the communicator that the algorithm is to see.
	Start(s Start) Comm
}

// start tells a communicator that wants to know which collective begins.
func (f *family[F]) start(c Comm, a Algorithm, root int, ordered bool) Comm {
	s, told := c.(Starter)
	if !told {
		return c
	}
	if a == Default {
		a = f.entries[0].Name
	}
	return s.Start(Start{f.kind, a, root, ordered})
}

// Meet is a barrier by the default algorithm of which a Starter is not told: a part of something else.
func Meet(c Comm) { barriers.pick(Default, c.Size())(c) }

// Run carries the call out with buffers that have no contents, of a few bytes for each rank.
func (s Start) Run(c Comm) {
	const each = 8
	one, all := node.Size(each), node.Size(each*c.Size())
	var op *Op
	if s.Ordered {
		op = &Op{Name: "ordered", Elem: each, Combine: func(_, _ []byte) {}}
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
	}
}
