package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fabricast/engine"
	"fabricast/ethernet"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/humanize"
	"fabricast/internal/panics"
	"fabricast/internal/run/optimistic"
	"fabricast/internal/units"
	"fabricast/node"
)

// drive runs the simulation until no events are left, or it is stopped. It returns the reason why
// the simulation ended; nil if all jobs have ended.
func (s *simulation) drive(ctx context.Context) error {
	watch := s.watch(ctx)
	var err error
	ended := panics.Go("engine", func() { err = s.advance() })
	if !waitFor(ctx, ended, s.grace()) {
		s.left = true
		watch.end()
		return &failure.InterruptedError{
			Time:      s.now(),
			Finished:  s.jobs.finished(),
			Ranks:     s.jobs.ranks,
			Err:       ctx.Err(),
			Computing: true,
		}
	}
	watch.end()
	if err != nil {
		return s.fault(err)
	}
	return s.outcome(ctx)
}

// advance drives the partition blocks until no events are left, or the run is stopped.
func (s *simulation) advance() error {
	s.steps = s.course.steps()
	s.steps.Begin(s.before)
	s.steps.On(s.workers)
	s.steps.Balance(s.network.balancer)
	if others := s.network.others(); others != nil {
		s.steps.Across(others)
	}
	if s.team != nil {
		drive, err := s.team.Join(s.member, optimistic.Member{
			Network: s.network.packets, Recorder: s.recorder, Group: s.group, Stop: &s.stop,
		})
		if err != nil {
			return err
		}
		s.steps.By(drive)
	}
	if err := s.course.advance(); err != nil || s.makes == nil || s.cutAt == 0 {
		return err
	}
	return s.makes.save(s)
}

// step drives the partition blocks up to a simulated time (ps), and writes checkpoints that become
// due. It returns false if the run is stopped, or a look ends or a fork is made, before that time.
func (s *simulation) step(until int64) (reached bool, err error) {
	limit := until
	if end := s.earlyEnd(); end > 0 {
		limit = min(until, end)
	}
	for {
		err := s.steps.Advance(limit, &s.stop)
		switch {
		case err != nil:
			return false, err
		case !s.steps.Stopped() && (limit == until || s.steps.Quiet()):
			return true, nil
		case !s.steps.Stopped():
			s.cutAt = units.Time(limit)
			return false, nil
		}
		if goesOn, err := s.paused(); !goesOn {
			return false, err
		}
	}
}

// paused is called when the engine has stopped. It writes a checkpoint if one is due, and reports
// whether the run continues.
func (s *simulation) paused() (goesOn bool, err error) {
	wants, last := s.saver.asks(&s.halted, s.jobs.failed())
	if !wants {
		return false, nil
	}
	err = s.saver.save(s, last)
	if err != nil || last {
		return false, err
	}
	s.saver.goOn(&s.stop, &s.halted)
	return true, nil
}

// grace returns the time to wait until an interrupted run stops. A rank that computes cannot be
// stopped from outside, so after that time it is left running. The time is longer with a result
// folder, because partial results are recorded.
func (s *simulation) grace() time.Duration {
	switch {
	case s.checkpoints != nil || s.jobs.ranks == 0: // neither checkpointed programs nor traffic compute for long
		return time.Hour
	case s.folder != nil:
		return 5 * time.Second
	}
	return time.Second
}

// waitFor waits until ended is closed. It returns false if that does not happen within grace after
// the context is done.
func waitFor(ctx context.Context, ended <-chan struct{}, grace time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-ctx.Done():
	}
	select {
	case <-ended:
		return true
	case <-time.After(grace):
		return false
	}
}

// fault returns the error to report for an error of the engine or a panic of the model: a deadlock,
// an exceeded limit of the network, or an internal error.
func (s *simulation) fault(err error) error {
	now, _ := s.course.clock()
	var limit *fabric.LimitError
	var lost *ethernet.LossError
	var deadlock *fabric.Deadlock
	var record *failure.RecordError // occurred while writing the last checkpoint
	switch {
	case errors.As(err, &limit):
		return &failure.LimitError{Time: now, Err: limit}
	case errors.As(err, &lost):
		return &failure.LossError{Time: now, Err: lost}
	case errors.As(err, &deadlock):
		if down := s.plan.DownAtEnd(); deadlock.Cycle == nil && len(down) > 0 {
			return s.cutOff(deadlock, down)
		}
		return &failure.DeadlockError{Time: units.Time(deadlock.Since), Err: deadlock}
	case errors.As(err, &record):
		return record
	}
	return &failure.InternalError{Err: err}
}

// outcome is called when no events are left or the run was stopped. It returns nil if all jobs have
// ended, and otherwise an error with the reason: a failed rank, an interruption or a deadlock.
func (s *simulation) outcome(ctx context.Context) error {
	s.jobs.each((*node.World).ShareState)
	if s.cutAt > 0 && ctx.Err() == nil {
		return s.cut()
	}
	stopped := engine.Stopped(&s.stop, s.network.others())
	if failed := s.jobs.failure(); failed != nil {
		return failed
	}
	// An interrupted run with checkpoints had already ended if it wrote no last checkpoint.
	ended := s.saver != nil && s.saver.left() == "" && !s.halted.Load()
	if stopped && !ended && (ctx.Err() != nil || cluster.Several(s.group)) {
		now, _ := s.course.clock()
		return &failure.InterruptedError{
			Time:       now,
			Finished:   s.jobs.finished(),
			Ranks:      s.jobs.ranks,
			Err:        interruption(ctx),
			Checkpoint: s.saver.left(),
		}
	}
	if err := s.network.Verify(); err != nil {
		return &failure.InternalError{Err: err}
	}
	if d := s.network.Deadlock(); d != nil {
		return s.fault(d)
	}
	return s.stuck()
}

// cutOff returns the error for packets that do not wait in a cycle while links are down for good.
func (s *simulation) cutOff(d *fabric.Deadlock, down []string) error {
	givenUp := ""
	if d.GivenUp > 0 {
		givenUp = fmt.Sprintf(", %s given up by their NICs", humanize.Count(int64(d.GivenUp)))
	}
	err := fmt.Errorf("%s of them%s; down: %s", humanize.Count(int64(d.Packets)), givenUp, listed(down))
	if waits := s.jobs.deadlock(); waits != nil {
		err = fmt.Errorf("%w\n%w", err, waits)
	}
	return &failure.OutageError{Time: units.Time(d.Since), Err: err}
}

// listed joins the first of some texts, and says how many more there are.
func listed(all []string) string {
	const most = 10
	text := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// stuck returns the error for ranks that have not ended although no events are left.
func (s *simulation) stuck() error {
	finished := s.jobs.finished()
	if finished == s.jobs.ranks {
		return nil
	}
	var stuck *node.DeadlockError
	err := s.jobs.deadlock()
	if !errors.As(err, &stuck) {
		return &failure.InternalError{
			Err: fmt.Errorf("%d of %d ranks have ended, and the others do not wait", finished, s.jobs.ranks),
		}
	}
	if down := s.plan.HostsDown(); s.jobs.stopped() {
		return &failure.StoppedError{Time: s.jobs.latest(), Err: fmt.Errorf("%s\n%w", listed(down), err)}
	}
	return &failure.DeadlockError{Time: stuck.Since, Err: err}
}

// now returns the simulated time that all partition blocks have reached.
func (s *simulation) now() units.Time {
	if s.team != nil {
		if gvt, driven := s.team.GVT(); driven {
			return units.Time(gvt)
		}
	}
	now := s.network.parts[0].Now()
	for _, b := range s.network.parts {
		now = min(now, b.Now())
	}
	return units.Time(now)
}
