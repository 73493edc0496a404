package cmpi

import (
	"errors"

	"fabricast/cmpi/internal/coroutine"
	"fabricast/cmpi/internal/host"
)

// strand is a collective of one rank that is under way. Its algorithm runs as a coroutine, and
// sees the communicator as comm.
type strand struct {
	program *program
	call    *host.Call
	comm    comm
	after   predecessors // it does not begin before these
}

// errEnded unwinds a strand whose rank has ended, and errNothing is a wait for nothing.
var (
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
		s.routine().Start(s.carryOut)
	}
	s.program, s.call = p, call
	s.comm.job, s.comm.call, s.comm.side, s.comm.pace = b.job, call, whole(call), pace{}
	s.comm.untyped = b.job.options.Types == TypesIgnored
	s.routine().Begin()
	s.after.of(call)
	return s
}

// release keeps a strand for the next collective.
func (b *block) release(s *strand) {
	s.program, s.call, s.comm.call, s.comm.ops = nil, nil, nil, nil
	b.strands = append(b.strands, s)
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
	s.comm.checkReceipts()
}

// apply sets inout to in op inout. An operation of the program's own may end the rank, and then
// does not return.
func (s *strand) apply(in, inout []byte) {
	if !host.Combine(s.call, in, inout) {
		panic(errEnded)
	}
}

// resume lets the strand go on until it has to wait or has finished.
func (s *strand) resume() {
	s.comm.ops = s.program.ops
	s.routine().Resume()
}

// routine is the coroutine that the strand runs as.
func (s *strand) routine() *coroutine.Coroutine { return &s.comm.routine }

// mayGo reports whether the strand waits for nothing.
func (s *strand) mayGo() bool { return s.routine().MayGo() && !s.after.wait() }
