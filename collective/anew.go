package collective

import "fabricast/node"

// Anew is what a stackless algorithm of a collective (see Info) is run by again on so many ranks, once it has been
// run by the collective's own function, which looks at what it is given; nil if the algorithm is not stackless. The
// buffers and the root are the collective's own, as far as it has any; one that has one buffer takes recv.
func Anew(k Kind, a Algorithm, ranks int) func(c Comm, send, recv node.Buf, root int) {
	if !Stackless(k, a) {
		return nil
	}
	switch k {
	case KindBarrier:
		f := barriers.pick(a, ranks)
		return func(c Comm, _, _ node.Buf, _ int) { f(c) }
	case KindAlltoall:
		f := alltoalls.pick(a, ranks)
		return func(c Comm, send, recv node.Buf, _ int) { f(c, send, recv) }
	case KindAllgather:
		f := allgathers.pick(a, ranks)
		return func(c Comm, send, recv node.Buf, _ int) { f(c, send, recv) }
	case KindBroadcast:
		f := broadcasts.pick(a, ranks)
		return func(c Comm, _, recv node.Buf, root int) { f(c, recv, root) }
	}
	return nil
}
