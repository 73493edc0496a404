package steps

import (
	"fabricast/collective"
	"fabricast/node"
)

// sub is a communicator of some ranks of another one.
type sub struct {
	whole collective.Comm
	ranks []int32
	me    int
}

// Sub returns a communicator of some ranks of c, of which the caller is number me.
func Sub(c collective.Comm, ranks []int32, me int) collective.Comm { return &sub{c, ranks, me} }

func (s *sub) Rank() int          { return s.me }
func (s *sub) Size() int          { return len(s.ranks) }
func (s *sub) Round(k, _ int) int { return k }

func (s *sub) Isend(buf node.Buf, dst, tag int) node.Request {
	return s.whole.Isend(buf, int(s.ranks[dst]), tag)
}

func (s *sub) Irecv(buf node.Buf, src, tag int) node.Request {
	return s.whole.Irecv(buf, int(s.ranks[src]), tag)
}

func (s *sub) Wait(r node.Request) node.Status { return s.whole.Wait(r) }
func (s *sub) WaitAll(rs []node.Request)       { s.whole.WaitAll(rs) }
func (s *sub) Send(buf node.Buf, dst, tag int) { s.whole.Send(buf, int(s.ranks[dst]), tag) }

func (s *sub) Recv(buf node.Buf, src, tag int) node.Status {
	return s.whole.Recv(buf, int(s.ranks[src]), tag)
}

func (s *sub) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	return s.whole.Sendrecv(send, int(s.ranks[dst]), stag, recv, int(s.ranks[src]), rtag)
}

// Combine implements collective.Worker.
func (s *sub) Combine(bytes int) { combined(s.whole, bytes) }

// Copy implements collective.Worker.
func (s *sub) Copy(bytes int) { Copied(s.whole, bytes) }
