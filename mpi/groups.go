package mpi

import (
	"sync"
	"sync/atomic"

	"fabricast/collective/tables"
	"fabricast/node"
)

// Groups holds communicators that are known before a run, such as those of a trace. All ranks of a
// run share one Groups, even if parts of the run have separate worlds. Creating its communicators
// needs no communication.
type Groups struct {
	members [][]int32
	table   *tables.Table
	first   atomic.Pointer[node.World] // the first world whose ranks use it
	others  sync.Map                   // all other worlds whose ranks use it
	mutex   sync.Mutex
	groups  []*group // by list; for a nil list the group of the world
	plain   []*group // by list: a group of all ranks in world order, with contexts of its own
	places  []map[int32]int32
}

// NewGroups makes a communicator for each list of world ranks in members; the order of a list is
// the rank order of its communicator. A nil list means all ranks in world order. table selects the
// algorithms of collectives; if it is nil, the collectives' defaults apply.
func NewGroups(members [][]int32, table *tables.Table) *Groups {
	return &Groups{members: members, table: table}
}

// Settle assigns context IDs in world w to all communicators, unless that has been done. The first
// use of a communicator does so, too.
func (g *Groups) Settle(w *node.World) { g.settle(w, w.Ranks()) }

// settle assigns context IDs to all communicators at once. So the IDs do not depend on which rank
// comes first, and are the same in every world.
func (g *Groups) settle(w *node.World, ranks int) {
	if g.first.Load() == w {
		return
	}
	if _, known := g.others.Load(w); known {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	switch first := g.first.Load(); {
	case first == w:
	case first == nil:
		for _, list := range g.members {
			g.make(w, list, ranks)
		}
		g.first.Store(w)
	default:
		if _, known := g.others.Load(w); known {
			return
		}
		for _, list := range g.members {
			w.KnownContexts(nil)
			if list != nil {
				w.KnownContexts(list)
			}
		}
		g.others.Store(w, true)
	}
}

// make makes the communicators for a list of world ranks.
func (g *Groups) make(w *node.World, list []int32, ranks int) {
	g.plain = append(g.plain, &group{size: ranks, context: w.KnownContexts(nil), table: g.table})
	if list == nil {
		g.groups, g.places = append(g.groups, g.plain[len(g.plain)-1]), append(g.places, nil)
		return
	}
	places := map[int32]int32{}
	for i, r := range list {
		places[r] = int32(i)
	}
	g.groups = append(g.groups, &group{
		ranks: list, size: len(list), context: w.KnownContexts(list), table: g.table,
	})
	g.places = append(g.places, places)
}

// Comm returns rank r's handle of the communicator of list i, or nil if r is not in the list.
func (g *Groups) Comm(r *Rank, i int) *Comm {
	c := new(Comm)
	if !g.SetComm(c, r, i) {
		return nil
	}
	return c
}

// SetComm stores in c the handle that Comm would return. It returns false if r is not in list i.
func (g *Groups) SetComm(c *Comm, r *Rank, i int) (member bool) {
	world := r.ops.World()
	g.settle(world, r.ops.Ranks())
	me := int32(r.ops.Rank())
	if places := g.places[i]; places != nil {
		place, member := places[me]
		if !member {
			return false
		}
		me = place
	}
	*c = Comm{rank: r, group: g.groups[i], me: me}
	return true
}

// Plain returns a communicator of all ranks in world order. Its messages match only messages in the
// Plain communicator of the same list. It serves messages whose source and destination are given as
// world ranks.
func (g *Groups) Plain(r *Rank, i int) *Comm {
	c := new(Comm)
	g.SetPlain(c, r, i)
	return c
}

// SetPlain stores in c the handle that Plain would return.
func (g *Groups) SetPlain(c *Comm, r *Rank, i int) {
	g.settle(r.ops.World(), r.ops.Ranks())
	*c = Comm{rank: r, group: g.plain[i], me: int32(r.ops.Rank())}
}

// Fail ends the rank's program, and the run, with err. The program must return after the call.
func (r *Rank) Fail(err error) {
	if r.begin() {
		r.ops.Fail(err)
	}
}
