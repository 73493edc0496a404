package experiment

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Limits of jobs.
const (
	maxJobs    = 1024
	maxStart   = 100 * units.Second
	maxJobName = 64
)

// jobFields lists the fields that a job and an experiment have in common.
var jobFields = []string{
	"workload", "traffic", "ranks", "imbalance", "checkpoint", "collectives", "compute", "payload", "seed",
}

// inherited lists the fields that a job takes from the experiment if it does not set them.
var inherited = []string{"collectives", "compute", "payload"}

// alone returns an experiment that consists of job i only. Its ranks run on the first hosts.
func (e *Experiment) alone(i int) *Experiment {
	j := &e.Jobs[i]
	one := *e
	one.Jobs, one.jobOf = nil, jobPath(i, "")
	one.Workload, one.Program, one.Launch, one.TwoSided = j.Workload, j.Program, j.Launch, j.TwoSided
	one.Common = j.Common
	if one.Launch == nil && !j.Opened() {
		one.Launch = notOpened
	}
	one.Command = strings.Join(j.Command, " ")
	one.Traffic, one.Ranks, one.Seed, one.Imbalance = j.Traffic, j.Ranks, j.Seed, j.Imbalance
	one.Checkpoint = j.Checkpoint
	one.Collectives, one.Compute, one.Payload = j.Collectives, j.Compute, j.Payload
	one.Mapping, one.Node.Ranks = Mapping{Order: MappingLinear}, max(1, j.PerNode)
	if j.HasTraffic() {
		one.Ranks, one.Node.Ranks, one.Noise, one.Classes = 0, 1, Noise{}, nil
		one.Node.Protocol = Protocol{}
	}
	one.positions = e.jobPositions(i)
	one.defaults, one.derived = maps.Clone(e.defaults), maps.Clone(e.derived)
	return &one
}

// jobPositions returns the positions of the fields of job i, by their paths in the experiment that
// alone returns.
func (e *Experiment) jobPositions(i int) config.Positions {
	if e.positions == nil {
		return nil
	}
	found := config.Positions{}
	prefix := jobPath(i, "") + "."
	for path, at := range e.positions {
		root := rootOf(path)
		switch rest, ofJob := strings.CutPrefix(path, prefix); {
		case ofJob:
			found[rest] = at
		case slices.Contains(inherited, root) && !e.positions.Has(prefix+root),
			root == "network" || root == "node" || root == "noise" || root == "classes" || root == "faults":
			found[path] = at
		}
	}
	return found
}

// rootOf returns the first component of a path.
func rootOf(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// Job returns an experiment that consists of job i only, on the first hosts of the same network.
func (r *Resolved) Job(i int) *Resolved { return &Resolved{*r.alone(i)} }

// isZero reports whether no field is set.
func (t *Traffic) isZero() bool { return reflect.ValueOf(*t).IsZero() }

// normalizeJobs rewrites the short forms of fields of jobs.
func (e *Experiment) normalizeJobs() {
	if len(e.Jobs) == 0 {
		return
	}
	e.Jobs = slices.Clone(e.Jobs) // the slice may be shared with copies of the experiment
	for i := range e.Jobs {
		j := &e.Jobs[i]
		if path, ok := strings.CutPrefix(j.Placement.Order, filePrefix); ok && j.Placement.File == "" &&
			strings.TrimSpace(path) != "" {
			j.Placement.Order, j.Placement.File = "", strings.TrimSpace(path)
		}
		if j.Workload.Program != "" && j.Workload.Size == 0 && e.positions.Has(jobPath(i, "workload.size")) {
			j.Workload.Empty = true
		}
		j.Collectives.normalize()
	}
}

// jobs fills in the defaults of jobs.
func (f filler) jobs() {
	for i := range f.e.Jobs {
		j := &f.e.Jobs[i]
		give(f, jobPath(i, "name"), &j.Name, fmt.Sprintf("job%d", i))
		give(f, jobPath(i, "per_node"), &j.PerNode, f.e.Node.Ranks)
		give(f, jobPath(i, "seed"), &j.Seed, f.e.Seed+uint64(i))
		if j.Placement == (Placement{}) || j.Placement.Order == "" && j.Placement.File == "" {
			j.Placement.Order = PlacementLinear
		}
		if reflect.ValueOf(j.Collectives).IsZero() {
			j.Collectives = f.e.Collectives
		}
		if reflect.ValueOf(j.Compute).IsZero() {
			j.Compute = f.e.Compute
		}
		if j.Payload == "" {
			j.Payload = f.e.Payload
		}
		one := f.e.alone(i)
		filling := filler{one}
		if j.HasTraffic() {
			filling.traffic(&one.Traffic, one.Network.Packet)
		}
		filling.pacing("workload.pacing", &one.Workload.Pacing)
		filling.collectives(&one.Collectives)
		filling.imbalance(&one.Imbalance)
		filling.checkpoint(&one.Checkpoint)
		j.takeFrom(one)
	}
}

// takeFrom copies the resolved fields back from the experiment that alone returned.
func (j *Job) takeFrom(one *Experiment) {
	j.Workload, j.Traffic = one.Workload, one.Traffic
	j.Imbalance, j.Collectives, j.Checkpoint = one.Imbalance, one.Collectives, one.Checkpoint
}

// jobs checks the jobs, and rejects top-level fields that cannot be combined with jobs.
func (v *validator) jobs(topologyRight bool) {
	e := v.e
	for _, field := range []struct {
		path  string
		given bool
	}{
		{"workload", e.OwnProgram() || !reflect.ValueOf(e.Workload).IsZero()},
		{"traffic", e.HasTraffic()},
		{"ranks", e.Ranks != 0},
		{"mapping", e.Mapping.Order != MappingLinear || e.Mapping.File != "" || e.Mapping.Nodes != ""},
		{"imbalance", e.Imbalance.Given()},
		{"checkpoint", e.Checkpoint.Given()},
	} {
		if field.given {
			v.problem(field.path, field.path+" beside jobs", "none: each job has its own", "")
		}
	}
	n := len(e.Jobs)
	if !v.demand(
		n > 0, "jobs", "no job", "at least one, such as [{program: allreduce, size: 1MiB, ranks: 4}], or no jobs",
	) ||
		!v.demand(n <= maxJobs, "jobs", fmt.Sprintf("%d jobs", n), fmt.Sprintf("at most %d", maxJobs)) {
		return
	}
	names := map[string]int{}
	lasting := false
	for i := range e.Jobs {
		jobCheck{v, i}.all(topologyRight, names)
		lasting = lasting || !e.Jobs[i].HasTraffic() || e.Jobs[i].Duration > 0
	}
	v.demand(
		lasting,
		jobPath(0, "duration"),
		"",
		"a time such as 100us: no other job has ranks, by whose end this one would end",
	)
	v.fitJobs(topologyRight)
}

// fieldOfJob converts a path in the experiment that alone(i) returns to the path in e.
func (e *Experiment) fieldOfJob(i int, path string) string {
	root := rootOf(path)
	switch {
	case path == "node.ranks":
		return jobPath(i, "per_node")
	case slices.Contains(inherited, root) && e.positions.Has(root) && !e.positions.Has(jobPath(i, root)):
		return path
	case slices.Contains(jobFields, root):
		return jobPath(i, path)
	}
	return path
}

// fitJobs checks that the network has enough hosts for all jobs.
func (v *validator) fitJobs(topologyRight bool) {
	if !topologyRight || len(v.problems) > 0 {
		return
	}
	hosts := 0
	for i := range v.e.Jobs {
		before := hosts
		hosts += v.e.Jobs[i].hosts()
		if hosts > v.e.Hosts() {
			v.problem(
				jobPath(i, "ranks"),
				fmt.Sprintf("%d ranks on %d hosts", v.e.Jobs[i].Ranks, v.e.Jobs[i].hosts()),
				fmt.Sprintf(
					"at most the %d hosts that the jobs before it leave of %d",
					v.e.Hosts()-before,
					v.e.Hosts(),
				),
				"each host is used by one job; per_node puts several ranks on one",
			)
			return
		}
	}
}
