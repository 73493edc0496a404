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
// A rank's first message is of step 0. Each message that it sends is a step later than the one before, and
// later than all that it has received by calls that block. So rounds are steps, a rank in a tree sends in the step after
// that in which it has received, and a step is a tick of Lamport's logical clocks (CACM 1978). Where a
// rank starts many messages at once, each is a step of its own, since its NIC sends them one after the other.
func Steps(ranks int, run func(c collective.Comm)) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		s := newSteps(ranks, run)
		defer s.stop()
		for ; s.active > 0; s.now++ {
			if !s.tick(yield) {
				return
			}
		}
	}
}

// call is a rank's call of its communicator.
type call struct {
	to, from int32 // nobody: it does not send, or not receive
	blocks   bool  // it receives before it returns
}

const nobody = -2 // mpi.AnySource is -1

// steps is the ranks of a collective that go through it side by side.
type steps struct {
	ranks  []stepper
	active int
	now    int
}

// stepper is one of them.
type stepper struct {
	call   call // the one that it is at; its parts that are done are nobody
	active bool
	step   int // of the next message
	calls  int // that count, before this one
	came   []arrival
	posted []int32 // sources of receives that do not block and have met no message
	next   func() (call, bool)
	stop   func()
}

// arrival is a message that no call has received yet.
type arrival struct {
	from int32
	step int
}

func newSteps(ranks int, run func(c collective.Comm)) *steps {
	s := &steps{ranks: make([]stepper, ranks), active: ranks}
	for rank := range s.ranks {
		r := &s.ranks[rank]
		r.active = true
		r.next, r.stop = iter.Pull(calls(rank, ranks, run))
		s.goOn(r)
	}
	return s
}

// goOn takes a rank to its next call.
func (s *steps) goOn(r *stepper) {
	if r.call, r.active = r.next(); !r.active {
		s.active--
	}
}

// tick does all that belongs to a step, and tells whether there is another one.
func (s *steps) tick(yield func(Message) bool) (more bool) {
	for progress := true; progress; {
		progress, more = false, false
		for rank := range s.ranks {
			outcome := s.advance(int32(rank), yield)
			for outcome == advanced {
				progress = true
				outcome = s.advance(int32(rank), yield)
			}
			if outcome == stopped {
				return false
			}
			more = more || outcome == early
		}
	}
	return more
}

// Outcomes of an attempt to go on with a rank.
const (
	stuck    = iota // it waits for a message, or has ended
	early           // it sends in a later step
	advanced        // it has gone on
	stopped         // nobody wants more messages
)

// advance goes on with a rank's call as far as this step allows.
func (s *steps) advance(rank int32, yield func(Message) bool) int {
	r := &s.ranks[rank]
	if !r.active {
		return stuck
	}
	if r.call.from != nobody && !r.call.blocks {
		r.post(r.call.from)
		s.goOn(r)
		return advanced
	}
	if to := r.call.to; to != nobody {
		if r.step > s.now {
			return early
		}
		if !yield(Message{Step: s.now, From: int(rank), To: int(to), Call: r.calls}) {
			return stopped
		}
		r.call.to = nobody
		s.ranks[to].arrive(arrival{rank, s.now})
		r.step = s.now + 1
	} else if !r.receive() {
		return stuck
	}
	if r.call.from == nobody || r.receive() {
		r.calls++
		s.goOn(r)
	}
	return advanced
}

// arrive keeps a message for the call that will receive it.
func (r *stepper) arrive(a arrival) {
	for i, from := range r.posted {
		if from == a.from || from == anySource {
			r.posted = cut(r.posted, i)
			return
		}
	}
	r.came = append(r.came, a)
}

const anySource = -1

// post is a receive that does not block.
func (r *stepper) post(from int32) {
	if i := r.find(from); i >= 0 {
		r.came = cut(r.came, i)
		return
	}
	r.posted = append(r.posted, from)
}

// receive ends the receive of the rank's call if its message has come.
func (r *stepper) receive() bool {
	i := r.find(r.call.from)
	if i < 0 {
		return false
	}
	r.step = max(r.step, r.came[i].step+1)
	r.came = cut(r.came, i)
	r.call.from = nobody
	return true
}

// find is the place of the first message from a rank, or anybody, among those that have come; -1 if there is none.
func (r *stepper) find(from int32) int {
	for i := range r.came {
		if r.came[i].from == from || from == anySource {
			return i
		}
	}
	return -1
}

// cut removes an element; the first one, which it mostly is, without moving the others.
func cut[T any](list []T, i int) []T {
	if i == 0 {
		return list[1:]
	}
	return append(list[:i], list[i+1:]...)
}

func (s *steps) stop() {
	for i := range s.ranks {
		s.ranks[i].stop()
	}
}

// errStopped unwinds a rank that nobody asks any more.
var errStopped = errors.New("stopped")

// calls goes through the calls of one rank.
func calls(rank, ranks int, run func(c collective.Comm)) iter.Seq[call] {
	return func(yield func(call) bool) {
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
	rank, ranks int
	yield       func(call) bool
}

func (c *symbolic) Rank() int { return c.rank }
func (c *symbolic) Size() int { return c.ranks }

func (c *symbolic) Round(k, _ int) int { return k }

func (c *symbolic) note(to, from int, blocks bool) {
	if !c.yield(call{int32(to), int32(from), blocks}) {
		panic(errStopped)
	}
}

func (c *symbolic) Isend(_ node.Buf, dst, _ int) node.Request {
	c.note(dst, nobody, false)
	return node.Request{}
}

func (c *symbolic) Irecv(_ node.Buf, src, _ int) node.Request {
	c.note(nobody, src, false)
	return node.Request{}
}

func (c *symbolic) Wait(node.Request) node.Status { return node.Status{} }
func (c *symbolic) WaitAll([]node.Request)        {}

func (c *symbolic) Send(_ node.Buf, dst, _ int) { c.note(dst, nobody, false) }

func (c *symbolic) Recv(_ node.Buf, src, _ int) node.Status {
	c.note(nobody, src, true)
	return node.Status{}
}

func (c *symbolic) Sendrecv(_ node.Buf, dst, _ int, _ node.Buf, src, _ int) node.Status {
	c.note(dst, src, true)
	return node.Status{}
}
