package engine

import (
	"math"
	"math/bits"
	"sync/atomic"

	"fabricast/internal/snapshot"
)

// Steps drives blocks up to chosen times: all that happens before such a time has happened then,
// and nothing else. So what is counted there does not depend on the windows, of which the length
// may vary with the workers.
type Steps struct {
	list    []*stepped
	blocks  []Block // the same
	free    []Block // that they drive
	grain   int64   // ps
	longest int64   // ps
	workers int     // at most; 0: any number
	windows uint64
	others  Processes // nil if there are none
	by      Drive     // nil: Run
	balance Balancer  // nil if there is none
	stopped bool
}

// Drive executes, in the windows that blocks have, those that end before a time (ps) or at it;
// math.MaxInt64: until nothing is left to do. It returns their number, and whether stop was set in
// any of the processes.
type Drive func(until int64, stop *atomic.Bool) (windows uint64, stopped bool, err error)

// NewSteps makes steps whose times will be multiples of grain (ps), a power of two. No window is
// longer than longest (ps).
func NewSteps(blocks []Block, grain, longest int64) *Steps {
	s := &Steps{free: blocks, grain: grain, longest: longest}
	for _, b := range blocks {
		p := &stepped{Block: b, longest: longest}
		s.list, s.blocks = append(s.list, p), append(s.blocks, p)
	}
	return s
}

// Across joins the steps to those of other processes.
func (s *Steps) Across(p Processes) { s.others = p }

// By has the blocks driven by a function, in windows that keep their length.
func (s *Steps) By(drive Drive) {
	s.by = drive
	for _, p := range s.list {
		p.SetWindow(min(p.Window(), p.longest))
	}
}

// Balance has work moved between the blocks while they are driven.
func (s *Steps) Balance(by Balancer) { s.balance = by }

// On limits how many workers drive the blocks.
func (s *Steps) On(workers int) { s.workers = workers }

// Stopped reports whether stop was set at the end of the last Advance, in any of the processes.
func (s *Steps) Stopped() bool { return s.stopped }

// Begin says how many windows have been executed before. Call it before the first Advance.
func (s *Steps) Begin(windows uint64) { s.windows = windows }

// Windows is the number of windows that have been executed.
func (s *Steps) Windows() uint64 { return s.windows }

// State goes over what changes while the steps are driven, beside the state of their blocks.
func (s *Steps) State(v *snapshot.Visitor) { snapshot.Value(v, &s.windows) }

// Quiet reports whether nothing will ever happen again.
func (s *Steps) Quiet() bool { return quiet(s.free, s.others) }

// Advance runs until the given time (ps), or until nothing is left to do if that is math.MaxInt64,
// or stop is set. The last windows are cut to end at the time.
func (s *Steps) Advance(until int64, stop *atomic.Bool) error {
	if err := s.drive(until, false, stop); err != nil || until == math.MaxInt64 || s.stopped {
		return err
	}
	length := s.list[0].Window()
	s.setWindow(1 << (bits.Len64(uint64(min(length, s.grain))) - 1))
	err := s.drive(until, true, stop)
	s.setWindow(length)
	return err
}

func (s *Steps) setWindow(length int64) {
	for _, p := range s.list {
		p.SetWindow(length)
	}
}

// drive executes the windows that end before the given time or at it.
func (s *Steps) drive(until int64, cut bool, stop *atomic.Bool) error {
	if s.by != nil {
		windows, stopped, err := s.by(until, stop)
		s.windows += windows
		s.stopped = stopped
		return err
	}
	for _, p := range s.list {
		p.limit, p.cut, p.round = until, cut, s.windows
	}
	workers := Workers(len(s.blocks))
	if s.workers > 0 {
		workers = min(workers, s.workers)
	}
	blocks, before := s.blocks, uint64(0)
	if until == math.MaxInt64 && s.longest == math.MaxInt64 { // nothing has to be held back
		blocks, before = s.free, s.windows
	}
	windows, err := Run(
		blocks, workers, stop, Across(s.others), After(before), Balanced(s.balance),
	)
	s.windows += windows
	s.stopped = Stopped(stop, s.others)
	return err
}

// stepped is a block that does nothing from a time on, until that is moved.
type stepped struct {
	Block
	limit   int64 // ps: windows that end later wait
	longest int64 // ps: of windows, where the model would bear more
	// windows are a power of two long, as some of them end at every multiple of a larger power
	cut   bool
	round uint64 // executed before the present run of the engine
}

// Lookahead implements Block.
func (p *stepped) Lookahead() int64 {
	length := min(p.Block.Lookahead(), p.longest)
	if p.cut {
		length = 1 << (bits.Len64(uint64(length)) - 1)
	}
	return length
}

// Next implements Part.
func (p *stepped) Next() int64 { return p.within(p.Block.Next()) }

// Sent implements Part.
func (p *stepped) Sent(to int) int64 { return p.within(p.Block.Sent(to)) }

// within returns a window if it is not after the time, else math.MaxInt64.
func (p *stepped) within(window int64) int64 {
	if window >= p.Bound() {
		return math.MaxInt64
	}
	return window
}

// Bound implements bounded.
func (p *stepped) Bound() int64 { return p.limit / p.Window() }

// Collect implements Block.
func (p *stepped) Collect(round uint64) { p.Block.Collect(p.round + round) }

// Run implements Part.
func (p *stepped) Run(window int64, round uint64) { p.Block.Run(window, p.round+round) }
