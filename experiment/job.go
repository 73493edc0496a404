package experiment

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
)

// Job is one of several programs that run concurrently on one network, each on its own hosts. It
// runs exactly one of Workload, Program, Launch, Trace, Command and Traffic.
type Job struct {
	Name     string   `yaml:"name"` // default: "job" and its index in the list
	Workload Workload `yaml:"workload,omitempty"`
	// Program and Launch are as in Experiment. For a Trace or a Command, Launch is the launcher
	// created from it.
	Program func(*mpi.Rank) `yaml:"-"`
	Launch  node.Launcher   `yaml:"-"`
	// Common is the state shared by the ranks of Launch, as in Experiment.
	Common node.Common `yaml:"-"`
	// Again, if set, creates another launcher like Launch, to run the job a second time alone.
	Again func() (node.Launcher, error) `yaml:"-"`
	// TwoSided is the same promise as in Experiment.
	TwoSided bool  `yaml:"-"`
	Trace    Trace `yaml:"trace,omitempty"`
	// Command is a C program and its arguments.
	Command []string `yaml:"command,flow,omitempty"`
	// Traffic is synthetic traffic among Ranks hosts, as background for other jobs.
	Traffic Traffic `yaml:"traffic,omitempty"`
	// Duration is how long Traffic lasts; 0 means until all jobs with ranks have ended.
	Duration units.Time `yaml:"duration,omitempty"`

	Ranks     int        `yaml:"ranks,omitempty"` // for a Trace: set from the trace
	Placement Placement  `yaml:"placement"`
	PerNode   int        `yaml:"per_node,omitempty"` // ranks per host; default: Node.Ranks
	Start     units.Time `yaml:"start,omitempty"`
	// Class is that of the job's messages, but for those to which Experiment.Classes gives one.
	Class int `yaml:"class,omitempty"`
	// Seed of all random numbers in the job. Default: the experiment's seed plus the job's index.
	Seed uint64 `yaml:"seed"`

	// The following fields are as in Experiment. Jobs that do not set Collectives, Compute or
	// Payload use those of the experiment.
	Imbalance   Imbalance   `yaml:"imbalance,omitempty"`
	Checkpoint  Checkpoint  `yaml:"checkpoint,omitempty"`
	Collectives Collectives `yaml:"collectives,omitempty"`
	Compute     Compute     `yaml:"compute,omitempty"`
	Payload     string      `yaml:"payload,omitempty"`
}

// Trace is a trace that a job replays (docs/traces.md).
type Trace struct {
	File string `yaml:"file,omitempty" scalar:"true"` // the trace, or its folder
	// Operations that a rank computes per second, for traces that count them; 0 means 1e9.
	Operations Operations `yaml:"operations,omitempty"`
	Partial    bool       `yaml:"partial,omitempty"`   // replay the intact part of a damaged trace
	TaskSets   bool       `yaml:"task_sets,omitempty"` // start all tasks that are ready before handling received messages
	// Messages multiplies the sizes of messages and collectives; 0 means 1.
	Messages Factor `yaml:"scale_messages,omitempty"`
	// Compute multiplies the computation time, by name of a code region or by rank.
	Compute map[string]Factor `yaml:"scale_compute,omitempty"`
}

// Operations is a number of operations per second.
type Operations float64

// Set implements config.Setter.
func (o *Operations) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= maxOperations) {
		return &units.Error{Found: text, Expected: "a number above 0, such as 2.5e9"}
	}
	*o = Operations(n)
	return nil
}

const maxOperations = 1e18

// Placement selects the hosts of a job. Jobs never share hosts.
type Placement struct {
	Order string `yaml:"order,omitempty" scalar:"true"`
	// From is the first host that may be used, with linear and contiguous.
	From int `yaml:"from,omitempty"`
	// Group is the number of hosts per group, with random-groups, if the topology has no groups of
	// its own.
	Group int `yaml:"group,omitempty"`
	// File has "rank host" records, or, with Hosts, host names as a batch system lists them.
	File string `yaml:"file,omitempty"`
	// Hosts is a file of "name host" records that map the names in File to host IDs.
	Hosts string `yaml:"hosts,omitempty"`
}

// Values of Placement.Order.
const (
	PlacementLinear     = "linear"         // free hosts in the order of their IDs
	PlacementContiguous = "contiguous"     // consecutive hosts
	PlacementNodes      = "random-nodes"   // any free hosts
	PlacementRouters    = "random-routers" // free hosts, router by router
	PlacementGroups     = "random-groups"  // free hosts, group by group
)

// placements lists the orders as error messages name them.
var placements = []string{
	PlacementLinear, PlacementContiguous, PlacementNodes, PlacementRouters, PlacementGroups,
}

// JobFields lists the names of the fields of a job.
func JobFields() (names []string) {
	t := reflect.TypeFor[Job]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// HasJobs reports whether the experiment consists of several jobs.
func (e *Experiment) HasJobs() bool { return len(e.Jobs) > 0 }

// Replays reports whether the job replays a trace.
func (j *Job) Replays() bool { return j.Trace.File != "" }

// HasTraffic reports whether the job is synthetic traffic instead of a program.
func (j *Job) HasTraffic() bool { return !j.Traffic.isZero() }

// Opened reports whether the job can run as it is, without a trace or C program that must be opened
// first.
func (j *Job) Opened() bool { return j.Launch != nil || !j.Replays() && len(j.Command) == 0 }

// Opened reports whether the program and all jobs can run as they are (see Job.Opened).
func (e *Experiment) Opened() bool {
	return (e.Launch != nil || e.Workload.Command == "") && !slices.ContainsFunc(e.Jobs, func(j Job) bool { return !j.Opened() })
}

// hosts returns the number of hosts that the job occupies, or 0 if that is not known yet.
func (j *Job) hosts() int {
	if j.HasTraffic() {
		return j.Ranks
	}
	return (j.Ranks + j.PerNode - 1) / max(1, j.PerNode)
}

// TotalRanks returns the number of ranks, summed over all jobs.
func (e *Experiment) TotalRanks() int {
	n := e.Ranks
	for i := range e.Jobs {
		if !e.Jobs[i].HasTraffic() {
			n += e.Jobs[i].Ranks
		}
	}
	return n
}

// jobPath returns the path of a field of job i, or of the job itself if field is "".
func jobPath(i int, field string) string {
	path := index("jobs", i)
	if field != "" {
		path += "." + field
	}
	return path
}

// notOpened is the launcher of a trace or C program that has not been opened.
func notOpened(int) func(int) node.Program {
	return func(int) node.Program { panic("experiment: a job that has not been opened runs") }
}

// runsElsewhere holds, by field, error texts that say where traces and C programs belong: in a job
// or on the command line.
var runsElsewhere = map[string]string{
	"command": "workload: {command: ./prog}, or a job: jobs: [{command: [./prog], ranks: 4}]",
	"trace":   "a job: jobs: [{trace: PATH}], or no trace: fabricast run FILE.yaml --trace PATH",
}

// sayWhereRun sets the expected text of problems with fields that exist only in jobs but were used
// elsewhere.
func sayWhereRun(problems config.Problems) {
	for i := range problems {
		p := &problems[i]
		_, field, nested := strings.Cut(p.Field, "workload.")
		if !nested {
			field = p.Field
		}
		if expected := runsElsewhere[field]; expected != "" && p.Unknown() {
			p.Expected, p.Hint = expected, ""
		}
	}
}
