package run

import (
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/units"
)

// Look is a period of a run that is looked at closely: the run is simulated again from a checkpoint
// with more recorded, and ends with the period.
type Look struct {
	Record experiment.Recording
	// From and Until are the begin and the end of the period. The run ends at the first multiple of
	// LookGrain from Until on; that of traffic at one of a bin of its measurement, too. 0: with the
	// run's own end.
	From, Until units.Time
	// Ranks are those whose messages and states are recorded; nil: all.
	Ranks []int
}

// LookGrain divides the times at which a Look may end, so that they do not depend on the windows.
const LookGrain = units.Time(firstPause)

// LookAt makes a run that goes on from a checkpoint a look at a period of it.
func LookAt(l Look) Option { return func(s *settings) { s.look = &l } }

// recording returns what a run records.
func (s *settings) recording(e *experiment.Resolved) experiment.Recording {
	if s.look != nil {
		return s.look.Record
	}
	return e.Record
}

// lookEnd returns when the run ends before its own end (ps); 0 if it does not.
func (s *settings) lookEnd() int64 {
	if s.look == nil || s.look.Until == 0 {
		return 0
	}
	return int64((s.look.Until + LookGrain - 1) / LookGrain * LookGrain)
}

// cut returns the error by which a run ends that a look has ended.
func (s *simulation) cut() error {
	s.jobs.cancel()
	return &failure.InterruptedError{
		Time: s.cutAt, Finished: s.jobs.finished(), Ranks: s.jobs.ranks, Looked: true,
	}
}

// narrow makes a recorder leave out what is not in a look.
func (r *recorder) narrow(l *Look) {
	r.from = int64(l.From)
	if l.Ranks != nil {
		r.ranks = map[int32]bool{}
		for _, rank := range l.Ranks {
			r.ranks[int32(rank)] = true
		}
	}
}

// ofLook reports whether something that ended at a time (ps), of some ranks, is to be recorded.
func (r *recorder) ofLook(end int64, ranks ...int32) bool {
	if end < r.from {
		return false
	}
	for _, rank := range ranks {
		if r.ranks[rank] {
			return true
		}
	}
	return r.ranks == nil
}

// emptied returns a bin without its rows if it ended before a look.
func (r *recorder) emptied(bin *fabric.Bin) *fabric.Bin {
	if int64(bin.Begin+bin.Interval) > r.from {
		return bin
	}
	return &fabric.Bin{Begin: bin.Begin, Interval: bin.Interval, Next: bin.Next}
}
