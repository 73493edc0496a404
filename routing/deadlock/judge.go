package deadlock

// judge searches the recorded dependencies for cycles. Without escape channels there must be none
// at all. With escape channels, every place must offer one (or an exit), and there must be no cycle
// among them.
//
// Only direct dependencies of escape channels count: those of packets that are in one and request
// another. Packets switch by virtual cut-through, so a waiting packet is in a single buffer. Assume
// a deadlock in which every packet waits for at least one escape channel. The first packet in that
// channel's buffer is part of the deadlock, arrived through the escape channel, and waits for the
// next one. So there is a cycle of direct dependencies (Duato, IEEE Trans. Parallel and Distributed
// Systems 1996).
func (s *sweep) judge(report *Report, algorithm string, indirect bool) error {
	t := s.table
	cycle := (&searcher{t, t.bits}).cycle()
	if cycle == nil {
		return nil
	}
	wrong := &CycleError{Algorithm: algorithm, VCs: s.channels(), Cycle: cycle}
	if !s.escape {
		return wrong
	}
	if s.stuck != none {
		return &EscapeError{Algorithm: algorithm, Router: s.stuck}
	}
	report.Escape, wrong.Escape = true, true
	wrong.Cycle = (&searcher{t, t.escape}).cycle()
	if wrong.Cycle == nil && indirect {
		var err error
		if wrong.Cycle, err = indirectCycle(t, s.routes, s.step); err != nil {
			return err
		}
	}
	if wrong.Cycle != nil {
		return wrong
	}
	return nil
}

// channels returns how many virtual channels packets use.
func (s *sweep) channels() int {
	if s.fold > 0 {
		return s.fold
	}
	return int(s.table.vcs)
}
