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

// Job is one of several programs that run at once on one network, each on hosts of its own. What it
// runs is one of Workload, Program, Launch, Trace, Command and Traffic.
type Job struct {
	Name     string   `yaml:"name"` // default: job0 and so on, by its place in the list
	Workload Workload `yaml:"workload,omitempty"`
	// Program is what every rank runs, and Launch what makes that, as of an Experiment. With a
	// Trace or a Command, Launch is what has been made of it.
	Program func(*mpi.Rank) `yaml:"-"`
	Launch  node.Launcher   `yaml:"-"`
	// Common is what the ranks of Launch share, as of an Experiment.
	Common node.Common `yaml:"-"`
	// Again, if it is set, makes anew what Launch is, to run the job once more alone.
	Again func() (node.Launcher, error) `yaml:"-"`
	// TwoSided promises what that of an Experiment does.
	TwoSided bool  `yaml:"-"`
	Trace    Trace `yaml:"trace,omitempty"`
	// Command is a program in C and its arguments.
	Command []string `yaml:"command,flow,omitempty"`
	// Traffic is synthetic traffic among Ranks hosts, in the background of other jobs.
	Traffic Traffic `yaml:"traffic,omitempty"`
	// Duration is how long Traffic goes on; 0: until all jobs with ranks have ended.
	Duration units.Time `yaml:"duration,omitempty"`

	Ranks     int        `yaml:"ranks,omitempty"` // of a Trace: those of the trace
	Placement Placement  `yaml:"placement"`
	PerNode   int        `yaml:"per_node,omitempty"` // ranks of a host; default: Node.Ranks
	Start     units.Time `yaml:"start,omitempty"`
	// Seed is of everything random in the job; default: that of the experiment plus the job's place
	// in the list
	Seed uint64 `yaml:"seed"`

	// What follows is as that of an Experiment, which holds for jobs that have none.
	Imbalance   Imbalance   `yaml:"imbalance,omitempty"`
	Collectives Collectives `yaml:"collectives,omitempty"`
	Compute     Compute     `yaml:"compute,omitempty"`
	Payload     string      `yaml:"payload,omitempty"`
}

// Trace is a trace that a job replays (docs/traces.md).
type Trace struct {
	File string `yaml:"file,omitempty" scalar:"true"` // or its folder
	// Operations a rank computes in a second, of traces that count them; 0: 1e9
	Operations Operations `yaml:"operations,omitempty"`
	Partial    bool       `yaml:"partial,omitempty"`   // replay a damaged trace up to the damage
	TaskSets   bool       `yaml:"task_sets,omitempty"` // start all tasks that are ready at once
	// Messages multiplies the sizes of messages and collectives; 0: 1
	Messages Factor `yaml:"scale_messages,omitempty"`
	// Compute multiplies the computation of regions, by their names, and of ranks, by their
	// numbers.
	Compute map[string]Factor `yaml:"scale_compute,omitempty"`
}

// Operations are operations per second.
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

// Placement says which hosts a job gets. Hosts are never shared by jobs.
type Placement struct {
	Order string `yaml:"order,omitempty" scalar:"true"`
	// linear, contiguous: the first host that may be taken
	From int `yaml:"from,omitempty"`
	// random-groups: hosts of a group, where the topology has no groups of its own
	Group int `yaml:"group,omitempty"`
	// of "rank host" records; with Hosts, of names of hosts as a batch system writes them
	File string `yaml:"file,omitempty"`
	// of "name host" records, which map the names in File to hosts
	Hosts string `yaml:"hosts,omitempty"`
}

// Orders of placements.
const (
	PlacementLinear     = "linear"         // free hosts by number
	PlacementContiguous = "contiguous"     // hosts that follow one another
	PlacementNodes      = "random-nodes"   // any free hosts
	PlacementRouters    = "random-routers" // free hosts, router by router
	PlacementGroups     = "random-groups"  // free hosts, group by group
)

// placements are the orders, as messages name them.
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

// HasJobs reports whether the experiment is about several jobs.
func (e *Experiment) HasJobs() bool { return len(e.Jobs) > 0 }

// Replays reports whether the job replays a trace.
func (j *Job) Replays() bool { return j.Trace.File != "" }

// HasTraffic reports whether the job is synthetic traffic.
func (j *Job) HasTraffic() bool { return !j.Traffic.isZero() }

// Opened reports whether nothing has to be opened before the job can run.
func (j *Job) Opened() bool { return j.Launch != nil || !j.Replays() && len(j.Command) == 0 }

// Opened reports whether nothing has to be opened before the experiment can run.
func (e *Experiment) Opened() bool {
	return !slices.ContainsFunc(e.Jobs, func(j Job) bool { return !j.Opened() })
}

// hosts is how many hosts the job takes; 0 while that is not known.
func (j *Job) hosts() int {
	if j.HasTraffic() {
		return j.Ranks
	}
	return (j.Ranks + j.PerNode - 1) / max(1, j.PerNode)
}

// TotalRanks is the number of ranks, of all jobs if there are several.
func (e *Experiment) TotalRanks() int {
	n := e.Ranks
	for i := range e.Jobs {
		if !e.Jobs[i].HasTraffic() {
			n += e.Jobs[i].Ranks
		}
	}
	return n
}

// jobPath is the path of a job's field; of the job itself if that is "".
func jobPath(i int, field string) string {
	path := index("jobs", i)
	if field != "" {
		path += "." + field
	}
	return path
}

// notOpened stands for what a trace or a program in C will run.
func notOpened(int) func(int) node.Program {
	return func(int) node.Program { panic("experiment: a job that has not been opened runs") }
}

// runsElsewhere says where to write what only jobs can run, and its short form on the command line.
var runsElsewhere = map[string]string{
	"command": "a job: jobs: [{command: [./prog], ranks: 4}], or no command: fabricast run FILE.yaml -n 4 -- ./prog",
	"trace":   "a job: jobs: [{trace: PATH}], or no trace: fabricast run FILE.yaml --trace PATH",
}

// sayWhereRun has problems with unknown fields that jobs have, as those of what they run, say what
// to write.
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
