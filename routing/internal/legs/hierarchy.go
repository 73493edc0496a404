package legs

import (
	"fmt"
	"math"
	"slices"

	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// Hierarchy is minimal routing on a hierarchy, a network of blocks that an outer topology joins.
// Within a block a packet goes to a router with the external port that the outer topology's minimal
// routing chooses, and leaves by it; the same in every block that it crosses; within the last block
// it goes to the destination. Of several external ports that are on equally short outer routes it
// takes one of the nearest; among equally near ones a hash chooses.
//
// Channels within blocks have classes of their own for the last block, so packets that have arrived
// there do not wait for packets that have further to go. The classes for crossed blocks depend on
// the hierarchy (see transit).
type Hierarchy struct {
	graph        *topology.Graph
	Block, Outer Leg
	torus        *Torus   // outer, if it is one and blocks are its routers; else nil
	Places       []Place  // by router
	Exits        []Exit   // by external port of a block
	entries      []uint16 // if hosted: by block and external port, the outer switch's port
	switches     []int32  // if hosted: by block, its router of the outer topology
	// blocks are hosts of the outer topology, not its routers
	hosted bool
	hierarchyTables
	transit
}

// Place is the block that a router belongs to, and its number there. For a router of the outer
// topology, block is -1 and inner its number in the outer topology.
type Place struct{ Block, Inner int32 }

// Exit is the router and local port of an external port of a block.
type Exit struct {
	Router int32 // within the block
	Port   uint16
}

var _ = register(func(h *topology.Hierarchy, between Ends) (Leg, error) {
	return newHierarchyLeg(h, between)
})

func newHierarchyLeg(h *topology.Hierarchy, between Ends) (*Hierarchy, error) {
	block, err := New(h.Block(), endsOfBlock(h, between))
	if err != nil {
		return nil, fmt.Errorf("in the block: %w", err)
	}
	ofOuter := between
	if !h.Hosted() {
		ofOuter = AnyEnds // each of its routers is a block
	}
	outer, err := New(h.Outer(), ofOuter)
	if err != nil {
		return nil, fmt.Errorf("in the outer topology: %w", err)
	}
	l := &Hierarchy{graph: h.Graph(), Block: block, Outer: outer, hosted: h.Hosted()}
	for r := range h.Graph().Routers {
		b, inner := h.Place(r)
		l.Places = append(l.Places, Place{int32(b), int32(inner)})
	}
	for e := range h.ExternalPorts() {
		router, port := h.Exit(0, e)
		l.Exits = append(l.Exits, Exit{l.Places[router].Inner, uint16(port)})
	}
	if l.hosted {
		l.findEntries(h)
	} else {
		l.torus, _ = outer.(*Torus)
	}
	l.tabulate(h)
	l.transit, err = newTransit(l, h)
	return l, err
}

// endsOfBlock returns the kind of routers at which routes within a block may begin and end: AnyEnds
// if some external port is at a router without hosts, else `between`.
func endsOfBlock(h *topology.Hierarchy, between Ends) Ends {
	hosted := make([]bool, h.Block().Graph().Routers)
	for _, r := range h.Block().Graph().HostedRouters() {
		hosted[r] = true
	}
	for e := range h.ExternalPorts() {
		router, _ := h.Exit(0, e)
		if _, inner := h.Place(router); !hosted[inner] {
			return AnyEnds
		}
	}
	return between
}

// findEntries fills in, for each block, the outer switches and their ports that lead to it.
func (l *Hierarchy) findEntries(h *topology.Hierarchy) {
	g := h.Outer().Graph()
	for b := range h.Blocks() {
		l.switches = append(l.switches, int32(g.HostRouter(b)))
		for e := range l.Exits {
			_, port := g.Local(int(g.NICPort[b*len(l.Exits)+e]))
			l.entries = append(l.entries, uint16(port))
		}
	}
}

// transit holds how channels are divided into classes in blocks that packets only cross.
type transit struct {
	kind transitKind
	// count is the number of groups of channel classes for crossed blocks. Each group has as many
	// classes as the block's own routing.
	count    int
	farthest int    // most hops between blocks
	first    []int8 // transitStage: by dimension of the outer torus, its first class
}

type transitKind uint8

const (
	// transitOne needs one group of classes. Either blocks are never crossed, being hosts of the
	// outer topology. Or blocks are fully connected and joined in a torus, with both ports of a
	// dimension at the same router; then a block is crossed in one hop, and only from a dimension
	// to a later one.
	transitOne transitKind = iota
	// transitStage has a group of classes for each dimension of the outer torus and each side of
	// its dateline.
	transitStage
	// transitHop has a group of classes for each block on the route, and also a class for each link
	// between blocks.
	transitHop
)

// maxHopBlocks is the greatest number of blocks for which the distances between all blocks are
// computed.
const maxHopBlocks = 8192

func newTransit(l *Hierarchy, h *topology.Hierarchy) (transit, error) {
	outer, ok := l.Outer.(*Torus)
	switch {
	case l.hosted || ok && aligned(l, outer):
		return transit{kind: transitOne, count: 1}, nil
	case ok:
		t := transit{kind: transitStage}
		for d, k := range outer.torus.Dims() {
			t.first = append(t.first, int8(t.count))
			t.count++
			if outer.rings && outer.torus.Wraps(d) && k > 1 {
				t.count++
			}
		}
		return t, nil
	}
	n := int32(h.Blocks())
	if n > maxHopBlocks {
		return transit{}, fmt.Errorf("hierarchies of this kind are routed with up to %d blocks, not %d", maxHopBlocks, n)
	}
	t := transit{kind: transitHop}
	for a := range n {
		for b := range n {
			t.farthest = max(t.farthest, l.Outer.Distance(a, b))
		}
	}
	t.count = t.farthest
	return t, nil
}

// aligned reports whether blocks are fully connected and have both external ports of each dimension
// of the outer torus at the same router.
func aligned(l *Hierarchy, outer *Torus) bool {
	if !l.FullBlocks() {
		return false
	}
	for d := range outer.torus.Dims() {
		if l.Exits[2*d].Router != l.Exits[2*d+1].Router {
			return false
		}
	}
	return true
}

// FullBlocks reports whether all routers of a block are connected with one another.
func (l *Hierarchy) FullBlocks() bool {
	full, ok := l.Block.(*hyperxLeg)
	return ok && full.coords.Dims == 1
}

// crossing returns the group of classes for channels within a block that a packet leaves by outer
// hop o, with `left` hops between blocks still to go.
func (t *transit) crossing(o Hop, outer *Torus, left int) int {
	switch t.kind {
	case transitStage:
		dim := o.Port / 2
		stage := int(t.first[dim])
		if outer.rings && outer.wraps[dim] && o.Class == 0 {
			stage++ // past the dateline
		}
		return stage
	case transitHop:
		return t.farthest - left
	}
	return 0
}

func (l *Hierarchy) Classes() int {
	outer := l.Outer.Classes()
	if l.kind == transitHop {
		outer = l.farthest
	}
	return max(outer, (l.count+1)*l.Block.Classes())
}

func (l *Hierarchy) Next(at, to int32, flow uint64) Hop {
	a, b := l.Places[at], l.Places[to]
	if a.Block < 0 {
		if s := l.switchOf(b); s != a.Inner {
			return l.Outer.Next(a.Inner, s, flow)
		}
		n := len(l.Exits)
		return Hop{Port: l.entries[int(b.Block)*n+headers.Pick(flow, at, n)]}
	}
	if a.Block == b.Block {
		return l.last(l.Block.Next(a.Inner, b.Inner, flow))
	}
	o := l.outbound(a, b, flow)
	exit, left := l.Exits[o.Port], l.left(a, b)
	if exit.Router == a.Inner {
		return l.out(exit, o, left)
	}
	return l.crossed(l.Block.Next(a.Inner, exit.Router, flow), o, left)
}

// switchOf returns the number, in the outer topology, of a router that belongs to it, or else of
// the router to which the block is connected.
func (l *Hierarchy) switchOf(p Place) int32 {
	if p.Block < 0 {
		return p.Inner
	}
	return l.switches[p.Block]
}

// outbound returns the outer hop by which packets of a flow leave block a toward block b. It leads
// to one of the nearest external ports on a shortest outer route, so a packet on its way to one
// either keeps to it or comes upon a nearer one.
func (l *Hierarchy) outbound(a, b Place, flow uint64) Hop {
	if l.torus != nil {
		hops, n := l.nearer(a, b)
		if n == 2 && headers.Pick(flow, a.Block, 2) == 1 {
			return hops[1]
		}
		return hops[0]
	}
	room := waysRoom.Get().(*[]Candidate)
	list := l.outward(a, b, (*room)[:0])
	o := HopOf(list[headers.Pick(flow, a.Block, len(list))])
	*room = list
	waysRoom.Put(room)
	return o
}

// nearer returns the outer hops of block a toward block b whose external ports are nearest: one or
// two. The outer topology is a torus.
func (l *Hierarchy) nearer(a, b Place) (hops [2]Hop, n int) {
	hops = l.either(a.Block, b.Block)
	if hops[0] == hops[1] {
		return hops, 1
	}
	switch x, y := l.way(a, hops[0].Port), l.way(a, hops[1].Port); {
	case x < y:
		return hops, 1
	case y < x:
		return [2]Hop{hops[1]}, 1
	}
	return hops, 2
}

// outward appends the outer hops from which outbound chooses.
func (l *Hierarchy) outward(a, b Place, list []Candidate) []Candidate {
	first := len(list)
	if l.hosted {
		for e := range l.Exits {
			list = append(list, Candidate{Port: uint16(e)})
		}
	} else {
		list = l.Outer.Ways(a.Block, b.Block, list)
	}
	n, nearest := first, math.MaxInt
	for _, c := range list[first:] {
		d := l.way(a, c.Port)
		if d < nearest {
			n, nearest = first, d
		}
		if d == nearest {
			list[n] = c
			n++
		}
	}
	return list[:n]
}

// left returns the number of hops between blocks still to go, or 0 where the channel classes do not
// depend on it.
func (l *Hierarchy) left(a, b Place) int {
	if l.kind != transitHop {
		return 0
	}
	return l.Outer.Distance(a.Block, b.Block)
}

// last returns hop h within the last block, with its channel class moved to the classes for last
// blocks.
func (l *Hierarchy) last(h Hop) Hop {
	h.Class += uint16(l.count * l.Block.Classes())
	return h
}

// out returns the hop that leaves a block by an external port.
func (l *Hierarchy) out(exit Exit, o Hop, left int) Hop {
	h := Hop{Port: exit.Port, Class: o.Class}
	if l.kind == transitHop {
		h.Class = uint16(l.farthest - left)
	}
	return h
}

// crossed returns hop h within a block that packets leave by outer hop o, with its channel class
// moved to those for crossed blocks.
func (l *Hierarchy) crossed(h, o Hop, left int) Hop {
	h.Class += uint16(l.crossing(o, l.torus, left) * l.Block.Classes())
	return h
}

func (l *Hierarchy) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.Places[at], l.Places[to]
	switch {
	case a.Block < 0:
		return l.enter(a, b, list)
	case a.Block == b.Block:
		first := len(list)
		list = l.Block.Ways(a.Inner, b.Inner, list)
		for i := first; i < len(list); i++ {
			list[i] = l.last(HopOf(list[i])).Way()
		}
		return list
	}
	return l.leaving(a, b, list)
}

// enter appends the next hops from a router of the outer topology toward a block.
func (l *Hierarchy) enter(a, b Place, list []Candidate) []Candidate {
	if s := l.switchOf(b); s != a.Inner {
		return l.Outer.Ways(a.Inner, s, list)
	}
	for e := range l.Exits {
		list = append(list, Candidate{Port: l.entries[int(b.Block)*len(l.Exits)+e]})
	}
	return list
}

// leaving appends the next hops within a block toward the external ports of outer hops, or the hops
// out of it where the router has such a port.
func (l *Hierarchy) leaving(a, b Place, list []Candidate) []Candidate {
	left := l.left(a, b)
	if l.torus != nil {
		hops, n := l.nearer(a, b)
		for _, o := range hops[:n] {
			list = l.by(a, o, left, list)
		}
		return list
	}
	first := len(list)
	list = l.outward(a, b, list)
	hops := len(list)
	for i := first; i < hops; i++ {
		list = l.by(a, HopOf(list[i]), left, list)
	}
	return slices.Delete(list, first, hops)
}

// by appends the next hops toward the external port of outer hop o, or the hop out of the block
// where the router has that port.
func (l *Hierarchy) by(a Place, o Hop, left int, list []Candidate) []Candidate {
	exit := l.Exits[o.Port]
	if exit.Router == a.Inner {
		return append(list, l.out(exit, o, left).Way())
	}
	first := len(list)
	list = l.Block.Ways(a.Inner, exit.Router, list)
	for i := first; i < len(list); i++ {
		list[i] = l.crossed(HopOf(list[i]), o, left).Way()
	}
	return list
}

func (l *Hierarchy) Distance(at, to int32) int {
	from := at
	for hops := range l.graph.Routers {
		if at == to {
			return hops
		}
		at = After(l.graph, at, l.Next(at, to, 0).Port)
	}
	panic(GoesRound(from, to))
}
