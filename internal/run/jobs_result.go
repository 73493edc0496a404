package run

import (
	"strings"

	"fabricast/internal/experiment"
	"fabricast/internal/units"
	"fabricast/record"
)

// JobResult is the result of one of several jobs.
type JobResult struct {
	Name    string `json:"name"`
	Program string `json:"program"` // what it ran
	// Hash is the result hash of the job: over its messages, with its own rank numbers.
	Hash      string     `json:"result_hash"`
	Ranks     int        `json:"ranks"` // 0: traffic
	FirstRank int        `json:"first_rank"`
	Hosts     int        `json:"hosts"`
	Start     units.Time `json:"start_ps"`
	End       units.Time `json:"end_ps"`  // of its last rank, or of the generation of traffic
	Time      units.Time `json:"time_ps"` // from start to end

	Messages     int64   `json:"messages"`
	Unreceived   int64   `json:"unreceived_messages"`
	PayloadBytes int64   `json:"payload_bytes"`
	Latency      Latency `json:"latency_ps"`
	// mean over its ranks: time spent waiting, computing, and in the library
	Wait     units.Time `json:"mean_wait_ps"`
	Compute  units.Time `json:"mean_compute_ps"`
	Overhead units.Time `json:"mean_overhead_ps"`

	// Alone is the result of the job alone on the same hosts; nil unless Interference was asked
	// for.
	Alone *JobAlone `json:"alone,omitempty"`
}

// JobAlone is the result of a job without the others.
type JobAlone struct {
	Time units.Time `json:"time_ps"`
	// MeanLatency is the mean latency of the job's messages.
	MeanLatency units.Time `json:"mean_latency_ps"`
	// Slowdown is the job's time with the others divided by its time alone. For traffic, whose time
	// is fixed, it is the ratio of the mean latencies.
	Slowdown float64 `json:"slowdown"`
	// SharedLinks is the number of links between routers over which both this job, alone, and
	// another job sent.
	SharedLinks int `json:"shared_links"`
}

// jobResults returns the results of the jobs.
func (s *simulation) jobResults() []JobResult {
	list := make([]JobResult, len(s.jobs.list))
	for i, one := range s.jobs.list {
		list[i] = one.result(s.jobs.ended)
	}
	return list
}

func (one *job) result(ended units.Time) JobResult {
	r := JobResult{
		Name: one.Name, Program: programOf(one.Experiment, one), Hosts: len(one.Nodes),
		Start: one.Start, FirstRank: one.First,
	}
	if one.traffic != nil {
		c := one.traffic.Carriage()
		r.Hash, r.Messages, r.PayloadBytes, r.Latency = hashText(
			c.Hash,
		), c.Messages, c.Payload, latencyOf(&c.Latency)
		r.FirstRank = 0
		if r.End = one.Start + one.Duration; one.traffic.Endless() {
			r.End = max(ended, one.Start)
		}
		r.Time = r.End - r.Start
		return r
	}
	w := one.world.Stats()
	r.Hash, r.Ranks, r.Messages, r.Unreceived = hashText(w.Hash), w.Ranks, w.Messages, w.Unmet
	r.PayloadBytes, r.Latency = int64(w.Bytes), latencyOf(&w.Latency)
	r.End = w.End
	r.Time = r.End - r.Start
	for id := range w.Ranks {
		rank := one.world.Record(id)
		r.Wait += rank.Wait
		r.Compute += rank.Compute
		r.Overhead += rank.Overhead
	}
	n := units.Time(max(1, w.Ranks))
	r.Wait, r.Compute, r.Overhead = r.Wait/n, r.Compute/n, r.Overhead/n
	return r
}

// programOf returns the name of what a job runs.
func programOf(e *experiment.Resolved, one *job) string {
	switch {
	case e.HasTraffic():
		return "traffic " + e.Traffic.Pattern.Name
	case one.Said.Replays():
		return "trace " + one.Said.Trace.File
	case len(one.Said.Command) > 0:
		return strings.Join(one.Said.Command, " ")
	case e.OwnProgram():
		return "a function in Go"
	}
	return e.Workload.Program
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
