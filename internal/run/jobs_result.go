package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/topology"
	"fabricast/workload/serving"
	"fabricast/workload/training"
)

// Interference runs each job again alone, on the same hosts, after a run of several jobs. The
// result then shows by how much the jobs slow one another down.
func Interference() Option { return func(s *settings) { s.interference = true } }

// SharedLink is a link between routers that carries traffic of several jobs.
type SharedLink struct {
	Link        string    `json:"link"` // router and port at its start
	Bytes       int64     `json:"wire_bytes"`
	Utilization float64   `json:"utilization"` // with all jobs together
	Jobs        []JobLink `json:"jobs"`        // by descending traffic
}

// JobLink is the traffic of a job over a link when the job runs alone.
type JobLink struct {
	Job   string `json:"job"`
	Bytes int64  `json:"wire_bytes_alone"`
}

// mostShared limits the number of shared links in a result.
const mostShared = 100

// portsOf holds the transmit counters of each port from the run of a job alone.
type portsOf []fabric.PortUse

// interfere runs each job alone and adds the comparison to the result. It returns the link traffic
// of each job alone.
func (s *simulation) interfere(ctx context.Context, r *Result) ([]*portsOf, error) {
	settings := s.apart()
	settings.wrap = nil
	used := make([]*portsOf, len(s.jobs.list))
	for i := range s.jobs.list {
		alone, err := s.alone(ctx, settings, i, &r.Jobs[i])
		if err != nil {
			return nil, fmt.Errorf("job %s alone: %w", r.Jobs[i].Name, err)
		}
		used[i] = alone
	}
	r.shared(s, used)
	return used, nil
}

// alone runs job i without the others and adds the comparison to together.
func (s *simulation) alone(
	ctx context.Context,
	settings settings,
	i int,
	together *JobResult,
) (*portsOf, error) {
	p := onlyJob(s.plan, i)
	list, err := newJobs(ctx, settings, p, true)
	if err != nil {
		return nil, err
	}
	list.stopAt = s.jobs.ended
	sim, err := simulate(ctx, settings, p, list)
	if err != nil {
		return nil, err
	}
	defer sim.close()
	sim.share()
	one := sim.jobResults()[0]
	found := &JobAlone{Time: one.Time, MeanLatency: one.Latency.Mean, Slowdown: 1}
	with, without := together.Time, one.Time
	if one.Ranks == 0 {
		with, without = together.Latency.Mean, one.Latency.Mean
	}
	if without > 0 {
		found.Slowdown = float64(with) / float64(without)
	}
	together.Alone = found
	used := make(portsOf, len(s.plan.Fabric.Graph.Ports))
	for port := range used {
		used[port] = sim.network.port(port)
	}
	return &used, nil
}

// onlyJob returns the plan with only job i.
func onlyJob(p *plan.Plan, i int) *plan.Plan {
	only := *p
	only.Jobs, only.Hosts = p.Jobs[i:i+1], p.Jobs[i].Hosts
	return &only
}

// shared adds the links that carry traffic of several jobs, busiest first.
func (r *Result) shared(s *simulation, used []*portsOf) {
	links := s.course.meter(r.SimulatedTime)
	type candidate struct {
		port        int
		utilization float64
	}
	var list []candidate
	for port, at := range s.plan.Fabric.Graph.Ports {
		if at.Peer == topology.Unconnected {
			continue
		}
		senders := sendersOf(used, port)
		if len(senders) < 2 {
			continue
		}
		for _, i := range senders {
			r.Jobs[i].Alone.SharedLinks++
		}
		list = append(list, candidate{port, links.Output(port).Utilization})
	}
	r.SharedLinkCount = len(list)
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.utilization, a.utilization) })
	for _, c := range list[:min(len(list), mostShared)] {
		row := links.Named(links.Output(c.port))
		link := SharedLink{Link: row.Where(), Bytes: row.Bytes, Utilization: row.Utilization}
		for _, i := range sendersOf(used, c.port) {
			link.Jobs = append(link.Jobs, JobLink{r.Jobs[i].Name, int64((*used[i])[c.port].Bytes)})
		}
		slices.SortStableFunc(link.Jobs, func(a, b JobLink) int { return cmp.Compare(b.Bytes, a.Bytes) })
		r.SharedLinks = append(r.SharedLinks, link)
	}
}

// sendersOf returns the indexes of the jobs that send through a port.
func sendersOf(used []*portsOf, port int) (jobs []int) {
	for i, u := range used {
		if (*u)[port].Bytes > 0 {
			jobs = append(jobs, i)
		}
	}
	return jobs
}

// jobLinkRows returns rows with the traffic of each job, running alone, over each link between
// routers, in the order of the table of links.
func (s *simulation) jobLinkRows(used []*portsOf) func(yield func(record.JobLink) bool) {
	return func(yield func(record.JobLink) bool) {
		link := int32(-1)
		for port, at := range s.plan.Fabric.Graph.Ports {
			if at.Peer == topology.Unconnected && at.NIC == topology.Unconnected {
				continue
			}
			link++
			for i, u := range used {
				use := (*u)[port]
				if use.Bytes == 0 || at.Peer == topology.Unconnected {
					continue
				}
				row := record.JobLink{
					Link:    link,
					Job:     int32(i),
					Packets: int64(use.Packets),
					Bytes:   int64(use.Bytes),
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// JobResult is the result of one of several jobs.
type JobResult struct {
	Name    string `json:"name"`
	Program string `json:"program"` // description of its program
	// Hash is the job's result hash: over its messages, with ranks numbered within the job.
	Hash  string `json:"result_hash"`
	Ranks int    `json:"ranks"` // 0: a traffic job
	// Unfinished is the number of ranks that have not ended, as a host has stopped or the run was
	// interrupted.
	Unfinished int        `json:"ranks_unfinished,omitempty"`
	FirstRank  int        `json:"first_rank"`
	Hosts      int        `json:"hosts"`
	Start      units.Time `json:"start_ps"`
	End        units.Time `json:"end_ps"`  // end of its last rank, or of traffic generation
	Time       units.Time `json:"time_ps"` // from start to end

	Messages     int64   `json:"messages"`
	Unreceived   int64   `json:"unreceived_messages"`
	PayloadBytes int64   `json:"payload_bytes"`
	Latency      Latency `json:"latency_ps"`
	// means over its ranks: time spent waiting, computing, and in the library
	Wait     units.Time `json:"mean_wait_ps"`
	Compute  units.Time `json:"mean_compute_ps"`
	Overhead units.Time `json:"mean_overhead_ps"`

	// Training is the result of the program training.
	Training *training.Result `json:"training,omitempty"`
	// Serving is the result of the program serving.
	Serving *serving.Result `json:"serving,omitempty"`

	// Checkpoint is what becomes of the job with checkpoints; nil if it has none.
	Checkpoint *Goodput `json:"checkpoint,omitempty"`

	// Alone is the result of running the job alone on the same hosts; nil without Interference.
	Alone *JobAlone `json:"alone,omitempty"`
}

// JobAlone is the result of running a job without the others.
type JobAlone struct {
	Time units.Time `json:"time_ps"`
	// MeanLatency is the mean latency of the job's messages.
	MeanLatency units.Time `json:"mean_latency_ps"`
	// Slowdown is the job's time with the others divided by its time alone. For traffic, whose time
	// is fixed, it is the ratio of the mean latencies.
	Slowdown float64 `json:"slowdown"`
	// SharedLinks is the number of links between routers that carry traffic of both this job,
	// running alone, and another job.
	SharedLinks int `json:"shared_links"`
}

// jobResults returns the results of several jobs.
func (s *simulation) jobResults() []JobResult {
	list := make([]JobResult, len(s.jobs.list))
	for i, one := range s.jobs.list {
		r, about, sums := &list[i], one.about(), one.stats()
		r.Name, r.Hosts, r.Start = about.Name, len(about.Nodes), about.Start
		r.Hash, r.Messages, r.PayloadBytes = hashText(sums.Hash), sums.Messages, int64(sums.Bytes)
		r.Latency = latencyOf(&sums.Latency)
		one.sumUp(r)
		r.Time = r.End - r.Start
	}
	return list
}

// jobRows returns the rows of the table of jobs.
func (r *Result) jobRows() func(yield func(record.Job) bool) {
	return func(yield func(record.Job) bool) {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			row := record.Job{
				Job:  int32(i),
				Name: j.Name, Program: j.Program, FirstRank: int32(j.FirstRank), Ranks: int32(j.Ranks),
				Hosts: int32(j.Hosts), Start: int64(j.Start), End: int64(j.End),
				Messages: j.Messages, Bytes: j.PayloadBytes, Latency: int64(j.Latency.Mean),
				Wait: int64(j.Wait), Compute: int64(j.Compute), Overhead: int64(j.Overhead), Alone: -1,
			}
			if j.Alone != nil {
				row.Alone, row.Slowdown = int64(j.Alone.Time), j.Alone.Slowdown
			}
			if !yield(row) {
				return
			}
		}
	}
}
