package routing

import (
	"fmt"
	"math"

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
	if n > maxTableRouters {
		return transit{}, fmt.Errorf("hierarchies of this kind are routed with up to %d blocks, not %d", maxTableRouters, n)
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
	var room [64]hop
	outward := l.outward(a, b, room[:0])
	o := outward[pick(flow, at, len(outward))]
	exit, left := l.exits[o.port], l.left(a, b)
	if exit.router == a.inner {
		return l.out(exit, o, left)
	}
	return l.crossed(l.block.next(a.inner, exit.router, flow), o, left)
}

// outward appends the outer hops that packets may take to leave a block, as far
// as their external ports are nearest: so a packet keeps to what it has chosen, or finds
// something nearer.
func (l *hierarchyLeg) outward(a, b blockPlace, hops []hop) []hop {
	if l.hosted {
		for e := range l.exits {
			hops = append(hops, hop{port: uint16(e)})
		}
	} else {
		hops = l.outer.ways(a.block, b.block, hops)
	}
	if len(hops) == 1 {
		return hops
	}
	n, nearest := 0, math.MaxInt
	for _, h := range hops {
		d := 0
		if r := l.exits[h.port].router; r != a.inner {
			d = l.block.distance(a.inner, r)
		}
		if d < nearest {
			n, nearest = 0, d
		}
		if d == nearest {
			hops[n] = h
			n++
		}
	}
	return hops[:n]
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

func (l *hierarchyLeg) ways(at, to int32, hops []hop) []hop {
	a, b := l.places[at], l.places[to]
	switch {
	case a.block == b.block:
		first := len(hops)
		hops = l.block.ways(a.inner, b.inner, hops)
		for i := range hops[first:] {
			hops[first+i] = l.last(hops[first+i])
		}
		return hops
	case a.block < 0:
		return l.enter(a, b, hops)
	}
	var room [64]hop
	return l.leaving(a, l.outward(a, b, room[:0]), l.left(a, b), hops)
}

// enter appends the ways of a router of the outer topology toward a block.
func (l *hierarchyLeg) enter(a, b blockPlace, hops []hop) []hop {
	if s := l.switches[b.block]; s != a.inner {
		return l.outer.ways(a.inner, s, hops)
	}
	for e := range l.exits {
		hops = append(hops, hop{port: l.entries[int(b.block)*len(l.exits)+e]})
	}
	return hops
}

// leaving appends the ways toward, or out by, the external ports of outer hops.
func (l *hierarchyLeg) leaving(a blockPlace, outward []hop, left int, hops []hop) []hop {
	for _, o := range outward {
		exit := l.exits[o.port]
		if exit.router == a.inner {
			hops = append(hops, l.out(exit, o, left))
			continue
		}
		first := len(hops)
		hops = l.block.ways(a.inner, exit.router, hops)
		for i := range hops[first:] {
			hops[first+i] = l.crossed(hops[first+i], o, left)
		}
	}
	return hops
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
