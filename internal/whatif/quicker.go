package whatif

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"fabricast/experiment"
	"fabricast/internal/why"
	"fabricast/record"
)

// noticed is the largest share of its time, for the mean, at which a rank computes notably longer than others.
const noticed = 0.99

// quickerRanks lists experiments in which one rank computes for as long as the ranks of its program do in
// the mean, for those that made others wait longest by computing for longer.
func quickerRanks(
	path *why.Path, e *experiment.Experiment, folder *record.Reader,
) (list []Alternative, err error) {
	late := slices.DeleteFunc(slices.Clone(path.Waits.Delays), func(d why.Delay) bool {
		return d.Rank < 0 || d.Doing != record.StateCompute
	})
	if len(late) == 0 {
		return nil, nil
	}
	var times []int64
	for row, err := range record.Rows[record.Rank](folder, record.RanksTable) {
		if err != nil {
			return nil, err
		}
		times = append(times, row.Compute)
	}
	programs := []ranksOf{{job: -1, end: len(times)}}
	if e.HasJobs() {
		if programs, err = ranksOfJobs(folder); err != nil {
			return nil, err
		}
	}
	for _, d := range late {
		at := slices.IndexFunc(programs, func(p ranksOf) bool { return int(d.Rank) < p.end })
		if at < 0 || len(list) == mostRanks {
			break
		}
		in := programs[at]
		if share := mean(times[in.first:in.end]) / float64(times[d.Rank]); share > 0 && share < noticed {
			list = append(list, in.quicker(e, int(d.Rank)-in.first, share))
		}
	}
	return list, nil
}

// ranksOf are the ranks of a program: those of all programs from first to before end.
type ranksOf struct {
	job, first, end int // job: its index; -1 if it is no job
}

// ranksOfJobs returns the ranks of each job that has some.
func ranksOfJobs(folder *record.Reader) (list []ranksOf, err error) {
	for row, err := range record.Rows[record.Job](folder, record.JobsTable) {
		if err != nil {
			return nil, err
		}
		if row.Ranks > 0 {
			list = append(list, ranksOf{int(row.Job), int(row.FirstRank), int(row.FirstRank + row.Ranks)})
		}
	}
	return list, nil
}

// mean returns the mean of times. Summands are divided, as their sum may be too large.
func mean(times []int64) (mean float64) {
	for _, t := range times {
		mean += float64(t) / float64(len(times))
	}
	return mean
}

// quicker returns the experiment in which the computation of a rank of the program takes a share of its time.
func (p ranksOf) quicker(e *experiment.Experiment, rank int, share float64) Alternative {
	changed := *e
	words := fmt.Sprintf("rank %d computes for %.1f %% less, the mean", rank, 100*(1-share))
	compute := &changed.Compute
	if p.job >= 0 {
		changed.Jobs = slices.Clone(e.Jobs)
		job := &changed.Jobs[p.job]
		if compute = &job.Compute; reflect.ValueOf(*compute).IsZero() {
			*compute = e.Compute
		}
		words = fmt.Sprintf("rank %d of job %s computes for %.1f %% less, the mean", rank, job.Name, 100*(1-share))
	}
	name := strconv.Itoa(rank)
	before, given := compute.Ranks[name]
	if !given {
		before = 1
	}
	ranks := map[string]experiment.Factor{name: before * experiment.Factor(share)}
	for other, factor := range compute.Ranks {
		if other != name {
			ranks[other] = factor
		}
	}
	compute.Ranks = ranks
	return Alternative{Change: words, Experiment: changed}
}
