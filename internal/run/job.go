package run

import (
	"context"
	"errors"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/node"
)

// job is one of the concurrent jobs of a run: the ranks of a program (program), background traffic
// (background), or measured traffic (measurement), which is always the only job.
type job interface {
	// about returns the job's plan.
	about() *plan.Job
	// prepare does the setup that involves no other process. ready, called after it, does the setup
	// that all processes must do together.
	prepare(s settings) error
	ready(ctx context.Context, s settings) error
	// build sets up the job's part of a simulation.
	build(s *simulation) error
	// place creates the endpoint of the job's hosts in home b. leave removes an endpoint.
	place(b home, t fabric.Transport) (fabric.Endpoint, inhabitants)
	leave(e fabric.Endpoint)
	// over reports whether the job ended before the time now (ps), or can never end.
	over(now int64, s *standing) bool
	// stand adds the job's progress in this process to s.
	stand(s *standing)
	// latest returns the latest time (ps) of the events reported in this process. It may exceed the
	// time of the network, because ranks run ahead and deliveries are known in advance.
	latest() int64
	// share distributes to all processes the data from which results are computed.
	share(g cluster.Group)
	stats() *node.Stats
	// complete adds the job's part to the result of the run. sumUp adds it to the job's own result,
	// if there are several jobs.
	complete(r *Result)
	sumUp(r *JobResult)
}

// planned is the part common to all jobs: the plan.
type planned struct{ *plan.Job }

// class returns the class of the job's messages.
func (p planned) class() int {
	if p.Said == nil {
		return 0
	}
	return p.Said.Class
}

func (p planned) about() *plan.Job                    { return p.Job }
func (planned) ready(context.Context, settings) error { return nil }
func (planned) stand(*standing)                       {}
func (planned) complete(*Result)                      {}
func (p planned) over(now int64, _ *standing) bool    { return p.end() <= now }
func (p planned) end() int64                          { return int64(p.Start + p.Duration) }

// inhabitants are the ranks or traffic sources on the hosts of a home. start is called in a new
// run, settle in a resumed run or after hosts have moved.
type inhabitants struct{ start, settle func() }

// jobs are all jobs of a run. Each program has its own world, so that no job sees the ranks,
// messages and communicators of another job. Ranks are also numbered consecutively over all jobs.
type jobs struct {
	list      []job
	programs  []*program      // the jobs of the list that are programs
	endpoints []*jobsEndpoint // endpoints in this process
	ranks     int
	endless   bool          // there is traffic that continues until the programs have ended
	ended     units.Time    // when endless traffic was ended
	stopAt    units.Time    // latest time to end endless traffic; 0: when the programs have ended
	group     cluster.Group // processes that share the run; nil if there is one process
}

// newJobs creates the jobs of a plan. again is true if the plan has already been run.
func newJobs(ctx context.Context, s settings, p *plan.Plan, again bool) (*jobs, error) {
	list := slices.Clone(p.Jobs)
	if !p.Experiment.HasJobs() {
		list = []plan.Job{{Plan: p}}
	}
	all := &jobs{group: s.group}
	var err error
	for i := range list {
		one := all.add(planned{&list[i]}, again)
		if err = one.prepare(s); err != nil {
			break
		}
	}
	if err = s.settle(err); err != nil {
		return nil, err
	}
	for _, one := range all.list {
		if err := one.ready(ctx, s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add creates a job and adds it to the list.
func (j *jobs) add(p planned, again bool) (one job) {
	switch {
	case p.Said == nil && p.HasTraffic():
		one = &measurement{planned: p}
	case p.HasTraffic():
		one = &background{planned: p}
		j.endless = j.endless || p.Duration == 0
	default:
		p.First = j.ranks
		j.ranks += len(p.Hosts)
		ranks := &program{planned: p, again: again}
		j.programs, one = append(j.programs, ranks), ranks
	}
	j.list = append(j.list, one)
	return one
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

// over reports, at a pause at simulated time now (ps), whether all programs and all traffic with a
// fixed duration ended before now, or can never end.
func (j *jobs) over(now int64) bool {
	if j.stopAt > 0 {
		return now >= int64(j.stopAt)
	}
	all := j.standings()
	for i, one := range j.list {
		if !one.over(now, &all[i]) {
			return false
		}
	}
	return true
}

// idle reports, at a pause at simulated time now (ps), whether all that programs which have not ended wait
// for is in the network.
func (j *jobs) idle(now int64) bool {
	all := j.standings()
	for i, one := range j.list {
		p, ok := one.(*program)
		if s := &all[i]; ok && !p.over(now, s) && (s.timed() || s.Finished == p.world.Ranks()) {
			return false
		}
	}
	return true
}

// endTraffic ends the endless traffic.
func (j *jobs) endTraffic(now int64) {
	j.ended = units.Time(now)
	for _, one := range j.list {
		if b, ok := one.(*background); ok {
			b.traffic.Stop(now)
		}
	}
}

// inhabit creates the endpoints of all jobs for the hosts of a home.
func (j *jobs) inhabit(b home, nics int32) inhabitants {
	if len(j.list) == 1 && !j.endless {
		e, all := j.list[0].place(b, b.transport)
		b.SetEndpoint(e)
		return all
	}
	e := newJobsEndpoint(b.transport, b.Hosts(), nics)
	j.endpoints = append(j.endpoints, e)
	transport := e.Transport
	if j.endless {
		transport, e.counting = e, true // from here on, the endpoint counts the jobs' events
	}
	var starts, settles []func()
	for _, one := range j.list {
		endpoint, on := one.place(b, transport)
		e.add(endpoint, one.about().Nodes)
		starts, settles = append(starts, on.start), append(settles, on.settle)
	}
	b.SetEndpoint(e)
	return inhabitants{func() { call(starts) }, func() { call(settles) }}
}

func call(all []func()) {
	for _, one := range all {
		one()
	}
}

// leave removes the endpoint of hosts that have moved to another process.
func (j *jobs) leave(e fabric.Endpoint) {
	of, several := e.(*jobsEndpoint)
	if !several {
		j.list[0].leave(e)
		return
	}
	j.endpoints = slices.DeleteFunc(j.endpoints, func(other *jobsEndpoint) bool { return other == of })
	for i, one := range j.list {
		one.leave(of.jobs[i])
	}
}
