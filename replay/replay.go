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

// Options specify how to replay a trace. The zero value replays it unchanged.
type Options struct {
	// Table and Algorithms select the algorithms of collectives. Algorithms takes precedence.
	Table      *tables.Table
	Algorithms map[collective.Kind]collective.Algorithm
	Scale      Scale
	// Partial means to replay a damaged trace up to the damage, instead of failing.
	Partial bool
	// Sets applies to traces of tasks. It makes a rank start all eligible tasks before it checks
	// for received messages and other completed operations. Otherwise the rank checks after each
	// task.
	Sets bool
}

// Job is the replay of a trace.
type Job struct {
	trace   trace.Trace
	source  trace.Source // nil for a trace of tasks
	graph   trace.Graph  // nil for a trace of records
	self    int          // index of the communicator of the rank alone, see trace.Self
	table   *tables.Table
	scale   Scale
	partial bool
	sets    bool

	mutex  sync.Mutex
	left   map[int]leftOut // by rank, only for ranks that have ended
	damage []*Damage       // ordered by rank
}

// Report counts the parts of a trace that a replay has omitted or corrected.
type Report struct {
	Faults  trace.Faults
	Skipped map[string]int64 // number of calls that cannot be replayed, by name
	Damage  []*Damage        // damage found in a partial replay, ordered by rank
}

// New returns a Job that replays trace t. It returns an error if the options are not valid for the
// trace.
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
	// undo the factor by which the recorded run multiplied computation times
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

// Launcher returns a launcher of the programs of all ranks. It can be used for one run.
func (j *Job) Launcher() node.Launcher {
	// the last group, nil, is for messages of a rank to itself
	groups := mpi.NewGroups(append(slices.Clone(j.trace.Groups()), nil), j.table)
	if j.graph != nil {
		return func(ranks int) func(rank int) node.Program { return newCrew(j, groups, ranks).program }
	}
	return mpi.StepsBy(func() func(rank int) mpi.Steps { return newTroupe(j, groups).steps }, j.table)
}

// Report returns the sum of the counts of all ranks that have ended.
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

// leftOut holds the counts of a rank for Report.
type leftOut struct {
	faults  trace.Faults
	skipped map[string]int64
}

// ended stores the counts of a rank that has ended. If the rank is rolled back and ends again, they
// are replaced.
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

// goesOn discards the counts and the damage of a rank that has been rolled back.
func (j *Job) goesOn(rank int) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	delete(j.left, rank)
	j.damage = slices.DeleteFunc(j.damage, func(d *Damage) bool { return d.Rank == rank })
}

// communicator returns the index of the communicator for messages of a group.
func (j *Job) communicator(group int32) int {
	if group == trace.Self {
		return j.self
	}
	return int(group)
}

// tag returns the tag of message m for package mpi. Negative tags, which MPI does not allow, are
// mapped to non-negative ones.
func tag(m *trace.Message) int {
	if m.Tag == trace.Any {
		return mpi.AnyTag
	}
	return int(m.Tag) & math.MaxInt32
}
