package mpi

import (
	"fabricast/collective"
	"fabricast/node"
	"fabricast/pacing"
)

// Pacing tells how the messages of collectives are paced.
type Pacing = pacing.Schedule

// Once has ranks meet only before a collective begins (see Pacing.Every).
const Once = pacing.Once

// Pace has the communicator's collectives paced from now on, all alike; as the experiment says if p is nil.
func (c *Comm) Pace(p *Pacing) {
	if p != nil {
		if err := p.Check(c.Rank()); err != nil {
			panic(err)
		}
	}
	c.pace = p
}

// Collective begins a collective of your own: it returns the communicator as collectives see
// it, whose messages never match the program's and are paced as Pace says.
func (c *Comm) Collective() collective.Comm {
	c.rank.enter()
	return c.begin(c.pace, (*private)(c), (*paced)(c))
}

// Start implements collective.Starter: the collective is paced if the experiment says so.
func (p *private) Start(s collective.Start) collective.Comm {
	c := (*Comm)(p)
	return c.begin(c.schedule(s), p, (*paced)(c))
}

// begin begins a collective: it returns the communicator that it is to see, which is the plain one, by whose messages
// ranks meet, unless there is a pacing.
func (c *Comm) begin(pace *Pacing, plain, paced collective.Comm) collective.Comm {
	if pace == nil {
		return plain
	}
	if pace.Every != 0 {
		collective.Meet(plain)
	}
	c.paces, c.step = pace, 0
	return paced
}

// schedule is how the experiment has a collective paced; nil if it does not.
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

// nextStep goes on to the next step of a paced collective, and returns the gap of the one that it ends.
func (c *Comm) nextStep(meet collective.Comm) Options {
	step := int(c.step)
	if c.paces.MeetsBefore(step) {
		collective.Meet(meet)
	}
	c.step++
	return Options{Gap: c.paces.Gap(c.Rank(), step)}
}

// paced is a communicator as a collective sees it that is paced.
type paced Comm

var _ collective.Comm = (*paced)(nil)

func (p *paced) Rank() int { return (*Comm)(p).Rank() }
func (p *paced) Size() int { return (*Comm)(p).Size() }

// Round passes over rounds only where ranks need not meet between them.
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
		return Request{}
	}
	return (*Comm)(p).isendWith(buf, dst, tag, node.Collectives, o)
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
