package mpi

import (
	"fabricast/collective/tables"
	"fabricast/node"
)

// Comm is one rank's handle of a communicator: a group of ranks whose messages match only among
// themselves. Only that rank may use it.
type Comm struct {
	rank   *Rank
	group  *group
	me     int32
	splits uint32 // communicators created from this one so far
	made   uint32 // windows created from this communicator so far
	step   int32  // current step of the paced collective in progress
	pace   *Pacing
	paces  *Pacing // pacing of the collective in progress; nil if it is not paced
}

// group holds the state shared by all ranks of a communicator.
type group struct {
	context int32 // the first of its context IDs
	size    int
	ranks   []int32 // world rank of each rank; nil if the same as in the world
	splits  groupSplits
	windows windows
	// table selects the algorithm of a collective called with collective.Default; if it is nil, the
	// collective's own default applies.
	table *tables.Table
}

// Rank returns the calling rank's index in the communicator.
func (c *Comm) Rank() int { return int(c.me) }

// Size returns the number of ranks in the communicator.
func (c *Comm) Size() int { return c.group.size }

// Isend starts a send to rank dst. The tag is from 0 to 2^31-1.
func (c *Comm) Isend(buf Buf, dst, tag int) Request {
	if !c.rank.begin() {
		return c.rank.past()
	}
	return c.rank.keep(c.isendLent(buf, dst, tag))
}

// Irecv starts a receive of a message with the given tag (or AnyTag) from rank src (or AnySource).
func (c *Comm) Irecv(buf Buf, src, tag int) Request {
	if !c.rank.begin() {
		return c.rank.past()
	}
	return c.rank.keep(c.irecv(buf, src, tag, node.Messages))
}

// Send sends the buffer to rank dst and returns when the buffer may be used again.
func (c *Comm) Send(buf Buf, dst, tag int) {
	if c.rank.call() {
		c.end(c.isendLent(buf, dst, tag))
	}
}

// Recv receives a message with the given tag (or AnyTag) from rank src (or AnySource).
func (c *Comm) Recv(buf Buf, src, tag int) Status {
	if !c.rank.call() {
		return Status{}
	}
	return c.end(c.irecv(buf, src, tag, node.Messages))
}

// Sendrecv sends one message and receives another at the same time, and returns when both are
// complete.
func (c *Comm) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	if !c.rank.call() || c.exchange(send, dst, stag, recv, src, rtag, node.Messages) {
		return Status{}
	}
	r := c.irecv(recv, src, rtag, node.Messages)
	return c.endBoth(c.isend(send, dst, stag, node.Messages), r)
}

// exchange implements Sendrecv for most calls of ranks that are replayed: it starts both transfers and the wait at
// once. It returns false, and does nothing, for other calls, and for wrong arguments.
func (c *Comm) exchange(send Buf, dst, stag int, recv Buf, src, rtag int, context int32) bool {
	cursor, ranks := c.rank.cursor, uint(c.group.size)
	if cursor == nil || cursor.flow != nil || uint(dst) >= ranks || uint(src) >= ranks ||
		uint(stag) > maxTag || uint(rtag) > maxTag || send.Len() < 0 || recv.Len() < 0 {
		return false
	}
	cursor.waits = c.rank.ops.Exchange(
		send, c.world(dst), c.me, int32(stag), recv, int32(src), int32(rtag), c.group.context+context,
	)
	return cursor.waits
}

// Round returns the next round to execute, from k on, of an algorithm with n rounds: k, or a later
// round if k has been executed already, or n if no round is to be executed now. Only replayed ranks
// (see Loop) skip rounds. Each round must be a single blocking call, and may depend on earlier
// rounds only through the contents of buffers.
func (c *Comm) Round(k, n int) int {
	if c.rank.cursor != nil {
		return c.rank.cursor.round(k, n)
	}
	return k
}

// isend and irecv emit a send and a receive. The caller has already called Rank.begin or Rank.call.
// context selects one of the communicator's contexts.
func (c *Comm) isend(buf Buf, dst, tag int, context int32) Request {
	if uint(dst) >= uint(c.Size()) || uint(tag) > maxTag || buf.Len() < 0 {
		c.failSend(buf, dst, tag)
	}
	return c.rank.started(c.rank.ops.Send(buf, c.world(dst), c.me, int32(tag), c.group.context+context))
}

// isendLent is isend for a buffer that stays unchanged until the send is complete.
func (c *Comm) isendLent(buf Buf, dst, tag int) Request {
	c.lend(buf)
	return c.isend(buf, dst, tag, node.Messages)
}

// lend makes the send of a buffer that follows leave its contents where they are, if it is complete only
// when they have been taken.
func (c *Comm) lend(buf Buf) {
	if len(buf.Bytes()) > 0 {
		c.rank.ops.LendUntilComplete()
	}
}

func (c *Comm) irecv(buf Buf, src, tag int, context int32) Request {
	c.checkPattern(src, tag)
	if buf.Len() < 0 {
		c.failSize(buf)
	}
	return c.rank.started(c.rank.ops.Recv(buf, int32(src), int32(tag), c.group.context+context))
}

// world converts a rank of the communicator to its world rank.
func (c *Comm) world(rank int) int32 {
	if c.group.ranks == nil {
		return int32(rank)
	}
	return c.group.ranks[rank]
}
