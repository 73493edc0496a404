package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// Fork is the state of a run at a moment, from which its futures start. They differ in the faults
// after that moment.
type Fork struct {
	Time   units.Time // all that happens before has happened, and nothing else
	plan   *plan.Plan
	rounds uint64  // number of windows simulated
	chunks []chunk // the state; nil: futures start at the beginning
}

// UnsaveableError reports that the state of a run cannot be kept, so that futures start at its beginning.
type UnsaveableError struct{ Err error }

func (e *UnsaveableError) Error() string {
	return "the state of the run cannot be kept: " + e.Err.Error()
}

// Unwrap returns why.
func (e *UnsaveableError) Unwrap() error { return e.Err }

// chunk is a part of a state, see snapshot.Write.
type chunk struct {
	bytes []byte
	last  bool
}

// NewFork returns the beginning of a run of an experiment that expects faults
// (experiment.Resolved.ExpectingFaults). It returns the errors that Run returns before a run.
func NewFork(ctx context.Context, e *experiment.Resolved) (*Fork, error) {
	p, err := prepare(ctx, e, settings{workers: 1})
	if err != nil {
		return nil, err
	}
	return &Fork{plan: p}, nil
}

// At simulates the run without faults, on one core, up to the last multiple of LookGrain from which futures
// with faults at a later time may start: not after that and, if links lose packets, before those that are on
// a link then have started. With bit errors, which may keep them there for long, that is the fork itself. It returns a *failure.ConfigError if the run ends before, and an
// *UnsaveableError if its state cannot be kept; other errors are those of Run.
func (f *Fork) At(ctx context.Context, at units.Time) (*Fork, error) {
	latest := at
	if faults := &f.plan.Experiment.Faults; faults.Packets == experiment.PacketsLose {
		if faults.BitErrors.Given() {
			return f, nil
		}
		latest = max(f.Time, at-f.plan.Fabric.LongestFlight())
	}
	made := &Fork{Time: latest / LookGrain * LookGrain, plan: f.plan}
	if made.Time == f.Time {
		return f, nil
	}
	sim, err := settings{workers: 1, fork: f, makes: made}.branch(ctx, f.plan)
	var cut *failure.InterruptedError
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &failure.InterruptedError{Ranks: f.plan.Experiment.TotalRanks(), Err: ctx.Err(), SettingUp: true}
	case errors.As(err, &cut) && cut.Looked:
		return made, nil
	case err != nil:
		return nil, err
	}
	defer sim.end()
	return nil, TooLate(at, sim.jobs.stats().End)
}

// TooLate returns an error about a fault after the end of a run.
func TooLate(at, end units.Time) error {
	return failure.NewConfigError(fmt.Errorf(
		"found %s as the time of a fault, expected one before the end of the run at %s", at, end,
	))
}

// Plan returns the plan of the run without faults.
func (f *Fork) Plan() *plan.Plan { return f.plan }

// Run simulates the future with some faults, on one core. It may be called by several goroutines at
// once. The result is that of the whole run with these faults, none of which may be announced or
// begin before f.Time.
func (f *Fork) Run(ctx context.Context, faults []experiment.Fault) (*Result, error) {
	watch := startWatch()
	p, err := f.plan.WithFaults(faults)
	if err != nil {
		return nil, err
	}
	s := settings{workers: 1, fork: f}
	sim, err := s.branch(ctx, p)
	if err != nil {
		return nil, err
	}
	defer sim.end()
	r := sim.result()
	r.Host = watch.host()
	return r, nil
}

// branch simulates a plan from a fork to the end, or to the fork that it makes.
func (s settings) branch(ctx context.Context, p *plan.Plan) (*simulation, error) {
	list, err := newJobs(ctx, s, p, true)
	if err != nil {
		return nil, err
	}
	return simulate(ctx, s, p, list)
}

// save keeps the state of a simulation that has reached the time of the fork.
func (f *Fork) save(s *simulation) error {
	f.rounds = s.steps.Windows()
	keep := func(bytes []byte, last bool) error {
		f.chunks = append(f.chunks, chunk{slices.Clone(bytes), last})
		return nil
	}
	return snapshot.Write(keep, func(v *snapshot.Visitor) {
		snapshot.Section(v, s.jobs.state)
		s.network.sections().Save(v, s.jobs.statePacers)
		snapshot.Section(v, s.course.state)
	})
}

// restore gives a simulation the state of the fork, and schedules its faults.
func (f *Fork) restore(s *simulation) error {
	left := f.chunks
	next := func() ([]byte, bool, error) {
		if len(left) == 0 {
			return nil, false, nil
		}
		c := left[0]
		left = left[1:]
		return c.bytes, c.last, nil
	}
	s.before = f.rounds
	network := s.network.sections()
	err := snapshot.Read(next, func(v *snapshot.Visitor) {
		snapshot.Section(v, s.jobs.state)
		network.Restore(v, 1, false, s.jobs.statePacers)
		snapshot.Section(v, s.course.state)
	})
	if err != nil {
		return &failure.InternalError{Err: err}
	}
	if n := s.network.packets; n != nil {
		fabric.SectionsOf(n).ScheduleEvents()
	}
	if n := s.network.lossy; n != nil {
		n.ScheduleChanges()
	}
	return nil
}

// resumeFork gives the simulation the state of the fork from which it starts. If there is an error,
// it closes the simulation.
func (s *simulation) resumeFork() error {
	var err error
	if s.makes != nil || s.fork.chunks != nil {
		if err = s.jobs.saveable(); err != nil {
			err = &UnsaveableError{err}
		}
	}
	if err == nil && s.fork.chunks != nil {
		err = s.fork.restore(s)
	}
	if err != nil {
		s.close()
	}
	return err
}
