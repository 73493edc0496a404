package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"fabricast/engine"
	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/run/optimistic"
	"fabricast/node"
	"fabricast/routing"
)

// Names of the engine in optimistic modes.
const (
	EngineOptimistic      = "optimistic"
	EngineOptimisticCheck = "optimistic-check"
)

// runOptimistic simulates an experiment by Time Warp. Each part of the network is a simulation of
// its own, like that of a process.
func runOptimistic(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	if err := s.settle(refuseOptimism(s, p)); err != nil {
		return nil, err
	}
	n := partsOf(&s, p)
	team := optimistic.NewTeam(p.Experiment.Engine, n, s.workers, s.group)
	files, err := reopen(s.from, n)
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer closeAll(files)
	results, errs := make([]*Result, n), make([]error, n)
	groups := cluster.Divide(s.group, n)
	var wg sync.WaitGroup
	for i := range n {
		own := s
		own.team, own.member, own.workers, own.group = team, i, 1, groups[i]
		own.from, own.blocks = files[i], n*sizeOf(s.group)
		if i > 0 {
			own.folder, own.progress, own.note = nil, nil, nil
		}
		wg.Go(panics.Guarded("part of a run", func() { results[i], errs[i] = runJobs(ctx, own, p, watch) }))
	}
	wg.Wait()
	return results[0], errorOfParts(errs)
}

// reopen opens the checkpoint n times, once for each part to read its state. The files are nil if
// there is no checkpoint.
func reopen(from *checkpoint.File, n int) ([]*checkpoint.File, error) {
	files := make([]*checkpoint.File, n)
	if from == nil {
		return files, nil
	}
	for i := range files {
		var err error
		if files[i], err = checkpoint.Open(from.Path()); err != nil {
			closeAll(files)
			return nil, failure.NewConfigError(err)
		}
	}
	return files, nil
}

func closeAll(files []*checkpoint.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// errorOfParts returns the first error that was caused by a part itself. If there is none, it
// returns the first part's error, which another process caused.
func errorOfParts(errs []error) error {
	for _, err := range errs {
		var other *failure.ProcessError
		if err != nil && !errors.As(err, &other) && !errors.Is(err, engine.ErrElsewhere) {
			return err
		}
	}
	var other *failure.ProcessError
	if errors.As(errs[0], &other) { // parts are numbered over all processes
		other.Process, other.Of = other.Process/len(errs), other.Of/len(errs)
	}
	return errs[0]
}

// refuseOptimism returns an error if a run cannot be rolled back, or cannot be resumed with the
// given number of processes.
func refuseOptimism(s settings, p *plan.Plan) error {
	if of := sizeOf(s.group); s.from != nil && s.from.Blocks%of > 0 {
		return failure.NewConfigError(fmt.Errorf(
			"found %d processes, expected a number by which %d can be divided: the parts of this "+
				"optimistic run",
			of, s.from.Blocks,
		))
	}
	reason := unfitForOptimism(s, p)
	if reason == "" {
		return nil
	}
	e := p.Experiment
	return e.Refuse("engine.mode", e.Engine.Mode, experiment.EngineConservative, reason)
}

// unfitForOptimism returns the reason why a run cannot be rolled back to an earlier window; "" if
// it can.
func unfitForOptimism(s settings, p *plan.Plan) string {
	e := p.Experiment
	_, informed := p.Fabric.Adaptive.(routing.Informed)
	if reason := first([]reason{
		{e.Network.Abstract(), "networks without packets have no windows that parts could execute by themselves"},
		{e.Network.Ethernet(), "networks that drop or pause packets cannot take back what they did"},
		{informed, "routing that knows the queues of all routers leaves no part that could run ahead"},
		{s.wrap != nil, "a recorded trace cannot be taken back"},
		{s.hottest > 0, "the hottest links are known only of windows that stand"},
	}); reason != "" {
		return reason
	}
	if !e.HasJobs() {
		return unfitProgram(p)
	}
	for i := range p.Jobs {
		if reason := unfitProgram(p.Jobs[i].Plan); reason != "" {
			return "job " + p.Jobs[i].Name + ": " + reason
		}
	}
	return ""
}

// unfitProgram returns the reason why the ranks of a plan without jobs, or of one job, cannot be
// rolled back; "" if they can.
func unfitProgram(p *plan.Plan) string {
	e := p.Experiment
	switch {
	case e.HasTraffic():
		return ""
	case p.Pacer() != nil:
		return "pacing of collectives keeps tables that all ranks share"
	case e.Launch == nil && e.Program != nil:
		return "programs in Go cannot be taken back to an earlier time"
	}
	launch, err := p.Program(nil)
	if err != nil {
		return "" // the run reports it
	}
	program := launch(e.Ranks)(0) // only inspected, never run
	if s, ok := program.(node.Stopper); ok {
		defer s.Stop()
	}
	if _, ok := program.(node.Stateful); ok {
		return ""
	}
	if e.Launch != nil {
		return "programs in C cannot be taken back to an earlier time"
	}
	return "this program needs coroutines, which cannot be taken back to an earlier time"
}

// partsOf returns the number of parts in each process.
func partsOf(s *settings, p *plan.Plan) int {
	size := sizeOf(s.group)
	n := max(1, min(cmp.Or(p.Experiment.Engine.KP, s.workers), p.Fabric.Graph.Routers/size))
	switch {
	case s.from != nil:
		n = s.from.Blocks / size
	case s.checkpoints != nil && s.checkpoints.Blocks > n*size:
		n = (s.checkpoints.Blocks + size - 1) / size
	}
	return n
}

// describeTeam completes the result of a run in an optimistic mode.
func (r *Result) describeTeam(t *optimistic.Team, p *plan.Plan) {
	r.Processes, r.Workers, r.Engine = 0, t.Workers(), EngineOptimistic
	if n := t.Processes(); n > 1 {
		r.Processes = n
	}
	if p.Experiment.Engine.Mode == experiment.EngineOptimisticCheck {
		r.Engine = EngineOptimisticCheck
	}
	r.Optimistic = t.Result()
}
