package mpi

import "fabricast/collective"

// The collectives of a communicator. All of its ranks must call them in the
// same order. The algorithm is one of package collective's for that collective, or
// collective.Default; the functions there say what the buffers hold.

// Barrier returns when all ranks have called it.
func (c *Comm) Barrier(a collective.Algorithm) { collective.Barrier(c.Collective(), a) }

// Broadcast gives all ranks the root's buffer.
func (c *Comm) Broadcast(buf Buf, root int, a collective.Algorithm) {
	collective.Broadcast(c.Collective(), buf, root, a)
}

// Alltoall sends block i of send to rank i and receives block i of recv from it.
func (c *Comm) Alltoall(send, recv Buf, a collective.Algorithm) {
	collective.Alltoall(c.Collective(), send, recv, a)
}

// Allgather gives all ranks the send buffers of all, in the order of ranks.
func (c *Comm) Allgather(send, recv Buf, a collective.Algorithm) {
	collective.Allgather(c.Collective(), send, recv, a)
}

// Allreduce gives all ranks the combination of all send buffers.
func (c *Comm) Allreduce(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	collective.Allreduce(c.Collective(), send, recv, op, a)
}

// Reduce gives the root the combination of all send buffers.
func (c *Comm) Reduce(send, recv Buf, op *collective.Op, root int, a collective.Algorithm) {
	collective.Reduce(c.Collective(), send, recv, op, root, a)
}

// ReduceScatter gives rank i block i of the combination of all send buffers.
func (c *Comm) ReduceScatter(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	collective.ReduceScatter(c.Collective(), send, recv, op, a)
}

// Gather gives the root the send buffers of all, in the order of ranks.
func (c *Comm) Gather(send, recv Buf, root int, a collective.Algorithm) {
	collective.Gather(c.Collective(), send, recv, root, a)
}

// Scatter gives rank i block i of the root's send buffer.
func (c *Comm) Scatter(send, recv Buf, root int, a collective.Algorithm) {
	collective.Scatter(c.Collective(), send, recv, root, a)
}
