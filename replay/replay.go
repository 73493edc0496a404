package replay

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// Options say how a trace is replayed. The zero value replays it unchanged.
type Options struct {
	// Table and Algorithms choose the algorithms of collectives. Algorithms takes precedence.
	Table      *tables.Table
	Algorithms map[collective.Kind]collective.Algorithm
	Scale      Scale
	// Partial replays a damaged trace up to the damage.
	Partial bool
	// Sets applies to traces of tasks. It makes a rank start all eligible tasks before it checks
	// for arrivals. Otherwise the rank checks after each task.
	Sets bool
}

// Job is a trace that is replayed.
type Job struct {
	trace   trace.Trace
	source  trace.Source // nil if the trace is one of tasks
	graph   trace.Graph  // nil if it is not
	self    int          // index of the communicator for messages of ranks to themselves
	table   *tables.Table
	scale   Scale
	partial bool
	sets    bool

	mutex  sync.Mutex
	left   map[int]leftOut // by rank, for ranks that have ended and omitted something
	damage []*Damage       // by rank
}

// Report counts what a replay has omitted or corrected.
type Report struct {
	Faults  trace.Faults
	Skipped map[string]int64 // calls that cannot be replayed, by name
	Damage  []*Damage        // where the traces of ranks ended early in a partial replay, by rank
}

// New prepares the replay of a trace. It returns an error if the options do not match the trace.
func New(t trace.Trace, o Options) (*Job, error) {
	table := o.Table
	for kind, a := range o.Algorithms {
		if table == nil {
			table = tables.Named("default")
		}
		var err error
		if table, err = table.Before(kind, a); err != nil {
			return nil, err
		}
	}
	if err := o.Scale.check(t.Ranks()); err != nil {
		return nil, err
	}
	scale := o.Scale
	if scale.Compute == 0 {
		scale.Compute = 1
	}
	if scale.Messages == 0 {
		scale.Messages = 1
	}
	// the factor by which the computation of the trace has been multiplied
	if s, ok := t.(interface{ ComputeFactor() float64 }); ok && s.ComputeFactor() > 0 {
		scale.Compute /= s.ComputeFactor()
	}
	j := &Job{
		trace:   t,
		self:    len(t.Groups()),
		table:   table,
		scale:   scale,
		partial: o.Partial,
		sets:    o.Sets,
	}
	j.source, _ = t.(trace.Source)
	j.graph, _ = t.(trace.Graph)
	if j.source == nil && j.graph == nil {
		return nil, fmt.Errorf("a trace in the format %s has neither records nor tasks", t.Format())
	}
	return j, nil
}

// Launcher returns the launcher of the ranks' programs. It is for one run.
func (j *Job) Launcher() node.Launcher {
	// the last group, nil, is the rank alone
	groups := mpi.NewGroups(append(slices.Clone(j.trace.Groups()), nil), j.table)
	if j.graph != nil {
		return func(ranks int) func(rank int) node.Program { return newCrew(j, groups, ranks).program }
	}
	return mpi.StepsBy(func() func(rank int) mpi.Steps { return newTroupe(j, groups).steps }, j.table)
}

// Report returns what has been omitted or corrected for ranks that have ended.
func (j *Job) Report() Report {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	all := Report{Skipped: map[string]int64{}, Damage: slices.Clone(j.damage)}
	for _, left := range j.left {
		all.Faults.Add(left.faults)
		for name, n := range left.skipped {
			all.Skipped[name] += n
		}
	}
	return all
}

// leftOut counts what has been omitted for a rank that has ended.
type leftOut struct {
	faults  trace.Faults
	skipped map[string]int64
}

// ended records what has been omitted for a rank. A rank that is rolled back may end again.
func (j *Job) ended(rank int, f trace.Faults, skipped map[string]int64) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if f == (trace.Faults{}) && len(skipped) == 0 {
		delete(j.left, rank)
		return
	}
	if j.left == nil {
		j.left = map[int]leftOut{}
	}
	j.left[rank] = leftOut{f, maps.Clone(skipped)}
}

// goesOn discards the record of a rank's end, because the rank has been rolled back.
func (j *Job) goesOn(rank int) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	delete(j.left, rank)
	j.damage = slices.DeleteFunc(j.damage, func(d *Damage) bool { return d.Rank == rank })
}

// communicator returns the index of the communicator in which messages of a group are matched.
func (j *Job) communicator(group int32) int {
	if group == trace.Self {
		return j.self
	}
	return int(group)
}

// tag returns a message's tag. Negative tags, which MPI does not allow, are mapped into its range.
func tag(m *trace.Message) int {
	if m.Tag == trace.Any {
		return mpi.AnyTag
	}
	return int(m.Tag) & math.MaxInt32
}
