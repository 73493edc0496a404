package atlas

import (
	"cmp"
	"slices"

	"fabricast/internal/run"
	"fabricast/internal/units"
)

// JobLoss is what a job loses in a future.
type JobLoss struct {
	Job   string     `json:"job"`
	Time  units.Time `json:"time_ps"` // from its start to its end; of traffic: mean latency
	Lost  units.Time `json:"lost_ps"` // more than without faults
	Share float64    `json:"lost_share"`
}

// measure returns the time by which runs are compared: that of the last rank, or of traffic the mean
// latency of its measured messages.
func measure(r *run.Result) units.Time {
	if r.Traffic != nil {
		return units.Time(r.Traffic.Latency.Mean)
	}
	return r.SimulatedTime
}

// measureOfJob is measure of a job.
func measureOfJob(j *run.JobResult) units.Time {
	if j.Ranks == 0 {
		return j.Latency.Mean
	}
	return j.Time
}

// slowed returns what each job loses, the slowest first; nil if there are none.
func slowed(without, with *run.Result) (list []JobLoss) {
	for i := range with.Jobs {
		before, now := measureOfJob(&without.Jobs[i]), measureOfJob(&with.Jobs[i])
		list = append(list, JobLoss{
			Job: with.Jobs[i].Name, Time: now, Lost: now - before, Share: float64(now-before) / float64(max(1, before)),
		})
	}
	slices.SortStableFunc(list, func(a, b JobLoss) int { return cmp.Compare(b.Share, a.Share) })
	return list
}
