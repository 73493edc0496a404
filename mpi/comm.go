package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

// Comm is a rank's view of a communicator: a group of ranks whose messages
// match only among themselves. It belongs to its rank and must not be used by another.
type Comm struct {
	rank   *Rank
	group  *group
	me     int32
	splits uint32 // communicators made from this one so far
	made   uint32 // windows likewise
	step   int32  // of the collective that is under way, if it is paced
	pace   *Pacing
	paces  *Pacing // of the collective that is under way, if it is paced
}

// group is what all ranks of a communicator share.
type group struct {
	context int32 // the first of its contexts
	size    int
	ranks   []int32 // world rank of each rank; nil if it is the world's own order
	splits  splits
	windows windows
	table   *collective.Table // of algorithms where the program names none; nil: the collectives' defaults
}

// Rank is the calling rank's number in the communicator.
func (c *Comm) Rank() int { return int(c.me) }

// Size is the number of ranks in the communicator.
func (c *Comm) Size() int { return c.group.size }

// Isend starts a send to rank dst.
func (c *Comm) Isend(buf Buf, dst, tag int) Request {
	if !c.rank.begin() {
		return Request{}
	}
	return c.isend(buf, dst, tag, node.Messages)
}

// Irecv starts a receive from rank src or AnySource with the tag or AnyTag.
func (c *Comm) Irecv(buf Buf, src, tag int) Request {
	if !c.rank.begin() {
		return Request{}
	}
	return c.irecv(buf, src, tag, node.Messages)
}

// Send sends to rank dst and returns when the buffer may be used again.
func (c *Comm) Send(buf Buf, dst, tag int) {
	if c.rank.call() {
		c.end(c.isend(buf, dst, tag, node.Messages))
	}
}

// Recv receives from rank src or AnySource with the tag or AnyTag.
func (c *Comm) Recv(buf Buf, src, tag int) Status {
	if !c.rank.call() {
		return Status{}
	}
	return c.end(c.irecv(buf, src, tag, node.Messages))
}

// Sendrecv sends and receives at once.
func (c *Comm) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	if !c.rank.call() {
		return Status{}
	}
	r := c.irecv(recv, src, rtag, node.Messages)
	return c.endBoth(c.isend(send, dst, stag, node.Messages), r)
}

// Round is the next of the n rounds of an algorithm that is to be done: k, or a
// later one if this one is done already, or n if none is to be done now. Only
// ranks that are replayed (see Loop) pass over rounds. Each round is one call that
// blocks and needs nothing that an earlier one left behind but contents of buffers.
func (c *Comm) Round(k, n int) int {
	if c.rank.cursor != nil {
		return c.rank.cursor.round(k, n)
	}
	return k
}

// isend and irecv emit operations that have begun.
func (c *Comm) isend(buf Buf, dst, tag int, context int32) Request {
	if uint(dst) >= uint(c.Size()) || uint(tag) > maxTag || buf.Len() < 0 {
		c.failSend(buf, dst, tag)
	}
	return c.rank.ops.Send(buf, c.world(dst), c.me, int32(tag), c.group.context+context)
}

func (c *Comm) irecv(buf Buf, src, tag int, context int32) Request {
	c.checkPattern(src, tag)
	if buf.Len() < 0 {
		c.failSize(buf)
	}
	return c.rank.ops.Recv(buf, int32(src), int32(tag), c.group.context+context)
}

// world translates a rank of the communicator.
func (c *Comm) world(rank int) int32 {
	if c.group.ranks == nil {
		return int32(rank)
	}
	return c.group.ranks[rank]
}
