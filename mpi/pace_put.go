package mpi

import (
	"fabricast/collective"
)

// Collective is Comm.Collective for a collective by put: its puts are paced as Pace of the
// communicator says, and ranks that meet do so by put.
func (p *ByPut) Collective() collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.pace, p, pacedPuts{(*paced)(c)})
}

// Start implements collective.Starter, as for collectives by messages.
func (p *ByPut) Start(s collective.Start) collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.schedule(s), p, pacedPuts{(*paced)(c)})
}

// pacedPuts is a communicator by put as a collective sees it that is paced.
type pacedPuts struct{ *paced }

var _ collective.Comm = pacedPuts{}

func (p pacedPuts) puts() *ByPut { return (*ByPut)(p.paced) }

func (p pacedPuts) next() Options { return (*Comm)(p.paced).nextStep(p.puts()) }

func (p pacedPuts) Isend(buf Buf, dst, tag int) Request {
	return p.puts().IsendWith(buf, dst, tag, p.next())
}

func (p pacedPuts) Irecv(buf Buf, src, tag int) Request { return p.puts().Irecv(buf, src, tag) }

func (p pacedPuts) Send(buf Buf, dst, tag int) { p.puts().SendWith(buf, dst, tag, p.next()) }

func (p pacedPuts) Recv(buf Buf, src, tag int) Status {
	p.next()
	return p.puts().Recv(buf, src, tag)
}

func (p pacedPuts) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	o := p.next()
	return p.puts().sendrecvWith(send, dst, stag, recv, src, rtag, o)
}
