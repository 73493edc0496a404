package collective

import "fabricast/node"

// Comm is what an algorithm needs of a communicator. mpi.Comm implements it.
// Ranks are those of the communicator. Messages of collectives never match the
// program's own sends and receives.
type Comm interface {
	Rank() int
	Size() int
	// Round is the next of an algorithm's n rounds, k or a later one; n if none is
	// to be done now. Who does all of them, one after the other, always gets k.
	// Algorithms may go from round to round with it if each is one call that blocks
	// and needs nothing of an earlier one but contents of buffers.
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
