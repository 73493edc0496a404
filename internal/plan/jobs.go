package plan

import (
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/topology"
	"fabricast/traffic"
)

// Job is one job of an experiment with several jobs. Its Plan describes the job alone, on its own
// hosts.
type Job struct {
	*Plan
	Said     *experiment.Job
	Name     string
	Start    units.Time
	Duration units.Time // of a traffic job; 0: until all jobs with ranks have ended
	First    int        // offset of its ranks in the ranks of all jobs
	Nodes    []int32    // its hosts, in the order of their assignment
}

// HasTraffic reports whether the job is synthetic traffic.
func (j *Job) HasTraffic() bool { return j.Experiment.HasTraffic() }

// placeJobs makes the plans of the jobs.
func (p *Plan) placeJobs() error {
	e := p.Experiment
	for i := range e.Jobs {
		j := &e.Jobs[i]
		if j.Ranks == 0 {
			return e.Refuse(
				jobField(i, "trace"),
				"a trace that has not been opened",
				"the trace of a job",
				"the command fabricast opens it; in Go, Job.Launch and Job.Ranks are what package "+
					"replay makes of it",
			)
		}
	}
	placer := newPlacer(p)
	hosts := make([][]int32, len(e.Jobs)) // hosts of each job: by rank, or by source for a traffic job
	for _, listed := range []bool{true, false} {
		for i := range e.Jobs { // fixed placements are assigned before flexible ones
			if (e.Jobs[i].Placement.File != "") != listed {
				continue
			}
			var err error
			if hosts[i], err = placer.place(i); err != nil {
				return err
			}
		}
	}
	for i := range e.Jobs {
		if err := p.addJob(i, hosts[i]); err != nil {
			return err
		}
	}
	return nil
}

// jobField returns the path of a field of job i.
func jobField(i int, field string) string { return fmt.Sprintf("jobs[%d].%s", i, field) }

func (p *Plan) addJob(i int, hosts []int32) error {
	e := p.Experiment
	one := e.Job(i)
	if err := checkSlow(one); err != nil {
		return err
	}
	begins, err := readBegins(one)
	if err != nil {
		return err
	}
	alone := p.For(one)
	alone.Jobs, alone.Hosts, alone.Begins = nil, hosts, begins
	alone.Fabric.Seed = p.Fabric.Seed
	said := &e.Jobs[i]
	j := Job{
		Plan:     alone,
		Said:     said,
		Name:     said.Name,
		Start:    said.Start,
		Duration: said.Duration,
		First:    len(p.Hosts),
	}
	for _, h := range hosts {
		if n := len(j.Nodes); n == 0 || j.Nodes[n-1] != h {
			j.Nodes = append(j.Nodes, h)
		}
	}
	if said.Placement.File != "" { // ranks on one host may not be consecutive
		slices.Sort(j.Nodes)
		j.Nodes = slices.Compact(j.Nodes)
	}
	if j.HasTraffic() {
		alone.Hosts, j.Nodes = nil, hosts
	} else {
		p.Hosts = append(p.Hosts, hosts...)
	}
	p.Jobs = append(p.Jobs, j)
	return nil
}

// TrafficLoad creates the traffic of a job. Traffic patterns number the job's hosts from 0, as if
// all were connected to a single router.
func (j *Job) TrafficLoad() (traffic.Load, error) {
	t, err := topology.NewFull(topology.FullSpec{Routers: 1, Hosts: len(j.Nodes)}, j.Experiment.Node.NICs)
	if err != nil {
		return traffic.Load{}, err
	}
	alone := *j.Plan
	alone.Topology = t
	return alone.TrafficLoad()
}

// jobsOf returns a separate experiment for each job.
func jobsOf(e *experiment.Resolved) []*experiment.Resolved {
	list := make([]*experiment.Resolved, len(e.Jobs))
	for i := range list {
		list[i] = e.Job(i)
	}
	return list
}
