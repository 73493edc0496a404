package pacing

import (
	"errors"
	"iter"

	"fabricast/collective"
	"fabricast/node"
)

// Steps yields the messages of a collective, step by step, between ranks. run calls the collective
// for one rank, with buffers that have only a size.
//
// A rank's first message has step 0. Each further message that it sends has a step later than its
// previous one, and later than all messages that it has received by blocking calls. So a round is a
// step, and a rank in a tree sends in the step after it has received. Steps are ticks of Lamport's
// logical clocks (CACM 1978). If a rank starts many messages at once, each has its own step,
// because its NIC sends them one after another.
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

// call is a rank's call of a communicator's method.
type call struct {
	to, from int32 // nobody if the call does not send or does not receive
	blocks   bool  // it returns only after receiving
}

const nobody = -2 // distinct from mpi.AnySource, which is -1

// steps holds the ranks of a collective, whose calls are simulated concurrently.
type steps struct {
	ranks  []stepper
	active int
	now    int
}

// stepper is the state of one rank.
type stepper struct {
	call   call // the current call; completed parts of it are set to nobody
	active bool
	step   int // step of the next message
	calls  int // number of earlier calls that count (see Message.Call)
	came   []arrival
	posted []int32 // sources of non-blocking receives that have no message yet
	next   func() (call, bool)
	stop   func()
}

// arrival is a message that has not been matched with a receive yet.
type arrival struct {
	from int32
	step int
}

func newSteps(ranks int, run func(c collective.Comm)) *steps {
	s := &steps{ranks: make([]stepper, ranks), active: ranks}
	for rank := range s.ranks {
		r := &s.ranks[rank]
		r.active = true
		r.next, r.stop = iter.Pull(callsOf(rank, ranks, run))
		s.goOn(r)
	}
	return s
}

// goOn advances a rank to its next call.
func (s *steps) goOn(r *stepper) {
	if r.call, r.active = r.next(); !r.active {
		s.active--
	}
}

// tick advances all ranks as far as the current step allows, and reports whether there is another
// step.
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

// Results of steps.advance.
const (
	stuck    = iota // the rank waits for a message or has ended
	early           // its next message has a later step
	advanced        // the rank has advanced
	stopped         // the consumer wants no more messages
)

// advance advances a rank's call as far as the current step allows.
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

// arrive matches a message with a posted receive, or stores it.
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

// post starts a non-blocking receive.
func (r *stepper) post(from int32) {
	if i := r.find(from); i >= 0 {
		r.came = cut(r.came, i)
		return
	}
	r.posted = append(r.posted, from)
}

// receive completes the receive of the current call if its message has arrived.
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

// find returns the index of the first stored message from a rank, or from any rank for anySource.
// It returns -1 if there is none.
func (r *stepper) find(from int32) int {
	for i := range r.came {
		if r.came[i].from == from || from == anySource {
			return i
		}
	}
	return -1
}

// cut removes element i. It is fastest for the first element, which is the most frequent case,
// since no element is moved.
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

// errStopped unwinds the function of a rank whose remaining calls are not needed.
var errStopped = errors.New("stopped")

// callsOf yields the calls of one rank of a collective.
func callsOf(rank, ranks int, run func(c collective.Comm)) iter.Seq[call] {
	return func(yield func(call) bool) {
		defer func() {
			if p := recover(); p != nil && p != errStopped {
				panic(p)
			}
		}()
		run(&symbolic{rank: rank, ranks: ranks, yield: yield})
	}
}

// symbolic is a communicator that only records messages instead of sending them.
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
