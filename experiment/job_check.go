package experiment

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

var jobName = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// jobCheck checks one job of an experiment.
type jobCheck struct {
	*validator
	i int // index of the job
}

// all checks the whole job. names holds the names of the preceding jobs; all adds this job's name.
func (v jobCheck) all(topologyRight bool, names map[string]int) {
	e := v.e
	j := &e.Jobs[v.i]
	if v.demand(
		jobName().MatchString(j.Name) && len(j.Name) <= maxJobName, jobPath(v.i, "name"), j.Name,
		"a name of letters, digits, '-', '_' and '.', such as stencil",
	) {
		if other, taken := names[j.Name]; taken {
			v.problem(
				jobPath(v.i, "name"), j.Name, "a name that no other job has",
				fmt.Sprintf("%s has it too", jobPath(other, "")),
			)
		}
		names[j.Name] = v.i
	}
	v.demand(
		j.Start >= 0 && j.Start <= maxStart, jobPath(v.i, "start"), j.Start,
		"a time from 0ps to "+maxStart.String(),
	)
	v.jobClass(jobPath(v.i, "class"), j)
	v.placement()
	if !v.whatRuns() {
		return
	}
	traffic := e.positions.Has(jobPath(v.i, "traffic")) || j.HasTraffic()
	v.demand(
		j.Duration == 0 || traffic, jobPath(v.i, "duration"), j.Duration,
		"none: the job ends when its ranks end",
	)
	v.demand(
		j.Duration >= 0 && j.Duration <= maxStart, jobPath(v.i, "duration"), j.Duration,
		"a time from 0ps to "+maxStart.String(),
	)
	unknown := j.Replays() && j.Launch == nil && j.Ranks == 0 // the number of ranks is unknown until the trace is opened
	right := v.between(jobPath(v.i, "per_node"), j.PerNode, 1, maxShare)
	if !unknown {
		most := MaxHosts
		right = v.demand(
			j.Ranks >= 1 &&
				j.Ranks <= most,
			jobPath(v.i, "ranks"),
			orNothing(j.Ranks, e.positions.Has(jobPath(v.i, "ranks"))),
			fmt.Sprintf("a number from 1 to %d", most),
		) && right
	}
	if j.Imbalance.Width.Share != 0 && j.Imbalance.Of == 0 {
		v.problem(
			jobPath(v.i, "imbalance.of"), "", "the job's time without imbalance and noise",
			"or give the width as a time",
		)
		return
	}
	if right && topologyRight {
		v.within(unknown, traffic)
	}
}

// orNothing formats n as found in the experiment, or returns "" if it was not given.
func orNothing(n int, given bool) string {
	if n == 0 && !given {
		return ""
	}
	return fmt.Sprint(n)
}

// whatRuns checks that the job runs exactly one thing, and reports whether it does.
func (v jobCheck) whatRuns() bool {
	e, j := v.e, &v.e.Jobs[v.i]
	var found []string
	for _, what := range []struct {
		name  string
		given bool
	}{
		{"workload", !reflect.ValueOf(j.Workload).IsZero() || e.positions.Has(jobPath(v.i, "workload"))},
		{"a function in Go", j.Program != nil || j.Launch != nil && !j.Replays() && len(j.Command) == 0},
		{"trace", j.Replays() || e.positions.Has(jobPath(v.i, "trace"))},
		{"command", len(j.Command) > 0 || e.positions.Has(jobPath(v.i, "command"))},
		{"traffic", j.HasTraffic() || e.positions.Has(jobPath(v.i, "traffic"))},
	} {
		if what.given {
			found = append(found, what.name)
		}
	}
	if len(found) != 1 {
		v.problem(
			jobPath(v.i, ""), strings.Join(found, " and "), "one of workload, trace, command and traffic", "",
		)
		return false
	}
	switch found[0] {
	case "workload":
		return v.demand(
			j.Workload.Command == "", jobPath(v.i, "workload.command"), string(j.Workload.Command),
			"the words of the command in the job, such as command: [./cg, 32]",
		)
	case "trace":
		return v.trace()
	case "command":
		return v.demand(
			len(j.Command) > 0 && j.Command[0] != "", jobPath(v.i, "command"), "",
			"a program in C and its arguments, such as [./cg, 32]",
		)
	}
	return true
}

// trace checks the fields of the job's trace, and reports whether it has a file.
func (v jobCheck) trace() bool {
	j := &v.e.Jobs[v.i]
	for _, name := range slices.Sorted(maps.Keys(j.Trace.Compute)) {
		v.demand(
			name != "" && j.Trace.Compute[name] > 0, jobPath(v.i, "trace.scale_compute."+name),
			float64(j.Trace.Compute[name]), "a number above 0",
		)
	}
	return v.demand(j.Trace.File != "", jobPath(v.i, "trace.file"), "", "the file or folder of a trace")
}

// placement checks the fields that select the hosts of the job.
func (v jobCheck) placement() {
	p := &v.e.Jobs[v.i].Placement
	path := jobPath(v.i, "placement")
	if p.File != "" {
		v.demand(
			p.Order == "" && p.From == 0 && p.Group == 0, path, "both an order and a file", "one of them",
		)
		return
	}
	v.demand(
		p.Hosts == "",
		path+".hosts",
		p.Hosts,
		"none without a file of the names of hosts (placement.file)",
	)
	known := placements
	if !slices.Contains(known, p.Order) {
		hint := config.DidYouMean(p.Order, known)
		if hint == "" {
			hint = "a file is given as placement: {file: PATH}"
		}
		v.problem(path+".order", p.Order, config.OneOf(known)+", or {file: PATH}", hint)
		return
	}
	ordered := p.Order == PlacementLinear || p.Order == PlacementContiguous
	v.demand(ordered || p.From == 0, path+".from", p.From, "none with "+p.Order)
	v.demand(p.From >= 0 && p.From <= MaxHosts, path+".from", p.From, "the number of a host")
	v.demand(
		p.Order == PlacementGroups || p.Group == 0, path+".group", p.Group, "none with "+p.Order,
	)
	v.demand(p.Group >= 0 && p.Group <= MaxHosts, path+".group", p.Group, "a number of hosts")
}

// within checks the program or traffic of the job as if the job ran alone.
func (v jobCheck) within(unknown, traffic bool) {
	e := v.e
	one := e.alone(v.i)
	inner := &validator{e: one}
	inner.imbalance()
	inner.inC()
	switch {
	case traffic:
		one.Ranks = 0
		inner.traffic()
		inner.demand(
			!one.Collectives.PacesAny(), "collectives", "pacing of collectives",
			"none with synthetic traffic, which calls no collectives",
		)
		if one.Traffic.Pattern.Parts != nil {
			inner.problem(
				"traffic.pattern.name",
				one.Traffic.Pattern.Name,
				"a pattern of hosts by their numbers",
				"",
			)
		}
	case unknown:
		inner.collectives()
	case inner.ranks():
		inner.collectives()
		inner.workload()
	}
	for _, p := range inner.problems {
		p.Field = e.fieldOfJob(v.i, p.Field)
		if !slices.ContainsFunc(v.problems, func(q config.Problem) bool { return q == p }) {
			v.problems = append(v.problems, p)
		}
	}
	if len(inner.problems) == 0 {
		e.Jobs[v.i].takeFrom(one)
	}
}
