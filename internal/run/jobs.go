package run

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/processes"
	"fabricast/internal/random"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/pacing"
	"fabricast/traffic"
)

// jobs holds the jobs on the hosts of a network. Each job is a world of its own, or traffic, so
// that no job sees the ranks, messages and communicators of another. As a population the jobs
// number their ranks consecutively, one job after the other.
type jobs struct {
	list      []*job
	endpoints []*jobsEndpoint // of this process
	ranks     int
	ended     units.Time      // when traffic without an end of its own was ended
	stopAt    units.Time      // when to do that at any rate; 0: when the others have ended
	group     processes.Group // that share the run; nil if there is one process
}

// job is one of several jobs.
type job struct {
	*plan.Job
	world   *node.World         // nil of traffic
	traffic *traffic.Background // nil of ranks
	pacer   *pacing.Pacer       // of a program's collectives; nil if none is paced
}

// endless reports whether traffic goes on until the jobs with ranks have ended.
func (j *jobs) endless() bool {
	return slices.ContainsFunc(j.list, func(j *job) bool { return j.traffic != nil && j.traffic.Endless() })
}

// over reports, at a pause at the time now (ps), whether all jobs with ranks and all traffic with
// an end of its own have ended before it, or never will.
func (j *jobs) over(now int64) bool {
	if j.stopAt > 0 {
		return now >= int64(j.stopAt)
	}
	all := j.standings()
	for i, one := range j.list {
		s := &all[i]
		switch {
		case one.traffic != nil:
			if !one.traffic.Endless() && int64(one.Start+one.Duration) > now {
				return false
			}
		case s.Failed: // who looks after the run ends it
		case s.Finished < one.world.Ranks():
			if !s.quiet() {
				return false
			}
		case s.End >= now: // which a rank's clock may have reached ahead of time
			return false
		}
	}
	return true
}

// endTraffic ends the traffic that has no end of its own.
func (j *jobs) endTraffic(now int64) {
	j.ended = units.Time(now)
	for _, one := range j.list {
		if one.traffic != nil {
			one.traffic.Stop(now)
		}
	}
}

// Ranks implements population.
func (j *jobs) Ranks() int { return j.ranks }

// sum returns the sum of a figure over the jobs with ranks.
func sum[N int | int64](j *jobs, of func(*node.World) N) (n N) {
	for _, one := range j.list {
		if one.world != nil {
			n += of(one.world)
		}
	}
	return n
}

// Finished implements population.
func (j *jobs) Finished() int { return sum(j, (*node.World).Finished) }

// Arrived implements population.
func (j *jobs) Arrived() int64 { return sum(j, (*node.World).Arrived) }

// Latest implements population.
func (j *jobs) Latest() (latest units.Time) {
	j.each(func(w *node.World) { latest = max(latest, w.Latest()) })
	return latest
}

// each calls visit for each world.
func (j *jobs) each(visit func(*node.World)) {
	for _, one := range j.list {
		if one.world != nil {
			visit(one.world)
		}
	}
}

// Cancel implements population.
func (j *jobs) Cancel() { j.each((*node.World).Cancel) }

// Close implements population.
func (j *jobs) Close() { j.each((*node.World).Close) }

// Failed implements population.
func (j *jobs) Failed() (failed bool) {
	j.each(func(w *node.World) { failed = failed || w.Failed() })
	return failed
}

// ForgetFailure implements population.
func (j *jobs) ForgetFailure(since int64) {
	j.each(func(w *node.World) { w.ForgetFailure(since) })
}

// jobError is an error of a job's ranks.
type jobError struct {
	job string
	err error
}

func (e *jobError) Error() string { return "job " + e.job + ": " + e.err.Error() }

func (e *jobError) Unwrap() error { return e.err }

// Err implements population. It returns the earliest failure of all jobs.
func (j *jobs) Err() error {
	var first *jobError
	var at units.Time
	for _, one := range j.list {
		if one.world == nil {
			continue
		}
		failed, ok := one.world.Err().(*node.RankError)
		if ok && (first == nil || failed.Time < at) {
			first, at = &jobError{one.Name, failed}, failed.Time
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// stuckJobs holds the explanations of jobs that cannot go on.
type stuckJobs []*jobError

func (s stuckJobs) Error() string {
	var lines []string
	for _, e := range s {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the explanations.
func (s stuckJobs) Unwrap() (list []error) {
	for _, e := range s {
		list = append(list, e)
	}
	return list
}

// Deadlock implements population.
func (j *jobs) Deadlock() error {
	var stuck stuckJobs
	for _, one := range j.list {
		if one.world == nil || one.world.Finished() == one.world.Ranks() {
			continue
		}
		if err := one.world.Deadlock(); err != nil {
			stuck = append(stuck, &jobError{one.Name, err})
		}
	}
	if stuck == nil {
		return nil
	}
	return stuck
}

// Stats implements population. With one job the hash is that of the job, otherwise a hash over
// those of all jobs in their order.
func (j *jobs) Stats() *node.Stats {
	all := &node.Stats{Ranks: j.ranks}
	for i, one := range j.list {
		hash, end := one.sumUp(all)
		if len(j.list) == 1 {
			all.Hash = hash
		} else {
			for k := range hash {
				all.Hash[k] += random.Scramble(random.Scramble(hash[k]) + uint64(i))
			}
		}
		all.End = units.Time(max(int64(all.End), int64(end)))
	}
	return all
}

// sumUp adds a job's statistics to a sum. It returns the job's hash and its end.
func (one *job) sumUp(all *node.Stats) (hash [2]uint64, end units.Time) {
	if one.world == nil {
		c := one.traffic.Carriage()
		all.Messages += c.Messages
		all.Bytes += units.Bytes(c.Payload)
		all.Latency.Add(&c.Latency)
		if !one.traffic.Endless() {
			end = max(one.Start+one.Duration, units.Time(c.Last))
		}
		return c.Hash, end
	}
	s := one.world.Stats()
	all.Finished += s.Finished
	all.Messages += s.Messages
	all.Bytes += s.Bytes
	all.Unmet += s.Unmet
	all.Latency.Add(&s.Latency)
	all.Latencies.Add(&s.Latencies)
	if s.Stray != nil && all.Stray == nil {
		stray := *s.Stray
		stray.Destination += one.First
		all.Stray = &stray
	}
	return s.Hash, s.End
}

// Record implements population.
func (j *jobs) Record(rank int) node.RankRecord {
	one := j.of(rank)
	r := one.world.Record(rank - one.First)
	r.Rank = rank
	return r
}

// of returns the job of a rank.
func (j *jobs) of(rank int) *job {
	for _, one := range slices.Backward(j.list) {
		if one.world != nil && one.First <= rank {
			return one
		}
	}
	panic(fmt.Sprintf("run: rank %d is of no job", rank))
}

// Trace implements population: the tracer gets ranks numbered over all jobs.
func (j *jobs) Trace(t node.Tracer, spans, messages bool) {
	for _, one := range j.list {
		if one.world != nil {
			one.world.Trace(&jobTracer{t, int32(one.First)}, spans, messages)
		}
	}
}

// Waiting implements population.
func (j *jobs) Waiting(block int) int64 {
	first := int64(fabric.Forever)
	for _, one := range j.list {
		if one.world != nil {
			first = min(first, one.world.Waiting(block))
		}
	}
	return first
}

// jobTracer forwards reports of a job's ranks with their numbers over all jobs.
type jobTracer struct {
	node.Tracer
	first int32
}

// Span implements node.Tracer.
func (t *jobTracer) Span(block int, s *node.Span) {
	shifted := *s
	shifted.Rank += t.first
	if shifted.Peer >= 0 {
		shifted.Peer += t.first
	}
	t.Tracer.Span(block, &shifted)
}

// Message implements node.Tracer.
func (t *jobTracer) Message(block int, m *node.Sent) {
	shifted := *m
	shifted.Source += t.first
	shifted.Dst += t.first
	t.Tracer.Message(block, &shifted)
}

// newBackground creates the traffic of a job.
func newBackground(p *plan.Job) (*traffic.Background, error) {
	load, err := p.TrafficLoad()
	if err != nil {
		return nil, err
	}
	until := int64(math.MaxInt64)
	if p.Duration > 0 {
		until = int64(p.Start + p.Duration)
	}
	return traffic.NewBackground(p.Fabric, load, p.Nodes, int64(p.Start), until)
}

// inhabit makes the endpoints of the hosts of a home for all jobs.
func (j *jobs) inhabit(b home, nics int32) inhabitants {
	e := newJobsEndpoint(b.transport, b.Hosts(), nics)
	j.endpoints = append(j.endpoints, e)
	transport := e.Transport
	if j.endless() {
		transport, e.counting = e, true // of what is to come
	}
	var starts, settles []func()
	for _, one := range j.list {
		if one.world != nil {
			block := one.world.NewBlock(b.Hosts())
			e.add(block, one.Nodes)
			starts = append(starts, func() { block.Start(transport) })
			settles = append(settles, func() { block.Settle(transport) })
			continue
		}
		sources := one.traffic.NewBlock(transport, b.Hosts())
		e.add(sources, one.Nodes)
		starts = append(starts, func() {
			for h := range b.Hosts() {
				if one.traffic.Has(h) {
					transport.SetTimer(h, one.traffic.Begin())
				}
			}
		})
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
func (j *jobs) leave(e *jobsEndpoint) {
	j.endpoints = slices.DeleteFunc(j.endpoints, func(other *jobsEndpoint) bool { return other == e })
	for i, one := range j.list {
		if one.world != nil {
			e.jobs[i].(*node.Block).Leave()
		} else {
			one.traffic.Leave(e.jobs[i])
		}
	}
}
