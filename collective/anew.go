package collective

import "fabricast/node"

// Anew returns a function that runs a stackless algorithm of a collective (see Info) again, without
// the checks of its arguments that the first run has made. It returns nil if the algorithm is not
// stackless. Arguments that the collective does not have are ignored; a collective with a single
// buffer uses recv.
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
