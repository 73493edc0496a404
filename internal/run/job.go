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

// job is one of those that a run simulates together: the ranks of a program (program), traffic
// beside them (background), or traffic that is measured, which is alone (measurement).
type job interface {
	// about returns what the plan says of the job.
	about() *plan.Job
	// prepare makes what needs no other process, and ready what needs all of them.
	prepare(s settings) error
	ready(ctx context.Context, s settings) error
	// build makes what is on the network of a simulation.
	build(s *simulation) error
	// place makes the endpoint of the job's hosts in a home, and leave removes it again.
	place(b home, t fabric.Transport) (fabric.Endpoint, inhabitants)
	leave(e fabric.Endpoint)
	// over reports whether the job has ended before a time (ps), or never will.
	over(now int64, s *standing) bool
	// stand adds how far the job has got in this process.
	stand(s *standing)
	// latest returns the latest time (ps) of what has been reported in this process: ranks may be ahead of
	// the network, and a delivery is known before its time.
	latest() int64
	// share makes known to all processes what the results are made of.
	share(g cluster.Group)
	stats() *node.Stats
	// complete adds to the result of the run, and sumUp to that of the job, one of several.
	complete(r *Result)
	sumUp(r *JobResult)
}

// planned is a job of which nothing is known but its plan.
type planned struct{ *plan.Job }

func (p planned) about() *plan.Job                    { return p.Job }
func (planned) ready(context.Context, settings) error { return nil }
func (planned) stand(*standing)                       {}
func (planned) complete(*Result)                      {}
func (p planned) over(now int64, _ *standing) bool    { return p.end() <= now }
func (p planned) end() int64                          { return int64(p.Start + p.Duration) }

// inhabitants are what is on the hosts of a home. They are started, or settled if they go on.
type inhabitants struct{ start, settle func() }

// jobs are those of a run. Each program is a world of its own, so that no job sees the ranks,
// messages and communicators of another. All together their ranks are numbered consecutively, one
// job after the other.
type jobs struct {
	list      []job
	programs  []*program      // of these
	endpoints []*jobsEndpoint // of this process
	ranks     int
	endless   bool          // traffic goes on until the programs have ended
	ended     units.Time    // when traffic without an end of its own was ended
	stopAt    units.Time    // when to do that at any rate; 0: when the others have ended
	group     cluster.Group // that share the run; nil if there is one process
}

// newJobs makes the jobs of a plan. again says that they have run before.
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

// add makes a job and adds it to the others.
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

// over reports, at a pause at the time now (ps), whether all jobs with ranks and all traffic with
// an end of its own have ended before it, or never will.
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

// endTraffic ends the traffic that has no end of its own.
func (j *jobs) endTraffic(now int64) {
	j.ended = units.Time(now)
	for _, one := range j.list {
		if b, ok := one.(*background); ok {
			b.traffic.Stop(now)
		}
	}
}

// inhabit makes the endpoints of the hosts of a home for all jobs.
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
		transport, e.counting = e, true // of what is to come
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

// leave removes the endpoint of hosts that have gone to another process.
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
