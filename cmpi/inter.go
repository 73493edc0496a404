package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// side is what a strand sees of its communicator: all of it, or of an intercommunicator the rank's own
// group or the other one.
type side struct {
	rank, size int32
	ranks      []int32 // world ranks; nil: the world's own
	sends      int32   // context of what it sends,
	receives   int32   // and of what it receives
}

// whole is a communicator of one group.
func whole(c *host.Call) side {
	s := side{rank: c.Rank, size: c.Size, sends: c.Context, receives: c.Context}
	if c.Ranks != nil {
		s.ranks = unsafe.Slice(c.Ranks, c.Size)
	}
	return s
}

// near is the rank's own group in an intercommunicator.
func near(c *host.Call) side {
	s := whole(c)
	s.sends, s.receives = c.LocalContext, c.LocalContext
	return s
}

// far is the other group, as the rank sees it.
func far(c *host.Call) side {
	return side{c.Rank, c.RemoteSize, unsafe.Slice(c.Remote, c.RemoteSize), c.SendContext, c.Context}
}

// Roots of collectives on intercommunicators.
const (
	rootHere   = -3 // this rank
	rootBeside = -1 // another one of its group
)

// between runs the collectives of intercommunicators: within the groups with the algorithms of package
// collective, between them by messages of all ranks with all, or of the first ranks.
func (s *strand) between(send, recv node.Buf) {
	c := s.call
	switch c.What {
	case host.Barrier:
		s.side = near(c)
		collective.Barrier(s, s.choose(collective.KindBarrier, 0))
		s.swapFirst(node.Size(0), node.Size(0))
		collective.Barrier(s, s.choose(collective.KindBarrier, 0))
	case host.Broadcast:
		s.broadcastBetween(recv)
	case host.Reduce:
		s.reduceBetween(send, recv)
	case host.Allreduce:
		s.swapFirst(s.reduceNear(send), recv)
		collective.Broadcast(s, recv, 0, s.choose(collective.KindBroadcast, c.RecvSize))
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

// swapFirst has the first ranks of both groups exchange what they have. The strand is then in its own group.
func (s *strand) swapFirst(send, recv node.Buf) {
	if s.rank == 0 {
		s.side = far(s.call)
		s.Sendrecv(send, 0, tagBetween, recv, 0, tagBetween)
	}
	s.side = near(s.call)
}

func (s *strand) broadcastBetween(buf node.Buf) {
	c := s.call
	s.side = far(c)
	switch {
	case c.Root == rootHere:
		s.Send(buf, 0, tagBetween)
	case c.Root >= 0:
		if s.rank == 0 {
			s.Recv(buf, int(c.Root), tagBetween)
		}
		s.side = near(c)
		collective.Broadcast(s, buf, 0, s.choose(collective.KindBroadcast, c.RecvSize))
	}
}

// reduceNear combines what the ranks of the own group have at its first rank.
func (s *strand) reduceNear(send node.Buf) node.Buf {
	s.side = near(s.call)
	acc := send
	if s.rank == 0 {
		acc = scratch(send)
	}
	collective.Reduce(s, send, acc, s.op(), 0, s.choose(collective.KindReduce, s.call.SendSize))
	return acc
}

func (s *strand) reduceBetween(send, recv node.Buf) {
	switch c := s.call; {
	case c.Root == rootHere:
		s.side = far(c)
		s.Recv(recv, 0, tagBetween)
	case c.Root >= 0:
		acc := s.reduceNear(send)
		if s.rank == 0 {
			s.side = far(c)
			s.Send(acc, int(c.Root), tagBetween)
		}
	}
}

// reduceScatterBetween scatters what the other group has combined.
func (s *strand) reduceScatterBetween(send, recv node.Buf) {
	theirs := scratch(send)
	s.swapFirst(s.reduceNear(send), theirs)
	s.scatterFromFirst(theirs, recv)
}

// rooted moves parts between the root and all ranks of the other group.
func (s *strand) rooted(send, recv node.Buf) {
	c := s.call
	gathers := c.What == host.Gather || c.What == host.Gatherv
	s.side = far(c)
	rs := make([]node.Request, 0, s.Size())
	switch {
	case c.Root == rootHere && gathers:
		for r := range s.Size() {
			rs = append(rs, s.recvPart(s.inPart(recv, r), r, r, tagBetween))
		}
	case c.Root == rootHere:
		for r := range s.Size() {
			rs = append(rs, s.sendPart(s.outPart(send, r), r, r, tagBetween))
		}
	case c.Root == rootBeside:
	case gathers:
		rs = append(rs, s.sendPart(send, 0, int(c.Root), tagBetween))
	default:
		rs = append(rs, s.recvPart(recv, 0, int(c.Root), tagBetween))
	}
	s.WaitAll(rs)
}

// everyWithEvery sends something to each rank of the other group and receives something from it,
// beginning with the one of the same number.
func (s *strand) everyWithEvery(send, recv node.Buf) {
	c := s.call
	s.side = far(c)
	rs := make([]node.Request, 0, 2*s.Size())
	for k := range s.Size() {
		r := (int(s.rank) + k) % s.Size()
		out := send
		if c.What == host.Alltoall || c.What == host.Alltoallv {
			out = s.outPart(send, r)
		}
		rs = append(rs, s.recvPart(s.inPart(recv, r), r, r, tagBetween), s.sendPart(out, r, r, tagBetween))
	}
	s.WaitAll(rs)
}

// outPart and inPart are the parts of buffers that belong to a rank: of sizes of their own, or all of the same size.
func (s *strand) outPart(buf node.Buf, rank int) node.Buf {
	if s.call.SendCounts != nil {
		return s.sendParts(buf).of(rank)
	}
	return equalPart(buf, rank, s.Size())
}

func (s *strand) inPart(buf node.Buf, rank int) node.Buf {
	if s.call.RecvCounts != nil {
		return s.recvParts(buf).of(rank)
	}
	return equalPart(buf, rank, s.Size())
}

func equalPart(buf node.Buf, i, n int) node.Buf {
	size := int(buf.Len()) / n
	return buf.Slice(i*size, size)
}

// duplicateBetween makes an intercommunicator of the same groups: each registers a context for what it sends.
func (s *strand) duplicateBetween() {
	c := s.call
	s.side = near(c)
	local, _ := s.program.block.job.splits.Split(s, meeting{c.LocalContext, c.Root}, 0, int(c.Rank), tagSplit, s.found)
	mine, theirs := make([]byte, contextBytes), make([]byte, contextBytes)
	if s.rank == 0 {
		putContext(mine, s.ops.World().NewContexts(local.ranks))
	}
	s.swapFirst(node.Data(mine), node.Data(theirs))
	both := append(mine, theirs...)
	collective.Broadcast(s, node.Data(both), 0, collective.Default)
	c.NewSend, c.NewContext = contextOf(both), contextOf(both[contextBytes:])
	c.NewLocal = local.context
}
