package mpi

import (
	"fmt"

	"fabricast/collective"
	"fabricast/node"
	"fabricast/pacing"
)

// Pacing tells how the messages of collectives are paced. It must not be changed once it is in use.
type Pacing struct {
	// Gaps says, for each step of a collective (see pacing.Steps), for how many packet times
	// the NIC pauses after each packet. For further steps the last one holds.
	Gaps []uint32
	// Steps says, for each rank of the communicator, of which step each of its calls that send, or receive and
	// block, is (see pacing.Steps). Without it, or for ranks and calls that it does not name, they are 0, 1, 2, and so on.
	Steps [][]int32
	// Every is for how many steps ranks may drift apart: they meet at a barrier before the
	// collective begins, and again before each Every-th step, or not again if it is Once. 0: they do
	// not meet. If they meet again, all must go through the same steps.
	Every int
}

// Once has ranks meet only before a collective begins.
const Once = -1

// Pace has the communicator's collectives paced from now on, all alike; as the experiment says if p is nil.
func (c *Comm) Pace(p *Pacing) {
	if p != nil {
		p.check(c.Rank())
	}
	c.pace = p
}

// check panics unless the pacing means something for a rank.
func (p *Pacing) check(rank int) {
	if p.Every < Once {
		panic(fmt.Errorf("pacing with a barrier every %d steps: expected at least 1, 0 for none or mpi.Once (%d)", p.Every, Once))
	}
	if rank >= len(p.Steps) {
		return
	}
	for call, step := range p.Steps[rank] {
		if step < 0 {
			panic(fmt.Errorf("pacing with step %d for call %d of rank %d: expected steps from 0 on", step, call, rank))
		}
	}
}

// Collective begins a collective of your own: it returns the communicator as collectives see
// it, whose messages never match the program's and are paced as Pace says.
func (c *Comm) Collective() collective.Comm {
	c.rank.enter()
	if c.pace == nil {
		return (*private)(c)
	}
	c.beginSteps(c.pace, (*private)(c))
	return (*paced)(c)
}

// Start implements collective.Starter: the collective is paced if the experiment says so.
func (p *private) Start(s collective.Start) collective.Comm {
	c := (*Comm)(p)
	pace := c.schedule(s)
	if pace == nil {
		return p
	}
	c.beginSteps(pace, p)
	return (*paced)(c)
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
	return (*Pacing)(schedule)
}

// beginSteps begins a paced collective whose ranks meet by the messages of a communicator.
func (c *Comm) beginSteps(pace *Pacing, meet collective.Comm) {
	if pace.Every != 0 {
		collective.Meet(meet)
	}
	c.paces, c.step = pace, 0
}

// nextStep goes on to the next step of a paced collective, and returns the gap of the one that it ends.
func (c *Comm) nextStep(meet collective.Comm) Options {
	step := int(c.step)
	if every := c.paces.Every; every > 0 && step > 0 && step%every == 0 {
		collective.Meet(meet)
	}
	c.step++
	return Options{Gap: c.paces.gap(c.Rank(), step)}
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

// gap is that of a call of a rank.
func (p *Pacing) gap(rank, call int) uint32 {
	return (*pacing.Schedule)(p).Gap(rank, call)
}

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
