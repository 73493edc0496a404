package cmpi

import (
	"errors"
	"iter"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
	"fabricast/pacing"
)

// strand is a collective of one rank that is under way: a coroutine that runs the algorithm. It
// is what algorithms see of a communicator.
type strand struct {
	program  *program
	call     *host.Call
	side     // whom it talks to
	ops      *node.Ops
	waits    []node.Request  // it may not go on before these are complete
	after    []*host.Request // nor begin before these are done
	alone    bool            // nothing else of the rank goes on, so it may wait by itself
	finished bool
	receipts receipts
	paces    *pacing.Schedule // nil: its messages are not paced
	step     int              // of them
	next     func() (struct{}, bool)
	cancel   func()
	yield    func(struct{}) bool
}

// errStopped unwinds a strand whose run has ended, errEnded one whose rank has, and errNothing is a wait for nothing.
var (
	errStopped = errors.New("fabricast: the run has ended")
	errEnded   = errors.New("fabricast: the rank has ended")
	errNothing = errors.New("waits for nothing that could ever complete")
)

// strand prepares a collective.
func (b *block) strand(p *program, call *host.Call) *strand {
	var s *strand
	if n := len(b.strands); n > 0 {
		s, b.strands = b.strands[n-1], b.strands[:n-1]
	} else {
		s = &strand{}
		s.next, s.cancel = iter.Pull(s.loop)
	}
	s.program, s.call, s.finished, s.alone = p, call, false, false
	s.waits, s.paces = s.waits[:0], nil
	s.side = whole(call)
	s.follow()
	return s
}

// release keeps a strand for the next collective.
func (b *block) release(s *strand) {
	s.program, s.call, s.ops = nil, nil, nil
	b.strands = append(b.strands, s)
}

// loop is the coroutine: one collective after the other.
func (s *strand) loop(yield func(struct{}) bool) {
	defer func() {
		if v := recover(); v != nil && v != errStopped {
			panic(v)
		}
	}()
	s.yield = yield
	for {
		s.carryOut()
		s.finished = true
		s.pause()
	}
}

// carryOut runs the collective, to its end or that of the rank.
func (s *strand) carryOut() {
	defer func() {
		if v := recover(); v == errEnded {
			s.program.fallen = true
		} else if v != nil {
			panic(v)
		}
	}()
	s.run()
	s.checkReceipts()
}

// apply sets inout to in op inout. An operation of the program's own may end the rank, and then does not return.
func (s *strand) apply(in, inout []byte) {
	if !host.Combine(s.call, in, inout) {
		panic(errEnded)
	}
}

// resume lets the strand go on until it has to wait or has finished.
func (s *strand) resume(ops *node.Ops) {
	s.ops = ops
	s.next()
}

func (s *strand) pause() {
	if !s.yield(struct{}{}) {
		panic(errStopped)
	}
}

// stop unwinds the coroutine.
func (s *strand) stop() { s.cancel() }

// mayGo tells whether the strand waits for nothing.
func (s *strand) mayGo() bool { return !s.finished && len(s.waits) == 0 && !s.follows() }

// completed notes that a request is complete; it tells whether the strand has waited for it.
func (s *strand) completed(id node.Request) bool {
	for i, w := range s.waits {
		if w == id {
			s.waits = append(s.waits[:i], s.waits[i+1:]...)
			return true
		}
	}
	return false
}

// The strand as a collective.Comm.
var _ collective.Starter = (*strand)(nil)

// Messages of collectives in the background are told from others by their tags.
const (
	sequenceShift = 5
	sequenceMask  = 1<<25 - 1
)

func (s *strand) Rank() int          { return int(s.rank) }
func (s *strand) Size() int          { return int(s.size) }
func (s *strand) Round(k, _ int) int { return k }
func (s *strand) tag(tag int) int32 {
	return int32(tag) | (s.call.Sequence&sequenceMask)<<sequenceShift
}

func (s *side) world(rank int) int32 {
	if s.ranks != nil {
		return s.ranks[rank]
	}
	return int32(rank)
}

// fit makes room for n operations.
func (s *strand) fit(n int) {
	for !s.ops.Fits(n) {
		s.pause()
	}
}

// Isend implements collective.Comm.
func (s *strand) Isend(buf node.Buf, dst, tag int) node.Request {
	return s.isendWith(buf, 0, dst, tag, s.nextStep())
}

// Irecv implements collective.Comm.
func (s *strand) Irecv(buf node.Buf, src, tag int) node.Request {
	s.fit(1)
	r := s.receipt()
	r.room = int64(buf.Len())
	return s.ops.RecvTo(buf, &r.Told, int32(src), s.tag(tag), s.receives+node.Collectives)
}

// WaitAll implements collective.Comm.
func (s *strand) WaitAll(rs []node.Request) {
	s.fit(1)
	if !s.alone {
		s.waits = s.waits[:0]
		for _, r := range rs {
			if r.ID != 0 {
				s.waits = append(s.waits, r)
			}
		}
		if len(s.waits) > 0 {
			s.pause()
		}
		return
	}
	if s.ops.WaitAll(rs...) {
		s.pause()
	}
}

// Wait implements collective.Comm. Algorithms do not ask for the status.
func (s *strand) Wait(r node.Request) node.Status {
	s.WaitAll([]node.Request{r})
	return node.Status{}
}

// Send implements collective.Comm.
func (s *strand) Send(buf node.Buf, dst, tag int) { s.Wait(s.Isend(buf, dst, tag)) }

// Recv implements collective.Comm.
func (s *strand) Recv(buf node.Buf, src, tag int) node.Status {
	s.nextStep()
	return s.Wait(s.Irecv(buf, src, tag))
}

// Sendrecv implements collective.Comm.
func (s *strand) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	o := s.nextStep()
	s.fit(3)
	r := s.Irecv(recv, src, rtag)
	s.WaitAll([]node.Request{s.isendWith(send, 0, dst, stag, o), r})
	return node.Status{}
}
