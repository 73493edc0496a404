package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

// private is a communicator for the messages of collectives. They never match messages of the
// program.
type private Comm

var (
	_ collective.Repeater = (*private)(nil)
	_ collective.Comm     = (*Comm)(nil)
)

func (p *private) Rank() int { return (*Comm)(p).Rank() }
func (p *private) Size() int { return (*Comm)(p).Size() }

func (p *private) Round(k, n int) int { return (*Comm)(p).Round(k, n) }

func (p *private) Isend(buf Buf, dst, tag int) Request {
	if !p.rank.begin() {
		return p.rank.past()
	}
	return p.rank.keep((*Comm)(p).isend(buf, dst, tag, node.Collectives))
}

func (p *private) Irecv(buf Buf, src, tag int) Request {
	if !p.rank.begin() {
		return p.rank.past()
	}
	return p.rank.keep((*Comm)(p).irecv(buf, src, tag, node.Collectives))
}

func (p *private) Wait(r Request) Status { return (*Comm)(p).Wait(r) }
func (p *private) WaitAll(rs []Request)  { (*Comm)(p).WaitAll(rs) }

func (p *private) Send(buf Buf, dst, tag int) {
	if p.rank.call() {
		(*Comm)(p).end((*Comm)(p).isend(buf, dst, tag, node.Collectives))
	}
}

func (p *private) Recv(buf Buf, src, tag int) Status {
	if !p.rank.call() {
		return Status{}
	}
	return (*Comm)(p).end((*Comm)(p).irecv(buf, src, tag, node.Collectives))
}

func (p *private) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	c := (*Comm)(p)
	if !c.rank.call() || c.exchange(send, dst, stag, recv, src, rtag, node.Collectives) {
		return Status{}
	}
	r := c.irecv(recv, src, rtag, node.Collectives)
	return c.endBoth(c.isend(send, dst, stag, node.Collectives), r)
}
