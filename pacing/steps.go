package pacing

import (
	"errors"
	"iter"

	"fabricast/collective"
	"fabricast/node"
)

// Steps yields the messages of a collective on so many ranks, step by step; hosts stand for
// ranks. The function calls the collective for a rank, with sizes only.
//
// A rank's step is how many messages it has sent, or received by a call that blocks, since
// the collective began; a Sendrecv counts once. So rounds are steps. Where a rank starts many messages at once, each is a step of its
// own, since its NIC sends them one after the other.
func Steps(ranks int, run func(c collective.Comm)) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		s := newSteps(ranks, run)
		defer s.stop()
		for step := 0; s.active > 0; step++ {
			for rank := range s.ranks {
				if r := &s.ranks[rank]; r.active && r.send.step == step {
					if !yield(Message{Step: step, From: rank, To: r.send.to}) {
						return
					}
					s.advance(r)
				}
			}
		}
	}
}

// send is the message that a rank sends in a step.
type send struct{ step, to int }

// steps is the ranks of a collective that go through it side by side.
type steps struct {
	ranks  []stepper
	active int
}

// stepper is one of them: its next message, and what goes on to that after it.
type stepper struct {
	send   send
	active bool
	next   func() (send, bool)
	stop   func()
}

func newSteps(ranks int, run func(c collective.Comm)) *steps {
	s := &steps{ranks: make([]stepper, ranks), active: ranks}
	for rank := range s.ranks {
		r := &s.ranks[rank]
		r.active = true
		r.next, r.stop = iter.Pull(sends(rank, ranks, run))
		s.advance(r)
	}
	return s
}

// advance goes on to the rank's next message.
func (s *steps) advance(r *stepper) {
	if r.send, r.active = r.next(); !r.active {
		s.active--
	}
}

func (s *steps) stop() {
	for i := range s.ranks {
		s.ranks[i].stop()
	}
}

// errStopped unwinds a rank that nobody asks any more.
var errStopped = errors.New("stopped")

// sends goes through the messages of one rank.
func sends(rank, ranks int, run func(c collective.Comm)) iter.Seq[send] {
	return func(yield func(send) bool) {
		defer func() {
			if p := recover(); p != nil && p != errStopped {
				panic(p)
			}
		}()
		run(&symbolic{rank: rank, ranks: ranks, yield: yield})
	}
}

// symbolic is a communicator whose messages are only noted.
type symbolic struct {
	rank, ranks, step int
	yield             func(send) bool
}

func (c *symbolic) Rank() int { return c.rank }
func (c *symbolic) Size() int { return c.ranks }

func (c *symbolic) Round(k, _ int) int { return k }

func (c *symbolic) note(to int) {
	if !c.yield(send{c.step, to}) {
		panic(errStopped)
	}
	c.step++
}

func (c *symbolic) Isend(_ node.Buf, dst, _ int) node.Request {
	c.note(dst)
	return node.Request{}
}

func (c *symbolic) Irecv(node.Buf, int, int) node.Request { return node.Request{} }
func (c *symbolic) Wait(node.Request) node.Status         { return node.Status{} }
func (c *symbolic) WaitAll([]node.Request)                {}

func (c *symbolic) Send(_ node.Buf, dst, _ int) { c.note(dst) }

func (c *symbolic) Recv(node.Buf, int, int) node.Status {
	c.step++
	return node.Status{}
}

func (c *symbolic) Sendrecv(_ node.Buf, dst, _ int, _ node.Buf, _, _ int) node.Status {
	c.note(dst)
	return node.Status{}
}
