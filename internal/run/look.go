package run

import (
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/recording"
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

// records says what the run records, and where.
func (s *settings) records(e *experiment.Resolved) recording.Options {
	o := recording.Options{
		What: s.recording(e), Recorded: s.recorded(), Folder: s.folder, Hottest: s.hottest,
		Group: s.group, TakenBack: s.team != nil,
	}
	if s.look != nil {
		o.From, o.Ranks = s.look.From, s.look.Ranks
	}
	return o
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
