package cmpi

import (
	"fabricast/cmpi/internal/combination"
	"fabricast/collective"
	"fabricast/node"
)

var _ collective.Contributor = (*comm)(nil)

// Contribute implements collective.Contributor.
func (c *comm) Contribute(operand node.Buf, s collective.Segment, tag int) node.Request {
	c.fit(1)
	w, number := c.ops.World(), int64(0)
	if operand.HasData() && operand.Len() > 0 {
		if err := w.CanCombine(); err != nil {
			panic(err)
		}
		if s.Op != nil {
			number = combination.Basic(w, c.call.Op, c.call.Type)
		}
	}
	return c.ops.SendWith(
		operand, c.world(c.Rank()), c.rank, collective.TreeTag(c.tag(tag), s.Code), c.sends+node.Collectives,
		s.Options(w.NICs(), number),
	)
}

// Collect implements collective.Contributor.
func (c *comm) Collect(result node.Buf, s collective.Segment, tag int) node.Request {
	c.fit(1)
	r := c.receipts.take()
	r.room = int64(result.Len())
	return c.ops.RecvTo(
		result, &r.Delivery, int32(s.Member), collective.TreeTag(c.tag(tag), s.Code), c.receives+node.Collectives,
	)
}

// The handles of the last predefined operation for reductions and of the last predefined type, as in
// mpi.h and state.h. Those that a program makes are above.
const (
	lastOp   = 0x4000000e
	lastType = 0x30000042
)

// Combines implements collective.Contributor: switches know predefined operations on predefined types.
func (c *comm) Combines(*collective.Op) bool { return c.call.Op <= lastOp && c.call.Type <= lastType }
