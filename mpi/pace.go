package mpi

import (
	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/node"
	"fabricast/pacing"
)

// Pacing is a schedule of gaps and barriers for the messages of a collective.
type Pacing = pacing.Schedule

// Once is the value of Pacing.Every for a single barrier, before the collective starts.
const Once = pacing.Once

// Pace sets the pacing of all subsequent collectives of the communicator. If p is nil, the
// experiment's pacing applies. Pace panics if p is invalid.
func (c *Comm) Pace(p *Pacing) {
	if p != nil {
		if err := p.Check(c.Rank()); err != nil {
			panic(err)
		}
	}
	c.pace = p
}

// Collective starts a collective that the user has written. It returns the communicator for its
// messages, which never match messages of the program and are paced as set by Pace.
func (c *Comm) Collective() collective.Comm {
	c.rank.enter()
	return c.begin(c.pace, (*private)(c), (*paced)(c))
}

// Start implements collective.Starter: it applies the pacing that the experiment selects for the
// collective.
func (p *private) Start(s collective.Start) collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.schedule(s), p, (*paced)(c))
}

// begin starts a collective and returns the communicator for its messages: paced, or plain if pace
// is nil. The barriers of the pacing always use plain.
func (c *Comm) begin(pace *Pacing, plain, paced collective.Comm) collective.Comm {
	if pace == nil {
		return plain
	}
	if pace.Every != 0 {
		barrier.Meet(plain)
	}
	c.paces, c.step = pace, 0
	return paced
}

// schedule returns the pacing that the experiment selects for the collective, or nil if it selects
// none.
func (c *Comm) schedule(s collective.Start) *Pacing {
	if c.rank.ops == nil { // before the simulation
		return nil
	}
	pacer := pacing.Of(c.rank.ops.World())
	if !pacer.Paces(s.Kind) {
		return nil
	}
	schedule, err := pacer.Schedule(s, c.group.context, c.Size(), c.group.ranks)
	if err != nil {
		panic(err)
	}
	return schedule
}

// nextStep advances a paced collective to its next step, and returns options with the gap of the
// step just left. If the pacing has a barrier at this point, the ranks first meet at it, on the
// communicator meet.
func (c *Comm) nextStep(meet collective.Comm) Options {
	step := int(c.step)
	if c.paces.MeetsBefore(step) {
		barrier.Meet(meet)
	}
	c.step++
	return Options{Gap: c.paces.Gap(c.Rank(), step)}
}

// paced is a communicator for the messages of a paced collective.
type paced Comm

var _ collective.Comm = (*paced)(nil)

func (p *paced) Rank() int { return (*Comm)(p).Rank() }
func (p *paced) Size() int { return (*Comm)(p).Size() }

// Round is like Comm.Round, but skips no rounds if the pacing has barriers between steps.
func (p *paced) Round(k, n int) int {
	if p.paces.Every > 0 {
		return k
	}
	next := (*Comm)(p).Round(k, n)
	p.step += int32(next - k)
	return next
}

func (p *paced) next() Options { return (*Comm)(p).nextStep((*private)(p)) }

func (p *paced) Isend(buf Buf, dst, tag int) Request {
	o := p.next()
	if !p.rank.begin() {
		return p.rank.past()
	}
	return p.rank.keep((*Comm)(p).isendWith(buf, dst, tag, node.Collectives, o))
}

func (p *paced) Irecv(buf Buf, src, tag int) Request { return (*private)(p).Irecv(buf, src, tag) }
func (p *paced) Wait(r Request) Status               { return (*Comm)(p).Wait(r) }
func (p *paced) WaitAll(rs []Request)                { (*Comm)(p).WaitAll(rs) }

func (p *paced) Send(buf Buf, dst, tag int) {
	o := p.next()
	if p.rank.call() {
		(*Comm)(p).end((*Comm)(p).isendWith(buf, dst, tag, node.Collectives, o))
	}
}

func (p *paced) Recv(buf Buf, src, tag int) Status {
	p.next()
	return (*private)(p).Recv(buf, src, tag)
}

func (p *paced) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	o := p.next()
	if !p.rank.call() {
		return Status{}
	}
	r := (*Comm)(p).irecv(recv, src, rtag, node.Collectives)
	return (*Comm)(p).endBoth((*Comm)(p).isendWith(send, dst, stag, node.Collectives, o), r)
}
