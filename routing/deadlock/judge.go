package deadlock

// judge searches what was noted for circles. Without escape channels there must be
// none at all. With them, every place has to offer one (or the way out), and
// there must be none among them.
//
// Of escape channels only direct dependencies count: those of packets that are in
// one and ask for another. Packets switch by virtual cut-through, so one that has to wait is
// in a single buffer. If all packets of a deadlock wait, each for at least one
// escape channel, then the first packet of that channel's buffer is one of them, has
// come by the escape channel, and waits for the next: a circle of direct dependencies
// (Duato, IEEE Trans. Parallel and Distributed Systems 1996).
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

// channels is how many virtual channels packets take.
func (s *sweep) channels() int {
	if s.fold > 0 {
		return s.fold
	}
	return int(s.table.vcs)
}
