package run

import (
	"context"
	"errors"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/recording"
	"fabricast/internal/units"
)

// simulation is one run in progress: the network in partition blocks, and the jobs on it.
type simulation struct {
	settings
	plan    *plan.Plan
	network *medium
	jobs    *jobs
	course  course
	blocks  []engine.Block
	steps   *engine.Steps // drives the blocks; nil before the simulation starts
	before  uint64        // number of windows simulated before the run was resumed
	stop    atomic.Bool
	halted  atomic.Bool // the run is stopped for good, not only for a checkpoint
	cutAt   units.Time  // time at which a look ended the run early; 0 if none did
	saver   *saver      // nil if the run writes no checkpoints

	recorder *recording.Recorder
	// estimates the total work during the run; nil if there is no built-in program
	forecast    *workForecast
	speed       speed
	interrupted *failure.InterruptedError // nil unless the run was interrupted
	stopped     *failure.StoppedError     // nil unless ranks have stopped with their hosts
	left        bool                      // a rank was still computing when the run stopped waiting for it
}

// simulate runs jobs to their end. If the run is interrupted and has a result folder, it returns
// the interrupted simulation; with keepStopped also one whose ranks have stopped. The caller must call end for a returned simulation.
func simulate(ctx context.Context, s settings, p *plan.Plan, list *jobs) (*simulation, error) {
	assembled := func() (*simulation, error) { return assemble(ctx, s, p, list) }
	sim, err := setUp(ctx, p.Experiment.TotalRanks(), assembled, (*simulation).close)
	if err == nil {
		d := recording.Division{Own: len(sim.blocks)}
		d.First, d.All = sim.network.numbers()
		sim.recorder, err = recording.New(s.records(p.Experiment), p, sim.network.packets != nil, d)
	}
	if err == nil {
		sim.saver, err = newSaver(s, p)
	}
	if err = s.settle(err); err != nil {
		if sim != nil {
			sim.close()
		}
		return nil, err
	}
	failed := sim.begin(ctx)
	if err = s.settle(failed); err != nil {
		if failed == nil {
			sim.close()
		}
		return nil, err
	}
	trim()
	err = sim.drive(ctx)
	if !sim.left {
		err = s.settle(err)
	}
	if errors.As(err, &sim.interrupted) && s.recorded() && !sim.left && sim.interrupted.Checkpoint == "" {
		return sim, nil
	}
	if s.keepStopped && !sim.left && errors.As(err, &sim.stopped) {
		return sim, nil
	}
	if err != nil {
		sim.abandon(err)
		return nil, err
	}
	return sim, nil
}

// assemble builds a simulation: the network, divided into one partition block per worker, and the
// jobs on it. This takes seconds for a large experiment, so ctx can interrupt it.
func assemble(ctx context.Context, o settings, p *plan.Plan, list *jobs) (_ *simulation, err error) {
	// with traffic, counters are read before the run ends, so NICs must not inject ahead of time
	ahead := len(list.programs) > 0 && !list.endless && o.relieved == nil
	network, err := newMedium(p, o, ahead)
	if err != nil {
		return nil, err
	}
	s := &simulation{settings: o, plan: p, network: network, jobs: list}
	for _, b := range network.parts {
		s.blocks = append(s.blocks, b)
	}
	if s.course = (straight{s}); list.endless {
		s.course = &beside{straight: straight{s}, pause: firstPause}
	}
	if !p.Experiment.HasJobs() && len(list.programs) > 0 {
		s.forecast = newWorkForecast(list.programs[0])
	}
	for _, one := range list.list {
		if ctx.Err() != nil {
			err = &failure.InterruptedError{Ranks: list.ranks, Err: ctx.Err(), SettingUp: true}
		} else {
			err = one.build(s)
		}
		if err != nil {
			network.Close()
			return nil, err
		}
	}
	s.populate(ctx)
	return s, nil
}

// populate places the jobs on all hosts of the network.
func (s *simulation) populate(ctx context.Context) {
	var starts []func()
	for _, b := range s.network.homes {
		starts = append(starts, s.inhabit(b).start)
	}
	for _, start := range starts {
		if ctx.Err() != nil {
			s.stop.Store(true)
			return
		}
		start()
	}
	if n := s.network.packets; n != nil {
		n.Cells().Settler(s)
	}
}

// inhabit places the jobs on the hosts of a home.
func (s *simulation) inhabit(b home) inhabitants {
	if s.relieved != nil {
		r := newRelief(b, s.plan, *s.relieved)
		b = home{r, r, b.number}
	}
	return s.jobs.inhabit(b, int32(s.plan.Fabric.Graph.NICsPerHost))
}

// Settle implements fabric.Settler.
func (s *simulation) Settle(c *fabric.Cell) { s.inhabit(home{c, c.Block, c.Number()}).settle() }

// Leave implements fabric.Settler.
func (s *simulation) Leave(e fabric.Endpoint) { s.jobs.leave(e) }

// attach makes the recorder observe the network and the jobs.
func (s *simulation) attach() {
	s.recorder.Attach(s.network, s.jobs, s.network.control())
}

// share distributes to all processes the data from which results are computed.
func (s *simulation) share() {
	for _, one := range s.jobs.list {
		one.share(s.group)
	}
	if n := s.network.across; n != nil {
		n.Share()
		n.CollectUse()
	}
}

// ended reports whether a simulation has reached its end, or the end of a look.
func (s *simulation) ended() bool { return s.interrupted == nil || s.interrupted.Looked }

// end closes a simulation whose results have been read; in the background after an interruption.
func (s *simulation) end() {
	if s.interrupted != nil {
		// users should not have to wait for the release of a million ranks
		panics.Go("release of a run", s.close)
		return
	}
	s.close()
}

// close releases the ranks' programs and the network's memory.
func (s *simulation) close() {
	s.recorder.Close()
	s.saver.close()
	s.jobs.close()
	s.network.Close()
}

// abandon closes a simulation that ended with an error. It does nothing if one of its ranks is
// still computing.
func (s *simulation) abandon(err error) {
	if !s.left {
		errors.As(err, &s.interrupted)
		s.end()
	}
}
