package run

import (
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
