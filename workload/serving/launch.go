package serving

import (
	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/mpi"
	"fabricast/node"
)

// Sums of ops.Count: the time of computations, and from exposed on what ranks wait for each
// Dimension. All are in ps.
const (
	computed = iota
	exposed
)

// Lists of groups: letters and keys and values have all ranks, and then come tensor groups and groups
// of ranks at the same place of an instance's tensor groups.
const (
	lettersList = iota
	cacheList
	firstGroup
)

// program is what all ranks of a run share.
type program struct {
	job      *Job
	requests []Request
	capacity int64
	groups   *mpi.Groups
	ring     collective.Algorithm
	layout
}

// Launch returns the launcher of a resolved job for the given number of ranks. Collectives use the
// algorithms of the table, or rings if it is nil.
func (j *Job) Launch(ranks int, table *tables.Table) node.Launcher {
	l := j.layout(ranks)
	p := &program{
		job: j, requests: j.requests(), capacity: j.Capacity(), layout: l,
		groups: mpi.NewGroups(append([][]int32{nil, nil}, l.members()...), table),
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
	// known are the operations of the last iteration that a rank of the block has begun, which other
	// ranks of its group need, too.
	known struct {
		shape shape
		parts []part
	}
}

// partsOf returns the operations of an iteration.
func (c *crew) partsOf(s *shape) []part {
	if c.known.parts == nil || c.known.shape != *s {
		c.known.shape, c.known.parts = *s, c.job.parts(s)
	}
	return c.known.parts
}

// layout says where ranks are. Rank = tensor + T (group + E instance); instances for prompts come
// before those for the tokens after the first.
type layout struct {
	tensor, expert, instances int
	prefill, decode           int // 0: every instance does both
}

func (j *Job) layout(ranks int) layout {
	return layout{j.Tensor, j.Expert, ranks / (j.Tensor * j.Expert), j.Pools.Prefill, j.Pools.Decode}
}

// pooled reports whether prompts and the tokens after the first have instances of their own.
func (l *layout) pooled() bool { return l.prefill > 0 }

func (l *layout) instanceOf(rank int) int { return rank / (l.tensor * l.expert) }
func (l *layout) groupOf(rank int) int    { return rank / l.tensor % l.expert }

// rankOf returns the rank at a place of a tensor group of an instance.
func (l *layout) rankOf(instance, group, place int) int {
	return place + l.tensor*(group+l.expert*instance)
}

// decodes reports whether an instance only generates tokens after the first.
func (l *layout) decodes(instance int) bool { return l.pooled() && instance >= l.prefill }

// prompter returns the instance that processes the prompt of a request, and speaker that which
// generates the tokens after the first: requests go round.
func (l *layout) prompter(request int) int {
	if l.pooled() {
		return request % l.prefill
	}
	return request % l.instances
}

func (l *layout) speaker(request int) int {
	if l.pooled() {
		return l.prefill + request%l.decode
	}
	return request % l.instances
}

// members lists the ranks of all tensor groups, and then those of all groups of ranks at the same
// place.
func (l *layout) members() (lists [][]int32) {
	list := func(n, base, stride int) {
		ranks := make([]int32, n)
		for i := range ranks {
			ranks[i] = int32(base + i*stride)
		}
		lists = append(lists, ranks)
	}
	for g := range l.expert * l.instances {
		list(l.tensor, g*l.tensor, 1)
	}
	for i := range l.instances {
		for place := range l.tensor {
			list(l.expert, l.rankOf(i, 0, place), l.tensor)
		}
	}
	return lists
}

// groupFor returns the list of members of a rank's group of a dimension.
func (l *layout) groupFor(d Dimension, rank int) int {
	if d == Tensor {
		return firstGroup + rank/l.tensor
	}
	return firstGroup + l.expert*l.instances + l.instanceOf(rank)*l.tensor + rank%l.tensor
}
