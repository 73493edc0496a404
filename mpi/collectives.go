package mpi

import (
	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/reduce"
	"fabricast/collective/reducescatter"
	"fabricast/collective/scan"
	"fabricast/collective/scatter"
	"fabricast/collective/tables"
)

// The collectives of a communicator. All of its ranks must call them in the same order. The
// algorithm is one of package collective's for that collective, or collective.Default for the one
// that the experiment's table chooses (see ProgramsBy); the functions there say what the buffers
// hold.

// choose returns the algorithm of a collective call: a itself, or for collective.Default the one
// that the experiment's table selects. bytes is as in collective.Call; op is the operation of a
// reduction, else nil.
func (c *Comm) choose(
	k collective.Kind,
	a collective.Algorithm,
	bytes int,
	op *collective.Op,
) collective.Algorithm {
	if a != collective.Default || c.group.table == nil {
		return a
	}
	call := tables.Call{Ranks: c.Size(), Bytes: int64(bytes), Ordered: op.Ordered()}
	if op != nil {
		call.Elem = op.Elem
	}
	return c.group.table.Choose(k, call)
}

// Barrier returns when all ranks have called it.
func (c *Comm) Barrier(a collective.Algorithm) {
	barrier.Run(c.Collective(), c.choose(collective.KindBarrier, a, 0, nil))
}

// Broadcast copies the root's buffer to all ranks.
func (c *Comm) Broadcast(buf Buf, root int, a collective.Algorithm) {
	broadcast.Run(c.Collective(), buf, root, c.choose(collective.KindBroadcast, a, buf.Len(), nil))
}

// Alltoall sends block i of send to rank i, and receives the block of rank i into block i of recv.
func (c *Comm) Alltoall(send, recv Buf, a collective.Algorithm) {
	alltoall.Run(
		c.Collective(), send, recv, c.choose(collective.KindAlltoall, a, send.Len()/c.Size(), nil),
	)
}

// Allgather gives all ranks the send buffers of all ranks, in the order of ranks.
func (c *Comm) Allgather(send, recv Buf, a collective.Algorithm) {
	allgather.Run(c.Collective(), send, recv, c.choose(collective.KindAllgather, a, send.Len(), nil))
}

// Allreduce combines the send buffers of all ranks by op, into recv at all ranks.
func (c *Comm) Allreduce(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	allreduce.Run(
		c.Collective(), send, recv, op, c.choose(collective.KindAllreduce, a, send.Len(), op),
	)
}

// Reduce combines the send buffers of all ranks by op, into recv at the root.
func (c *Comm) Reduce(send, recv Buf, op *collective.Op, root int, a collective.Algorithm) {
	reduce.Run(
		c.Collective(), send, recv, op, root, c.choose(collective.KindReduce, a, send.Len(), op),
	)
}

// ReduceScatter combines the send buffers of all ranks by op, and gives block i of the result to
// rank i.
func (c *Comm) ReduceScatter(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	reducescatter.Run(
		c.Collective(), send, recv, op, c.choose(collective.KindReduceScatter, a, recv.Len(), op),
	)
}

// Gather gives the root the send buffers of all ranks, in the order of ranks.
func (c *Comm) Gather(send, recv Buf, root int, a collective.Algorithm) {
	gather.Run(c.Collective(), send, recv, root, c.choose(collective.KindGather, a, send.Len(), nil))
}

// Scatter sends block i of the root's send buffer to rank i.
func (c *Comm) Scatter(send, recv Buf, root int, a collective.Algorithm) {
	scatter.Run(c.Collective(), send, recv, root, c.choose(collective.KindScatter, a, recv.Len(), nil))
}

// Scan combines the send buffers of ranks 0 to r, in the order of ranks, into recv at rank r.
func (c *Comm) Scan(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	scan.Run(c.Collective(), send, recv, op, c.choose(collective.KindScan, a, send.Len(), op))
}

// Exscan combines the send buffers of the ranks below r, in the order of ranks, into recv at rank
// r. It leaves recv at rank 0 unchanged.
func (c *Comm) Exscan(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	scan.RunExclusive(c.Collective(), send, recv, op, c.choose(collective.KindExscan, a, send.Len(), op))
}
