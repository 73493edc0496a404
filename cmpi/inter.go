package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/reduce"
	"fabricast/node"
)

// side is the group of ranks that a strand communicates with: its communicator, or one of the two
// groups of an intercommunicator.
type side struct {
	rank, size int32
	ranks      []int32 // world ranks; nil: the same as in the world
	sends      int32   // context of what it sends
	receives   int32   // context of what it receives
}

// whole returns the only group of an intracommunicator.
func whole(c *host.Call) side {
	s := side{rank: c.Rank, size: c.Size, sends: c.Context, receives: c.Context}
	if c.Ranks != nil {
		s.ranks = unsafe.Slice(c.Ranks, c.Size)
	}
	return s
}

// near returns the rank's own group in an intercommunicator.
func near(c *host.Call) side {
	s := whole(c)
	s.sends, s.receives = c.LocalContext, c.LocalContext
	return s
}

// far returns the other group of an intercommunicator, for messages between the groups.
func far(c *host.Call) side {
	return side{c.Rank, c.RemoteSize, unsafe.Slice(c.Remote, c.RemoteSize), c.SendContext, c.Context}
}

// Values of a root in collectives on intercommunicators.
const (
	rootHere   = -3 // this rank is the root
	rootBeside = -1 // another rank of its group is the root
)

// between executes the collectives of intercommunicators: within the groups by the algorithms of
// package collective, between them by messages from all ranks to all, or between the first ranks.
func (s *strand) between(send, recv node.Buf) {
	c := s.call
	switch c.What {
	case host.Barrier:
		s.comm.side = near(c)
		barrier.Run(&s.comm, s.choose(collective.KindBarrier, 0))
		s.swapFirst(node.Size(0), node.Size(0))
		barrier.Run(&s.comm, s.choose(collective.KindBarrier, 0))
	case host.Broadcast:
		s.broadcastBetween(recv)
	case host.Reduce:
		s.reduceBetween(send, recv)
	case host.Allreduce:
		s.swapFirst(s.reduceNear(send), recv)
		broadcast.Run(&s.comm, recv, 0, s.choose(collective.KindBroadcast, c.RecvSize))
	case host.ReduceScatter, host.ReduceScatterv:
		s.reduceScatterBetween(send, recv)
	case host.Gather, host.Gatherv, host.Scatter, host.Scatterv:
		s.rooted(send, recv)
	case host.Allgather, host.Allgatherv, host.Alltoall, host.Alltoallv:
		s.everyWithEvery(send, recv)
	case host.Duplicate:
		s.duplicateBetween()
	}
}

// swapFirst lets the first ranks of both groups exchange buffers. Afterwards the strand
// communicates with its own group.
func (s *strand) swapFirst(send, recv node.Buf) {
	if s.comm.rank == 0 {
		s.comm.side = far(s.call)
		s.comm.Sendrecv(send, 0, tagBetween, recv, 0, tagBetween)
	}
	s.comm.side = near(s.call)
}

func (s *strand) broadcastBetween(buf node.Buf) {
	c := s.call
	s.comm.side = far(c)
	switch {
	case c.Root == rootHere:
		s.comm.Send(buf, 0, tagBetween)
	case c.Root >= 0:
		if s.comm.rank == 0 {
			s.comm.Recv(buf, int(c.Root), tagBetween)
		}
		s.comm.side = near(c)
		broadcast.Run(&s.comm, buf, 0, s.choose(collective.KindBroadcast, c.RecvSize))
	}
}

// reduceNear combines the buffers of the own group's ranks at its first rank.
func (s *strand) reduceNear(send node.Buf) node.Buf {
	s.comm.side = near(s.call)
	acc := send
	if s.comm.rank == 0 {
		acc = scratch(send)
	}
	reduce.Run(&s.comm, send, acc, s.op(), 0, s.choose(collective.KindReduce, s.call.SendSize))
	return acc
}

func (s *strand) reduceBetween(send, recv node.Buf) {
	switch c := s.call; {
	case c.Root == rootHere:
		s.comm.side = far(c)
		s.comm.Recv(recv, 0, tagBetween)
	case c.Root >= 0:
		acc := s.reduceNear(send)
		if s.comm.rank == 0 {
			s.comm.side = far(c)
			s.comm.Send(acc, int(c.Root), tagBetween)
		}
	}
}

// reduceScatterBetween scatters the combined data of the other group.
func (s *strand) reduceScatterBetween(send, recv node.Buf) {
	theirs := scratch(send)
	s.swapFirst(s.reduceNear(send), theirs)
	s.scatterFromFirst(theirs, recv)
}

// rooted transfers parts between the root and all ranks of the other group.
func (s *strand) rooted(send, recv node.Buf) {
	c := s.call
	gathers := c.What == host.Gather || c.What == host.Gatherv
	s.comm.side = far(c)
	rs := make([]node.Request, 0, s.comm.Size())
	switch {
	case c.Root == rootHere && gathers:
		for r := range s.comm.Size() {
			rs = append(rs, s.comm.recvPart(s.inPart(recv, r), r, r, tagBetween))
		}
	case c.Root == rootHere:
		for r := range s.comm.Size() {
			rs = append(rs, s.comm.sendPart(s.outPart(send, r), r, r, tagBetween))
		}
	case c.Root == rootBeside:
	case gathers:
		rs = append(rs, s.comm.sendPart(send, 0, int(c.Root), tagBetween))
	default:
		rs = append(rs, s.comm.recvPart(recv, 0, int(c.Root), tagBetween))
	}
	s.comm.WaitAll(rs)
}

// everyWithEvery sends to each rank of the other group and receives from it, beginning with the
// rank of the same number.
func (s *strand) everyWithEvery(send, recv node.Buf) {
	c := s.call
	s.comm.side = far(c)
	rs := make([]node.Request, 0, 2*s.comm.Size())
	for k := range s.comm.Size() {
		r := (int(s.comm.rank) + k) % s.comm.Size()
		out := send
		if c.What == host.Alltoall || c.What == host.Alltoallv {
			out = s.outPart(send, r)
		}
		rs = append(
			rs,
			s.comm.recvPart(s.inPart(recv, r), r, r, tagBetween),
			s.comm.sendPart(out, r, r, tagBetween),
		)
	}
	s.comm.WaitAll(rs)
}

// outPart and inPart return the part of a buffer that belongs to a rank. Parts have given sizes, or
// are all of the same size.
func (s *strand) outPart(buf node.Buf, rank int) node.Buf {
	if s.call.SendCounts != nil {
		return s.sendParts(buf).of(rank)
	}
	return equalPart(buf, rank, s.comm.Size())
}

func (s *strand) inPart(buf node.Buf, rank int) node.Buf {
	if s.call.RecvCounts != nil {
		return s.recvParts(buf).of(rank)
	}
	return equalPart(buf, rank, s.comm.Size())
}

func equalPart(buf node.Buf, i, n int) node.Buf {
	size := int(buf.Len()) / n
	return buf.Slice(i*size, size)
}

// duplicateNear makes a communicator of the rank's own group.
func (s *strand) duplicateNear() newcomers {
	c, job := s.call, s.program.block.job
	if job.abroad != nil {
		context, _ := s.meetApart(meeting{c.LocalContext, c.Root}, 0, int(c.Rank))
		return newcomers{context, job.abroad.ranksOf(context)}
	}
	local, _ := job.splits.Split(
		&s.comm,
		meeting{c.LocalContext, c.Root},
		0,
		int(c.Rank),
		tagSplit,
		s.founder(meeting{c.LocalContext, c.Root}),
	)
	return local
}

// duplicateBetween makes an intercommunicator with the same groups: each group registers a context
// for what it sends.
func (s *strand) duplicateBetween() {
	c := s.call
	s.comm.side = near(c)
	local := s.duplicateNear()
	mine, theirs := make([]byte, contextBytes), make([]byte, contextBytes)
	if s.comm.rank == 0 {
		by := node.Creation{Kind: node.CreatedBetween, Of: local.context}
		putContext(mine, s.comm.ops.World().NewContexts(by, local.ranks))
	}
	s.swapFirst(node.Data(mine), node.Data(theirs))
	both := append(mine, theirs...)
	broadcast.Run(&s.comm, node.Data(both), 0, collective.Default)
	c.NewSend, c.NewContext = contextOf(both), contextOf(both[contextBytes:])
	c.NewLocal = local.context
}
