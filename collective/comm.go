package collective

import "fabricast/node"

// Comm is the part of a communicator that an algorithm uses. mpi.Comm implements it. Ranks are
// those of the communicator. Messages of collectives never match the program's own sends and
// receives.
type Comm interface {
	Rank() int
	Size() int
	// Round returns the next of an algorithm's n rounds to execute: k or a later one, or n if none
	// is to be executed now. An implementation that executes all rounds in one pass always returns
	// k. Algorithms may use it if each round is one blocking call that needs nothing of earlier
	// rounds but the contents of buffers.
	Round(k, n int) int
	// Isend and Irecv start transfers; Wait and WaitAll end them.
	Isend(buf node.Buf, dst, tag int) node.Request
	Irecv(buf node.Buf, src, tag int) node.Request
	Wait(r node.Request) node.Status
	WaitAll(rs []node.Request)
	// Send, Recv and Sendrecv block.
	Send(buf node.Buf, dst, tag int)
	Recv(buf node.Buf, src, tag int) node.Status
	Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status
}
