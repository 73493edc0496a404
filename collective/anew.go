package collective

import "fabricast/node"

// Run runs an algorithm of a collective with its arguments: the buffers, the root, and the operation
// of a reduction.
type Run func(c Comm, send, recv node.Buf, root int, op *Op)

// Anew returns a function that runs a stackless algorithm of a collective (see Info) again, without
// the checks of its arguments that the first run has made. It returns nil if the algorithm is not
// stackless. Arguments that the collective does not have are ignored; a collective with a single
// buffer uses recv.
func Anew(k Kind, a Algorithm, ranks int) Run {
	if !Stackless(k, a) {
		return nil
	}
	switch k {
	case KindBarrier:
		f := barriers.pick(a, ranks)
		return func(c Comm, _, _ node.Buf, _ int, _ *Op) { f(c) }
	case KindAlltoall:
		f := alltoalls.pick(a, ranks)
		return func(c Comm, send, recv node.Buf, _ int, _ *Op) { f(c, send, recv) }
	case KindAllgather:
		f := allgathers.pick(a, ranks)
		return func(c Comm, send, recv node.Buf, _ int, _ *Op) { f(c, send, recv) }
	case KindBroadcast:
		f := broadcasts.pick(a, ranks)
		return func(c Comm, _, recv node.Buf, root int, _ *Op) { f(c, recv, root) }
	case KindAllreduce:
		f := allreduces.pick(a, ranks)
		return func(c Comm, _, recv node.Buf, _ int, op *Op) { f(c, recv, op) }
	}
	return nil
}
