package routing

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"fabricast/topology"
)

// hierarchyLeg is minimal routing on a hierarchy, level by level: within the
// block to the router with the external port by which the outer topology's own
// minimal routing goes on, out by it, the same in every block on the way, and
// within the last block to the destination. Of several external ports that
// lead on equally well it takes a near one; of several near ones, one by a hash.
//
// Channels within blocks have classes of their own for the last block, so that
// packets which have arrived there wait for nobody who is still on the way.
// What blocks that are crossed need depends on the hierarchy (see transit).
type hierarchyLeg struct {
	graph        *topology.Graph
	block, outer leg
	places       []blockPlace // by router
	exits        []blockExit  // by external port of a block
	entries      []uint16     // hosted: by block and external port, the port that leads there
	switches     []int32      // hosted: by block, its router of the outer topology
	hosted       bool
	transit
}

// blockPlace is the block that a router belongs to; -1 and the number in the
// outer topology for a router that is no block.
type blockPlace struct{ block, inner int32 }

// blockExit is where a block has an external port.
type blockExit struct {
	router int32 // within the block
	port   uint16
}

func newHierarchyLeg(h *topology.Hierarchy) (*hierarchyLeg, error) {
	block, err := newLeg(h.Block())
	if err != nil {
		return nil, fmt.Errorf("in the block: %w", err)
	}
	outer, err := newLeg(h.Outer())
	if err != nil {
		return nil, fmt.Errorf("in the outer topology: %w", err)
	}
	l := &hierarchyLeg{graph: h.Graph(), block: block, outer: outer, hosted: h.Hosted()}
	for r := range h.Graph().Routers {
		b, inner := h.Place(r)
		l.places = append(l.places, blockPlace{int32(b), int32(inner)})
	}
	for e := range h.ExternalPorts() {
		router, port := h.Exit(0, e)
		l.exits = append(l.exits, blockExit{l.places[router].inner, uint16(port)})
	}
	if l.hosted {
		l.findEntries(h)
	}
	l.transit, err = newTransit(l, h)
	return l, err
}

// findEntries notes by which port of which switch each block is entered.
func (l *hierarchyLeg) findEntries(h *topology.Hierarchy) {
	g := h.Outer().Graph()
	for b := range h.Blocks() {
		l.switches = append(l.switches, int32(g.HostRouter(b)))
		for e := range l.exits {
			_, port := g.Local(int(g.NICPort[b*len(l.exits)+e]))
			l.entries = append(l.entries, uint16(port))
		}
	}
}

// transit says how the channels within blocks that packets cross are classed.
type transit struct {
	kind transitKind
	// count is the number of classes of crossed blocks, each as many as the block's own routing has.
	count    int
	farthest int    // most hops between blocks
	first    []int8 // transitStage: by dimension of the outer torus, its first class
}

type transitKind uint8

const (
	// transitOne needs one class: blocks are not crossed at all, being hosts of the
	// outer topology; or they are fully connected and joined in a torus, both
	// ports of a dimension at the same router, so that they are crossed, by one hop, only from
	// a dimension to a later one.
	transitOne transitKind = iota
	// transitStage has a class for each dimension of the outer torus, and each side of its dateline.
	transitStage
	// transitHop has a class for each block on the way, also for the links between blocks.
	transitHop
)

// maxHopBlocks bounds the blocks whose distances are all looked at.
const maxHopBlocks = 8192

func newTransit(l *hierarchyLeg, h *topology.Hierarchy) (transit, error) {
	outer, ok := l.outer.(*torusLeg)
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
			t.farthest = max(t.farthest, l.outer.distance(a, b))
		}
	}
	t.count = t.farthest
	return t, nil
}

// aligned tells whether blocks are fully connected and each has both ports of
// a dimension of the outer torus at the same router.
func aligned(l *hierarchyLeg, outer *torusLeg) bool {
	full, ok := l.block.(*hyperxLeg)
	if !ok || full.coords.dims != 1 {
		return false
	}
	for d := range outer.torus.Dims() {
		if l.exits[2*d].router != l.exits[2*d+1].router {
			return false
		}
	}
	return true
}

// crossing is the class of channels within a block from which a packet leaves by an
// outer hop, with so many hops between blocks still to go.
func (t *transit) crossing(o hop, outer *torusLeg, left int) int {
	switch t.kind {
	case transitStage:
		dim := o.port / 2
		stage := int(t.first[dim])
		if outer.rings && outer.torus.Wraps(int(dim)) && o.class == 0 {
			stage++ // past the dateline
		}
		return stage
	case transitHop:
		return t.farthest - left
	}
	return 0
}

func (l *hierarchyLeg) classes() int {
	outer := l.outer.classes()
	if l.kind == transitHop {
		outer = l.farthest
	}
	return max(outer, (l.count+1)*l.block.classes())
}

func (l *hierarchyLeg) next(at, to int32, flow uint64) hop {
	a, b := l.places[at], l.places[to]
	if a.block == b.block {
		return l.last(l.block.next(a.inner, b.inner, flow))
	}
	if a.block < 0 {
		if s := l.switches[b.block]; s != a.inner {
			return l.outer.next(a.inner, s, flow)
		}
		n := len(l.exits)
		return hop{port: l.entries[int(b.block)*n+pick(flow, at, n)]}
	}
	o := l.outbound(a, b, flow)
	exit, left := l.exits[o.port], l.left(a, b)
	if exit.router == a.inner {
		return l.out(exit, o, left)
	}
	return l.crossed(l.block.next(a.inner, exit.router, flow), o, left)
}

// outbound is the outer hop by which packets of a flow leave a block. Of those that
// serve, the external port is one of the nearest, so that a packet on its way
// to one keeps to it, or finds a nearer one.
func (l *hierarchyLeg) outbound(a, b blockPlace, flow uint64) hop {
	if torus, ok := l.outer.(*torusLeg); ok && !l.hosted {
		return l.eitherWay(a, torus.next(a.block, b.block, 0), torus.next(a.block, b.block, ^uint64(0)), flow)
	}
	room := waysRoom.Get().(*[]Candidate)
	list := l.outward(a, b, (*room)[:0])
	o := list[pick(flow, a.block, len(list))].hop()
	*room = list
	waysRoom.Put(room)
	return o
}

// waysRoom keeps room for lists of ways, so that none is made for each packet.
var waysRoom = sync.Pool{New: func() any { return new([]Candidate) }}

// eitherWay is the nearer of two outer hops, or the one that the flow takes.
func (l *hierarchyLeg) eitherWay(a blockPlace, heads, tails hop, flow uint64) hop {
	switch x, y := l.way(a, heads.port), l.way(a, tails.port); {
	case x < y:
		return heads
	case y < x:
		return tails
	}
	if pick(flow, a.block, 2) == 0 {
		return heads
	}
	return tails
}

// way is the number of hops within a block to an external port.
func (l *hierarchyLeg) way(a blockPlace, external uint16) int {
	if r := l.exits[external].router; r != a.inner {
		return l.block.distance(a.inner, r)
	}
	return 0
}

// outward appends the outer hops that outbound chooses from.
func (l *hierarchyLeg) outward(a, b blockPlace, list []Candidate) []Candidate {
	first := len(list)
	if l.hosted {
		for e := range l.exits {
			list = append(list, Candidate{Port: uint16(e)})
		}
	} else {
		list = l.outer.ways(a.block, b.block, list)
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

// left is the number of hops between blocks still to go, where that matters.
func (l *hierarchyLeg) left(a, b blockPlace) int {
	if l.kind != transitHop {
		return 0
	}
	return l.outer.distance(a.block, b.block)
}

// last is a hop within the last block.
func (l *hierarchyLeg) last(h hop) hop {
	h.class += uint16(l.count * l.block.classes())
	return h
}

// out is the hop out of a block.
func (l *hierarchyLeg) out(exit blockExit, o hop, left int) hop {
	h := hop{port: exit.port, class: o.class}
	if l.kind == transitHop {
		h.class = uint16(l.farthest - left)
	}
	return h
}

// crossed is a hop within a block that packets leave by an outer hop.
func (l *hierarchyLeg) crossed(h, o hop, left int) hop {
	outer, _ := l.outer.(*torusLeg)
	h.class += uint16(l.crossing(o, outer, left) * l.block.classes())
	return h
}

func (l *hierarchyLeg) ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.places[at], l.places[to]
	switch {
	case a.block == b.block:
		first := len(list)
		list = l.block.ways(a.inner, b.inner, list)
		for i := first; i < len(list); i++ {
			list[i] = l.last(list[i].hop()).way()
		}
		return list
	case a.block < 0:
		return l.enter(a, b, list)
	}
	return l.leaving(a, b, list)
}

// enter appends the ways of a router of the outer topology toward a block.
func (l *hierarchyLeg) enter(a, b blockPlace, list []Candidate) []Candidate {
	if s := l.switches[b.block]; s != a.inner {
		return l.outer.ways(a.inner, s, list)
	}
	for e := range l.exits {
		list = append(list, Candidate{Port: l.entries[int(b.block)*len(l.exits)+e]})
	}
	return list
}

// leaving appends the ways toward, or out by, the external ports of outer hops.
func (l *hierarchyLeg) leaving(a, b blockPlace, list []Candidate) []Candidate {
	first := len(list)
	list = l.outward(a, b, list)
	left, hops := l.left(a, b), len(list)
	for i := first; i < hops; i++ {
		o := list[i].hop()
		exit := l.exits[o.port]
		if exit.router == a.inner {
			list = append(list, l.out(exit, o, left).way())
			continue
		}
		inner := len(list)
		list = l.block.ways(a.inner, exit.router, list)
		for k := inner; k < len(list); k++ {
			list[k] = l.crossed(list[k].hop(), o, left).way()
		}
	}
	return slices.Delete(list, first, hops)
}

func (l *hierarchyLeg) distance(at, to int32) int {
	hops := 0
	for at != to {
		at = after(l.graph, at, l.next(at, to, 0).port)
		hops++
	}
	return hops
}

// after is the router at the other end of a router's port.
func after(g *topology.Graph, router int32, port uint16) int32 {
	return g.Ports[g.Ports[g.PortBase[router]+int32(port)].Peer].Router
}
