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

// The methods below are the collectives of a communicator. All of its ranks must call them in the
// same order. Parameter a is an algorithm for the collective, from package collective, or
// collective.Default for the algorithm that the experiment's table selects (see ProgramsBy). The
// functions of the collective's own package describe the layout of the buffers.

// choose returns the algorithm of a collective call: a itself or, if a is collective.Default, the
// algorithm that the experiment's table selects. bytes has the same meaning as in collective.Call;
// op is the operation of a reduction, and nil otherwise.
func (c *Comm) choose(
	k collective.Kind,
	a collective.Algorithm,
	bytes int,
	op *collective.Op,
) collective.Algorithm {
	if a != collective.Default || c.group.table == nil {
		return a
	}
	call := tables.Call{Ranks: c.Size(), Bytes: int64(bytes), Ordered: op.Ordered(), Layout: c.Layout}
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

// Alltoall sends block i of send to rank i, and receives the block from rank i into block i of
// recv.
func (c *Comm) Alltoall(send, recv Buf, a collective.Algorithm) {
	alltoall.Run(
		c.Collective(), send, recv, c.choose(collective.KindAlltoall, a, send.Len()/c.Size(), nil),
	)
}

// Allgather gathers the send buffers of all ranks into recv, in rank order, at every rank.
func (c *Comm) Allgather(send, recv Buf, a collective.Algorithm) {
	allgather.Run(c.Collective(), send, recv, c.choose(collective.KindAllgather, a, send.Len(), nil))
}

// Allreduce reduces the send buffers of all ranks with op, into recv at every rank.
func (c *Comm) Allreduce(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	allreduce.Run(
		c.Collective(), send, recv, op, c.choose(collective.KindAllreduce, a, send.Len(), op),
	)
}

// Reduce reduces the send buffers of all ranks with op, into recv at the root.
func (c *Comm) Reduce(send, recv Buf, op *collective.Op, root int, a collective.Algorithm) {
	reduce.Run(
		c.Collective(), send, recv, op, root, c.choose(collective.KindReduce, a, send.Len(), op),
	)
}

// ReduceScatter reduces the send buffers of all ranks with op, and delivers block i of the result
// to rank i.
func (c *Comm) ReduceScatter(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	reducescatter.Run(
		c.Collective(), send, recv, op, c.choose(collective.KindReduceScatter, a, recv.Len(), op),
	)
}

// Gather gathers the send buffers of all ranks into recv at the root, in rank order.
func (c *Comm) Gather(send, recv Buf, root int, a collective.Algorithm) {
	gather.Run(c.Collective(), send, recv, root, c.choose(collective.KindGather, a, send.Len(), nil))
}

// Scatter sends block i of the root's send buffer to rank i.
func (c *Comm) Scatter(send, recv Buf, root int, a collective.Algorithm) {
	scatter.Run(c.Collective(), send, recv, root, c.choose(collective.KindScatter, a, recv.Len(), nil))
}

// Scan reduces the send buffers of ranks 0 to r, in rank order, into recv at rank r.
func (c *Comm) Scan(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	scan.Run(c.Collective(), send, recv, op, c.choose(collective.KindScan, a, send.Len(), op))
}

// Exscan reduces the send buffers of the ranks below r, in rank order, into recv at rank r. It
// leaves recv at rank 0 unchanged.
func (c *Comm) Exscan(send, recv Buf, op *collective.Op, a collective.Algorithm) {
	scan.RunExclusive(c.Collective(), send, recv, op, c.choose(collective.KindExscan, a, send.Len(), op))
}
