package mpi

import (
	"fabricast/collective"
)

// Collective is like Comm.Collective for a collective whose messages are puts. They are paced as
// set by Comm.Pace. The barriers of the pacing use puts, too.
func (p *ByPut) Collective() collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.pace, p, pacedPuts{(*paced)(c)})
}

// Start implements collective.Starter: it applies the pacing that the experiment selects for the
// collective.
func (p *ByPut) Start(s collective.Start) collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.schedule(s), p, pacedPuts{(*paced)(c)})
}

// pacedPuts is a communicator for the messages of a paced collective that uses puts.
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
