package run

import (
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/recording"
	"fabricast/internal/units"
)

// Look is a period of a run that is simulated again from a checkpoint, with more details recorded.
// The run stops at the end of the period.
type Look struct {
	Record experiment.Recording
	// From and Until delimit the period. The run stops at the first multiple of LookGrain not
	// before Until; a traffic measurement also stops at the end of a bin. If Until is 0, the run
	// continues to its normal end.
	From, Until units.Time
	// Ranks lists the ranks whose messages and states are recorded; nil: all.
	Ranks []int
}

// LookGrain is the granularity of the times at which a Look can end. Such times do not depend on
// the engine's simulation windows.
const LookGrain = units.Time(firstPause)

// LookAt turns a run that is resumed from a checkpoint into a look at the given period.
func LookAt(l Look) Option { return func(s *settings) { s.look = &l } }

// recording returns the settings that select what to record.
func (s *settings) recording(e *experiment.Resolved) experiment.Recording {
	if s.look != nil {
		return s.look.Record
	}
	return e.Record
}

// records returns the options for the recorder.
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

// earlyEnd returns the time (ps) at which a look or a fork ends the run early; 0 if not at all.
func (s *settings) earlyEnd() int64 {
	if s.makes != nil {
		return int64(s.makes.Time)
	}
	if s.look == nil || s.look.Until == 0 {
		return 0
	}
	return int64((s.look.Until + LookGrain - 1) / LookGrain * LookGrain)
}

// cut ends a run at the end of a look, or at a fork, and returns its error.
func (s *simulation) cut() error {
	s.jobs.cancel()
	return &failure.InterruptedError{
		Time: s.cutAt, Finished: s.jobs.finished(), Ranks: s.jobs.ranks, Looked: true,
	}
}
