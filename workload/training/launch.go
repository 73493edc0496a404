package training

import (
	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/mpi"
	"fabricast/node"
)

// Sums of ops.Count: the time of computations, and from exposed on what the first stream waits for
// each Dimension. All are in ps.
const (
	computed = iota
	exposed
)

// program is what all ranks of a run share.
type program struct {
	scripts  []*script
	layout   layout
	sent     int64 // bytes of a message of the pipeline
	steps    int
	awaits   bool // a stage that has sent waits until it has left
	groups   *mpi.Groups
	first    [families]int // index of the first group of each family
	apart    int           // by how much the indices of the second lane's groups are larger
	ring     collective.Algorithm
	contexts int
}

// Launch returns the launcher of so many steps of a resolved job. Collectives use the algorithms of
// the table, or rings if it is nil.
func (j *Job) Launch(steps int, table *tables.Table) node.Launcher {
	l := j.layout()
	members, first := l.members()
	apart := 0
	if j.mirrored() { // passes that proceed together have groups of their own
		apart = len(members) - 1
		members = append(members, members[1:]...)
	}
	p := &program{
		apart:   apart,
		scripts: j.scripts(), layout: l, sent: j.sent(), steps: steps, awaits: !j.overlaps(OverlapPipeline),
		groups: mpi.NewGroups(members, table), first: first, contexts: j.Parallel.Context,
	}
	if table == nil {
		p.ring = collective.Ring
	}
	return func(ranks int) func(rank int) node.Program {
		c := &crew{program: p, flows: mpi.NewFlows(ranks)}
		return c.start
	}
}

// crew is what the ranks of a partition block share. Only one of them runs at a time.
type crew struct {
	*program
	flows *mpi.Flows
	comm  mpi.Comm
}

// carryOut calls the collective of an op of a rank.
func (c *crew) carryOut(r *rank, o *op) {
	if o.call >= dispatch {
		exchangeTokens(c.comm.Collective(), r.script.routes[o.n], o.call)
		return
	}
	o.call.On(&c.comm, r.script.of(o, c.layout.placeOf(r.id)), c.ring)
}
