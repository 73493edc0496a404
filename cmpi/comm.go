package cmpi

import (
	"fabricast/cmpi/internal/coroutine"
	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// comm is the communicator of a collective as its algorithm sees it. The algorithm sends and
// receives in it; when it waits, its coroutine pauses.
type comm struct {
	side     // whom it talks to
	job      *Job
	call     *host.Call
	ops      *node.Ops
	routine  coroutine.Coroutine
	receipts receipts
	pace     pace
	untyped  bool // the datatypes of messages are not compared
}

var (
	_ collective.Starter = (*comm)(nil)
	_ collective.Worker  = (*comm)(nil)
)

// Bits of tags that distinguish the messages of collectives in the background from others, and those
// of their channels (see collective.ChannelTag).
const (
	sequenceShift = 5
	sequenceMask  = 1<<17 - 1
	channelShift  = 23
)

func (c *comm) Rank() int          { return int(c.rank) }
func (c *comm) Size() int          { return int(c.size) }
func (c *comm) Round(k, _ int) int { return k }
func (c *comm) tag(tag int) int32 {
	kind, channel := int32(tag)&(1<<sequenceShift-1), int32(tag)&^node.ByDevice>>sequenceShift
	return kind | (c.call.Sequence&sequenceMask)<<sequenceShift | channel<<channelShift | int32(tag)&node.ByDevice
}

func (s *side) world(rank int) int32 {
	if s.ranks != nil {
		return s.ranks[rank]
	}
	return int32(rank)
}

// fit waits until the rank may start n more operations.
func (c *comm) fit(n int) {
	for !c.ops.Fits(n) {
		c.routine.Pause()
	}
}

// Isend implements collective.Comm.
func (c *comm) Isend(buf node.Buf, dst, tag int) node.Request {
	return c.isendWith(buf, 0, dst, tag, c.nextStep())
}

// Irecv implements collective.Comm.
func (c *comm) Irecv(buf node.Buf, src, tag int) node.Request {
	c.fit(1)
	r := c.receipts.take()
	r.room = int64(buf.Len())
	return c.ops.RecvTo(buf, &r.Delivery, int32(src), c.tag(tag), c.receives+node.Collectives)
}

// WaitAll implements collective.Comm.
func (c *comm) WaitAll(rs []node.Request) {
	c.fit(1)
	switch {
	case !c.routine.Alone:
		c.routine.Wait(rs)
	case c.ops.WaitAll(rs...):
		c.routine.Pause()
	}
}

// Wait implements collective.Comm. It returns an empty status, which algorithms do not use.
func (c *comm) Wait(r node.Request) node.Status {
	c.WaitAll([]node.Request{r})
	return node.Status{}
}

// Send implements collective.Comm.
func (c *comm) Send(buf node.Buf, dst, tag int) { c.Wait(c.Isend(buf, dst, tag)) }

// Recv implements collective.Comm.
func (c *comm) Recv(buf node.Buf, src, tag int) node.Status {
	c.nextStep()
	c.Wait(c.Irecv(buf, src, tag))
	c.checkOnly()
	return node.Status{}
}

// Sendrecv implements collective.Comm.
func (c *comm) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	o := c.nextStep()
	c.fit(3)
	r := c.Irecv(recv, src, rtag)
	c.WaitAll([]node.Request{c.isendWith(send, 0, dst, stag, o), r})
	c.checkOnly()
	return node.Status{}
}

// Collectives spend the time of their work on data at the rates of the node. A collective that is
// replayed could not; where the node has rates, none is.

// Combine implements collective.Worker.
func (c *comm) Combine(bytes int) { c.work(c.ops.World().CombineTime(int64(bytes))) }

// Copy implements collective.Worker.
func (c *comm) Copy(bytes int) { c.work(c.ops.World().PackTime(int64(bytes))) }

// work computes for a time (ps).
func (c *comm) work(time int64) {
	if time > 0 {
		c.fit(1)
		c.ops.Compute(time)
	}
}
