package whatif

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/why"
	"fabricast/record"
)

// Alternative is a changed experiment, whose run may be shorter.
type Alternative struct {
	Change     string // in words
	Experiment experiment.Experiment
	Relieved   *Flow // its messages take no resources of the network; nil: all do
}

// Largest numbers of alternatives of a kind.
const (
	mostParameters = 5
	mostRanks      = 5
	mostFlows      = 5
	mostAlgorithms = 12
	mostJobs       = 8
)

// improvement is the share by which parameters change for the better: a part in this number.
const improvement = 10

// Alternatives lists changes of the experiment with a critical path: better values of the parameters
// that it depends on most, no lateness of ranks that start late or compute for long, the flows that hinder
// others most out of their way, other algorithms of the collective that takes most of it, and every job alone left out. folder is that
// of the run. Files that changed experiments need are written to temp.
func Alternatives(
	path *why.Path, p *plan.Plan, e *experiment.Experiment, folder *record.Reader, temp string,
) ([]Alternative, error) {
	list := betterParameters(path, p, e)
	early, err := earlierRanks(path, e, temp)
	if err != nil {
		return nil, err
	}
	flows, err := hinderingFlows(e, folder)
	if err != nil {
		return nil, err
	}
	quick, err := quickerRanks(path, e, folder)
	if err != nil {
		return nil, err
	}
	list = append(append(append(list, early...), quick...), flows...)
	list = append(list, algorithms(path, e)...)
	return append(list, fewerJobs(e)...), nil
}

func betterParameters(path *why.Path, p *plan.Plan, e *experiment.Experiment) (list []Alternative) {
	for _, d := range path.Derivatives {
		if d.Parameter == why.ParameterCompute || len(list) == mostParameters {
			continue
		}
		changed := *e
		change, sign := "-", int64(-1)
		if d.Unit == unitBytes {
			change, sign = "+", 1
		}
		Change(p, &changed, d.Parameter, func(n int64) int64 { return n + sign*(n/improvement) })
		words := fmt.Sprintf("%s %s%d %%", d.Parameter, change, 100/improvement)
		list = append(list, Alternative{Change: words, Experiment: changed})
	}
	return list
}

// earlierRanks lists experiments in which one rank starts at time 0, for ranks of the path that
// start late because of an imbalance.
func earlierRanks(path *why.Path, e *experiment.Experiment, temp string) (list []Alternative, err error) {
	if !e.Imbalance.Given() || e.HasJobs() || e.Baseline() != nil {
		return nil, nil
	}
	resolved := experiment.Resolved{Experiment: *e}
	built, err := plan.Build(&resolved)
	if err != nil || len(built.Begins) == 0 {
		return nil, err
	}
	late := slices.Clone(path.Waits.Delays)
	late = slices.DeleteFunc(late, func(d why.Delay) bool { return d.Rank < 0 || d.Doing != why.DoingStart })
	for _, s := range path.Segments {
		if s.Cause == why.Start && !slices.ContainsFunc(late, func(d why.Delay) bool { return d.Rank == s.Rank }) {
			late = append(late, why.Delay{Rank: s.Rank})
		}
	}
	for _, d := range late[:min(len(late), mostRanks)] {
		var text strings.Builder
		for rank, begin := range built.Begins {
			if int32(rank) == d.Rank {
				begin = 0
			}
			fmt.Fprintf(&text, "%dps\n", begin)
		}
		file := filepath.Join(temp, fmt.Sprintf("rank%d.txt", d.Rank))
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			return nil, err
		}
		changed := *e
		changed.Imbalance = experiment.Imbalance{Distribution: experiment.ImbalanceFile, File: file}
		words := fmt.Sprintf("rank %d starts at time 0", d.Rank)
		list = append(list, Alternative{Change: words, Experiment: changed})
	}
	return list, nil
}

// algorithms lists experiments with another algorithm of the collective that takes most of the
// path.
func algorithms(path *why.Path, e *experiment.Experiment) (list []Alternative) {
	times := map[string]int64{}
	for _, s := range path.Segments {
		if s.Message != nil && s.Message.Collective != "" {
			times[s.Message.Collective] += s.Time
		}
	}
	most := ""
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if most == "" || times[name] > times[most] {
			most = name
		}
	}
	if most == "" {
		return nil
	}
	for _, name := range collective.Names(collective.Kind(most)) {
		// others may not be able to run on this network
		if collective.InfoOf(collective.Kind(most), collective.Algorithm(name)).Needs == collective.NeedsNothing {
			list = append(list, byAlgorithm(e, most, name)...)
		}
	}
	return list[:min(len(list), mostAlgorithms)]
}

// byAlgorithm lists experiments that carry out a kind of collective by an algorithm: each of its programs that is
// this collective, or, if none is, all calls.
func byAlgorithm(e *experiment.Experiment, kind, name string) (list []Alternative) {
	words, programs := fmt.Sprintf("%s by %s", kind, name), 0
	add := func(words string, w *experiment.Workload, changed func(*experiment.Experiment) *experiment.Workload) {
		if w.Program != kind {
			return
		}
		if programs++; w.Algorithm != name {
			other := *e
			changed(&other).Algorithm = name
			list = append(list, Alternative{Change: words, Experiment: other})
		}
	}
	add(words, &e.Workload, func(other *experiment.Experiment) *experiment.Workload { return &other.Workload })
	for i := range e.Jobs {
		add(words+" in job "+e.Jobs[i].Name, &e.Jobs[i].Workload, func(other *experiment.Experiment) *experiment.Workload {
			other.Jobs = slices.Clone(e.Jobs)
			return &other.Jobs[i].Workload
		})
	}
	if programs == 0 {
		other := *e
		other.Collectives.Each()[slices.Index(collective.Kinds(), collective.Kind(kind))].Algorithm = name
		list = append(list, Alternative{Change: words, Experiment: other})
	}
	return list
}

// fewerJobs lists experiments without one of the jobs.
func fewerJobs(e *experiment.Experiment) (list []Alternative) {
	if len(e.Jobs) < 2 {
		return nil
	}
	for i := range e.Jobs[:min(len(e.Jobs), mostJobs)] {
		words := fmt.Sprintf("without job %s", e.Jobs[i].Name)
		list = append(list, Alternative{Change: words, Experiment: e.WithoutJob(i)})
	}
	return list
}
