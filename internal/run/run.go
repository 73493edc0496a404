package run

import (
	"cmp"
	"context"
	"errors"

	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
)

// Run simulates the experiment and returns its result. If ctx ends, Run returns within a fraction
// of a second, with a *failure.InterruptedError. Its errors are those of package failure.
func Run(ctx context.Context, e *experiment.Resolved, options ...Option) (*Result, error) {
	s := settings{}
	for _, o := range options {
		o(&s)
	}
	if err := s.sameAcross(e); err != nil {
		return nil, err
	}
	s.workers = cmp.Or(s.workers, e.Engine.Workers)
	s.workers = s.workersHere()
	if s.relieved != nil {
		s = s.alone()
	}
	return execute(ctx, e, s)
}

// mostBlocks limits the number of partition blocks, unless the machine has more processors. Blocks
// beyond the number of processors only take time.
const mostBlocks = 32

func execute(ctx context.Context, e *experiment.Resolved, s settings) (*Result, error) {
	watch := startWatch()
	out, err := s.openRecord()
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer out.Abort()
	p, err := prepare(ctx, e, s)
	if err == nil {
		err = errors.Join(s.checkAcross(p), s.checkCheckpoints(p))
	}
	if err = s.settle(err); err != nil {
		return nil, err
	}
	s.folder = out
	if s.checkpoints != nil && s.from == nil {
		s.blocks = max(s.checkpoints.Blocks, s.allBlocks())
	}
	s.tellOfBalance(p.Experiment)
	if p.Experiment.Engine.Optimistic() && s.look == nil && s.relieved == nil { // because a look ends between two windows
		return runOptimistic(ctx, s, p, watch)
	}
	return runJobs(ctx, s, p, watch)
}

// prepare builds the plan if a run of it fits in memory. It reports warnings before the run.
func prepare(ctx context.Context, e *experiment.Resolved, s settings) (*plan.Plan, error) {
	p, err := setUp(
		ctx,
		e.TotalRanks(),
		func() (*plan.Plan, error) { return plan.Build(e) },
		func(*plan.Plan) {},
	)
	if err != nil {
		return nil, err
	}
	if p, err = predict.WithParameters(p); err != nil {
		return nil, err
	}
	memory := p.Forecast()
	if cluster.Several(s.group) {
		memory = memory.Each(s.group.Size())
	} else if s.workers == 1 {
		memory = memory.WithoutSaves()
	}
	if err := memory.Check(); err != nil {
		return nil, err
	}
	if s.note == nil {
		return p, nil
	}
	if text := memory.Warning(); text != "" {
		s.note(text)
	}
	for _, text := range predict.Notes(p) {
		s.note(text)
	}
	return p, nil
}

// runJobs simulates the jobs of a plan and returns the result; if ranks have stopped with their hosts,
// that of all ranks with a *failure.StoppedError.
func runJobs(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	if err := s.settle(notOpened(p.Experiment)); err != nil {
		return nil, err
	}
	p, err := s.cutTogether(ctx, p)
	if err != nil {
		return nil, err
	}
	list, err := newJobs(ctx, s, p, false)
	if err != nil {
		return nil, err
	}
	keeping := s
	keeping.keepStopped = true
	sim, err := simulate(ctx, keeping, p, list)
	if err != nil {
		return nil, err
	}
	defer sim.end()
	sim.share()
	r := sim.result()
	var lonely []*portsOf
	if s.interference && p.Experiment.HasJobs() && sim.interrupted == nil && sim.stopped == nil {
		if lonely, err = sim.interfere(ctx, r); err != nil {
			return nil, err
		}
	}
	r.Host = watch.host()
	sim.recorder.Bring(s.group, sim.network.control(), sim.network, int64(r.SimulatedTime))
	err = s.settle(sim.record(r, lonely))
	if sim.stopped != nil {
		return r, errors.Join(sim.stopped, err)
	}
	if err != nil || sim.ended() {
		return r, err
	}
	return nil, sim.interrupted
}
