package run

import (
	"context"
	"errors"
	"math"

	"fabricast/engine"
	"fabricast/internal/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
)

// Interference makes a run of several jobs be followed by a run of each job alone, on the same
// hosts, to measure how much the jobs slow one another down.
func Interference() Option { return func(s *settings) { s.interference = true } }

// runJobs runs several jobs at once.
func runJobs(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	if err := s.settle(notOpened(p.Experiment)); err != nil {
		return nil, err
	}
	p, err := s.cutTogether(ctx, p)
	if err != nil {
		return nil, err
	}
	sim, err := simulateJobs(ctx, s, p, 0, false)
	if err != nil {
		return nil, err
	}
	defer sim.end()
	sim.share()
	r := sim.result()
	r.Jobs = sim.jobResults()
	r.Notes = predict.Notes(p)
	r.pacingOfJobs(sim.jobs)
	if s.team != nil && s.member == 0 {
		s.team.describe(r)
	}
	var lonely []*portsOf
	if s.interference && sim.interrupted == nil {
		if lonely, err = sim.interfere(ctx, s, r); err != nil {
			return nil, err
		}
	}
	r.Host = watch.host()
	sim.recorder.bring(s.group, sim.network, int64(r.SimulatedTime))
	if err := s.settle(sim.recordJobs(s.folder, r, lonely)); err != nil || sim.ended() {
		return r, err
	}
	return nil, sim.interrupted
}

// simulateJobs runs jobs to their end. Traffic without an end stops at a given time, if that is not
// 0. again says that the jobs have run before.
func simulateJobs(
	ctx context.Context,
	s settings,
	p *plan.Plan,
	stopAt units.Time,
	again bool,
) (*simulation, error) {
	list, err := prepareJobs(p, s, again)
	if err = s.settle(err); err != nil {
		return nil, err
	}
	list.stopAt, list.group = stopAt, s.group
	assembled := func() (*simulation, error) { return assembleJobs(ctx, p, list, s) }
	return start(ctx, s, p, assembled, func(*simulation) {})
}

// prepareJobs creates the programs and the traffic of jobs.
func prepareJobs(p *plan.Plan, s settings, again bool) (*jobs, error) {
	all := &jobs{}
	for i := range p.Jobs {
		planned := p.Jobs[i]
		one := &job{Job: &planned}
		if one.HasTraffic() {
			var err error
			if one.traffic, err = newBackground(one.Job); err != nil {
				return nil, err
			}
			all.list = append(all.list, one)
			continue
		}
		if err := one.prepare(s, again); err != nil {
			return nil, err
		}
		one.First = all.ranks
		all.ranks += len(one.Hosts)
		all.list = append(all.list, one)
	}
	return all, nil
}

// prepare creates the ranks of a job.
func (one *job) prepare(s settings, again bool) error {
	gaps, err := one.Pace()
	if err != nil {
		return err
	}
	one.pacer = one.Pacer()
	program, err := one.program(gaps, again)
	if err != nil {
		return err
	}
	if s.wrapJob != nil {
		program = s.wrapJob(one.Name, program)
	}
	begins, _ := begins(one.Plan, one.Experiment.Imbalance.Of)
	if one.Start > 0 {
		if begins == nil {
			begins = make([]int64, len(one.Hosts))
		}
		for i := range begins {
			begins[i] += int64(one.Start)
		}
	}
	one.world, err = newWorld(one.Plan, program, one.pacer, begins, s)
	return err
}

// program returns the program of the ranks. For a second run it creates programs with state anew.
func (one *job) program(gaps *mpi.Pacing, again bool) (node.Launcher, error) {
	if again && one.Said.Again != nil {
		return one.Said.Again()
	}
	return one.Program(gaps)
}

// assembleJobs creates the simulation of jobs from its parts.
func assembleJobs(ctx context.Context, p *plan.Plan, list *jobs, o settings) (*simulation, error) {
	// without an end of its own it is looked at what the network has done before it is over
	network, err := newMedium(p, o, !list.endless())
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		network.Close()
		return nil, &failure.InterruptedError{Ranks: list.ranks, Err: ctx.Err(), SettingUp: true}
	}
	s := &simulation{
		plan: p, network: network, world: list, jobs: list, group: o.group, workers: o.workers, team: o.team,
		member: o.member,
	}
	s.populate(ctx)
	if list.endless() {
		s.beside = &beside{engine.NewSteps(s.blocks, firstPause, math.MaxInt64), 0, firstPause}
		s.beside.steps.Balance(network.balancer)
		if others := network.others(); others != nil {
			s.beside.steps.Across(others)
		}
	}
	return s, nil
}

// pacingOfJobs sums up how the collectives of all jobs were paced.
func (r *Result) pacingOfJobs(all *jobs) {
	for _, one := range all.list {
		before := len(r.Notes)
		r.pacingOfCollectives(one.pacer)
		for i := range r.Notes[before:] {
			r.Notes[before+i] = "job " + one.Name + ": " + r.Notes[before+i]
		}
	}
}

// notOpened returns an error for a job whose trace or C program has not been opened.
func notOpened(e *experiment.Resolved) error {
	var list []error
	for i := range e.Jobs {
		if j := &e.Jobs[i]; !j.Opened() {
			list = append(list, e.Refuse(
				"jobs", "job "+j.Name+", which has not been opened", "one that can run",
				"the command fabricast opens traces and programs in C; in Go set Job.Launch",
			))
		}
	}
	return errors.Join(list...)
}
