package collective

import "fabricast/node"

// Comm is the part of a communicator that an algorithm uses. mpi.Comm implements it. Ranks are
// those of the communicator. Messages of collectives never match the program's own sends and
// receives.
type Comm interface {
	Rank() int
	Size() int
	// Round returns the next of an algorithm's n rounds to execute: k or a later one, or n if there
	// is none to execute now. An implementation that executes all rounds in one pass always returns
	// k. An algorithm can use Round if each of its rounds is one blocking call that depends on
	// earlier rounds only through the contents of buffers.
	Round(k, n int) int
	// Isend and Irecv start transfers; Wait and WaitAll complete them.
	Isend(buf node.Buf, dst, tag int) node.Request
	Irecv(buf node.Buf, src, tag int) node.Request
	Wait(r node.Request) node.Status
	WaitAll(rs []node.Request)
	// Send, Recv and Sendrecv are blocking.
	Send(buf node.Buf, dst, tag int)
	Recv(buf node.Buf, src, tag int) node.Status
	Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status
}
