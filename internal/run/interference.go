package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/record"
	"fabricast/topology"
)

// Interference makes a run of several jobs be followed by a run of each job alone, on the same
// hosts, to measure how much the jobs slow one another down.
func Interference() Option { return func(s *settings) { s.interference = true } }

// SharedLink is a link between routers over which several jobs send.
type SharedLink struct {
	Link        string    `json:"link"` // where it begins
	Bytes       int64     `json:"wire_bytes"`
	Utilization float64   `json:"utilization"` // together
	Jobs        []JobLink `json:"jobs"`        // by what they send, the most first
}

// JobLink is what a job that runs alone sends over a link.
type JobLink struct {
	Job   string `json:"job"`
	Bytes int64  `json:"wire_bytes_alone"`
}

// mostShared is how many shared links a result lists.
const mostShared = 100

// portsOf holds what a job that runs alone sends out of each port.
type portsOf []fabric.PortUse

// interfere runs each job alone and adds the comparison to the result. It returns what each job
// then sent over links.
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

// alone runs one job without the others.
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

// onlyJob returns a plan with job i only.
func onlyJob(p *plan.Plan, i int) *plan.Plan {
	only := *p
	only.Jobs, only.Hosts = p.Jobs[i:i+1], p.Jobs[i].Hosts
	return &only
}

// shared computes the links over which several jobs send, busiest first.
func (r *Result) shared(s *simulation, used []*portsOf) {
	meter := s.course.meter(r.SimulatedTime)
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
		list = append(list, candidate{port, meter.output(port).Utilization})
	}
	r.SharedLinkCount = len(list)
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.utilization, a.utilization) })
	for _, c := range list[:min(len(list), mostShared)] {
		row := meter.named(meter.output(c.port))
		link := SharedLink{Link: row.Where(), Bytes: row.Bytes, Utilization: row.Utilization}
		for _, i := range sendersOf(used, c.port) {
			link.Jobs = append(link.Jobs, JobLink{r.Jobs[i].Name, int64((*used[i])[c.port].Bytes)})
		}
		slices.SortStableFunc(link.Jobs, func(a, b JobLink) int { return cmp.Compare(b.Bytes, a.Bytes) })
		r.SharedLinks = append(r.SharedLinks, link)
	}
}

// sendersOf returns the jobs that send over a port.
func sendersOf(used []*portsOf, port int) (jobs []int) {
	for i, u := range used {
		if (*u)[port].Bytes > 0 {
			jobs = append(jobs, i)
		}
	}
	return jobs
}

// jobLinkRows returns the rows of what each job alone sent over each link between routers, in the
// order of the table of links.
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
