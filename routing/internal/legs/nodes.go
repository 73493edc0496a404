package legs

import (
	"fmt"
	"math"
	"slices"

	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// nodesLeg is minimal routing between the GPUs of nodes. Within a node packets take the minimal
// routes of the block. To another node they leave by a NIC of their GPU and arrive by one of the
// receiver's, over the outer topology's minimal route; of several NICs they take those nearest to
// one another, and a hash of the flow chooses among equally near ones. With PXN they first go, within
// their node, to the GPU on the rail of the receiver. They cross no other node.
//
// Packets that arrive at a node are at their receiver. So packets within nodes wait for those on
// their way out, and these for none within nodes: block and outer topology can share the classes.
type nodesLeg struct {
	graph        *topology.Graph
	block, outer Leg
	pxn          bool
	routers      int32 // of the block; those of a node beyond these are NICs
	planeSize    int32
	planes       int
	nics         int // of a node
	share, each  int // GPUs of a NIC, and NICs of a GPU
	places       []Place
	gpus, gpuOf  []int32
	exits        []uint16 // by GPU: the first of its ports to NICs
	entries      []entry  // by node and NIC
	digits       bool     // ways up an outer tree follow from the receiving NIC, not from the flow
}

// entry is the router within its plane, and the local port there, by which a NIC is reached, and the
// NIC's number as a host of the plane.
type entry struct {
	router int32
	port   uint16
	host   int32
}

var _ = register(func(n *topology.Nodes, between Ends) (Leg, error) {
	if between == AnyEnds {
		return NewTable(n.Graph(), true, between)
	}
	return newNodesLeg(n, false)
})

// NewPaired is New, between routers with hosts, for algorithms by which all packets of a pair of
// hosts take one route. On nodes whose outer topology is a tree, the ways up then follow from the
// number of the receiving NIC, digit by digit, as those of destination-mod-k routing do.
func NewPaired(t topology.Topology) (Leg, error) {
	if n, ok := t.(*topology.Nodes); ok {
		return newNodesLeg(n, true)
	}
	return New(t, HostedEnds)
}

func newNodesLeg(n *topology.Nodes, paired bool) (*nodesLeg, error) {
	block, err := New(n.Block(), HostedEnds)
	if err != nil {
		return nil, fmt.Errorf("in the block: %w", err)
	}
	spec, g := n.Spec(), n.Block().Graph()
	l := &nodesLeg{
		graph: n.Graph(), block: block, pxn: spec.PXN, routers: int32(g.Routers),
		planes: spec.Planes, nics: spec.NICs, share: 1, gpus: n.GPUs(), gpuOf: make([]int32, g.Routers),
	}
	for r := range n.Graph().Routers {
		node, inner := n.Place(r)
		l.places = append(l.places, Place{int32(node), int32(inner)})
	}
	for r := range l.gpuOf {
		l.gpuOf[r] = -1
	}
	for i, r := range l.gpus {
		l.gpuOf[r] = int32(i)
		l.exits = append(l.exits, uint16(n.OwnLinks(int(r))))
	}
	if n.Outer() == nil {
		return l, nil
	}
	tree, ok := n.Outer().(*topology.XGFT)
	if l.digits = ok && paired; l.digits {
		l.outer = NewTree(tree, true)
	} else if l.outer, err = New(n.Outer(), HostedEnds); err != nil {
		return nil, fmt.Errorf("in the outer topology: %w", err)
	}
	l.planeSize = int32(n.Outer().Graph().Routers)
	l.share, l.each = max(1, len(l.gpus)/l.nics), max(1, l.nics/len(l.gpus))
	for at := range spec.Count * l.nics {
		router, port, _ := n.Entry(at/l.nics, at%l.nics)
		_, inner := n.Place(router)
		host := n.OuterHost(at/l.nics, at%l.nics) % n.Outer().Graph().Hosts
		l.entries = append(l.entries, entry{int32(inner) % l.planeSize, uint16(port), int32(host)})
	}
	return l, nil
}

func (l *nodesLeg) Classes() int {
	if l.outer == nil {
		return l.block.Classes()
	}
	return max(l.block.Classes(), l.outer.Classes())
}

// step is what a packet does next: it passes a port, or goes on toward a router of the block, or by
// one of several NICs.
type step struct {
	port   int   // local port; -1: the packet goes on toward a router or by one of several NICs
	router int32 // of the block; -1: by one of the NICs
}

// step returns the next step of a packet at a router of a node.
func (l *nodesLeg) step(a, b Place) step {
	gpu := l.gpuOf[b.Inner]
	nic := int(a.Inner - l.routers)
	switch {
	case nic >= 0 && a.Block == b.Block:
		port := int(gpu) - nic*l.share
		if port < 0 || port >= l.share {
			port = 0 // no packet is here, but distances from all routers are asked for
		}
		return step{port: port}
	case nic >= 0:
		return step{port: l.share}
	case a.Block == b.Block:
		return step{port: -1, router: b.Inner}
	}
	own := l.gpuOf[a.Inner]
	switch {
	case own < 0 || l.pxn && int(own)/l.share != int(gpu)/l.share:
		return step{port: -1, router: l.gpus[gpu]}
	case l.each == 1:
		return step{port: int(l.exits[own])}
	}
	return step{port: -1, router: -1}
}

func (l *nodesLeg) Next(at, to int32, flow uint64) Hop {
	a, b := l.places[at], l.places[to]
	if a.Block < 0 {
		plane, router := l.plane(a)
		e := l.entry(b, plane, router, func(n int) int { return headers.Pick(flow, at, n) })
		if e.router == router {
			return Hop{Port: e.port}
		}
		if l.digits {
			flow = uint64(e.host)
		}
		return l.outer.Next(router, e.router, flow)
	}
	switch s := l.step(a, b); {
	case s.port >= 0:
		return Hop{Port: uint16(s.port)}
	case s.router >= 0:
		return l.block.Next(a.Inner, s.router, flow)
	}
	own := l.gpuOf[a.Inner]
	nearest, n := l.nearestExit(a, b)
	pick := headers.Pick(flow, at, n)
	for i := range l.each {
		if l.exitDistance(a, b, i) != nearest {
			continue
		}
		if pick == 0 {
			return Hop{Port: l.exits[own] + uint16(i)}
		}
		pick--
	}
	panic(GoesRound(at, to))
}

func (l *nodesLeg) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.places[at], l.places[to]
	if a.Block < 0 {
		return l.enter(a, b, list)
	}
	switch s := l.step(a, b); {
	case s.port >= 0:
		return append(list, Candidate{Port: uint16(s.port)})
	case s.router >= 0:
		return l.block.Ways(a.Inner, s.router, list)
	}
	own := l.gpuOf[a.Inner]
	nearest, _ := l.nearestExit(a, b)
	for i := range l.each {
		if l.exitDistance(a, b, i) == nearest {
			list = append(list, Candidate{Port: l.exits[own] + uint16(i)})
		}
	}
	return list
}

// enter appends the next hops from a router of a plane toward the nearest NICs of a GPU.
func (l *nodesLeg) enter(a, b Place, list []Candidate) []Candidate {
	plane, router := l.plane(a)
	first, nearest := len(list), math.MaxInt
	for nic, end := l.nicsIn(b, plane); nic < end; nic += l.planes {
		e := l.entries[int(b.Block)*l.nics+nic]
		d := l.apart(router, e.router)
		if d < nearest {
			list, nearest = list[:first], d
		}
		switch {
		case d > nearest:
		case d == 0:
			list = append(list, Candidate{Port: e.port})
		default:
			list = l.outer.Ways(router, e.router, list)
		}
	}
	return unique(list, first)
}

// unique returns a list without hops, from index first on, that occur before.
func unique(list []Candidate, first int) []Candidate {
	n := first
	for _, c := range list[first:] {
		if !slices.ContainsFunc(list[first:n], func(o Candidate) bool { return HopOf(o) == HopOf(c) }) {
			list[n] = c
			n++
		}
	}
	return list[:n]
}

// evenly is evenLeg for nodes. Choices among several NICs, and of the way toward the one chosen, are
// not independent.
func (l *nodesLeg) evenly(at, to int32, list []Candidate) ([]Candidate, Chance) {
	a, b := l.places[at], l.places[to]
	first := len(list)
	if a.Block < 0 {
		list = l.enter(a, b, list)
		plane, _ := l.plane(a)
		nic, end := l.nicsIn(b, plane)
		if nic+l.planes < end {
			return list, chanceOuter | ChanceBound
		}
		return list, outerChance(len(list) - first)
	}
	if s := l.step(a, b); s.port < 0 && s.router >= 0 {
		list, c := evenLeg(l.block, a.Inner, s.router, list)
		return list, c.within()
	}
	list = l.Ways(at, to, list)
	if len(list)-first > 1 {
		return list, chanceOuter | ChanceBound
	}
	return list, 0
}

// plane returns the plane of a router of the outer topology, and its number there.
func (l *nodesLeg) plane(a Place) (plane int, router int32) {
	return int(a.Inner / l.planeSize), a.Inner % l.planeSize
}

// nicsIn returns the first NIC of a GPU in a plane, and the end of its NICs. They are l.planes apart.
func (l *nodesLeg) nicsIn(b Place, plane int) (first, end int) {
	gpu := int(l.gpuOf[b.Inner])
	if l.share > 1 {
		return gpu / l.share, gpu/l.share + 1
	}
	first = gpu * l.each
	return first + (plane-first%l.planes+l.planes)%l.planes, first + l.each
}

// entry returns, of the entries in a plane that are nearest to a router there, the one that pick
// chooses among n.
func (l *nodesLeg) entry(b Place, plane int, router int32, pick func(n int) int) entry {
	first, end := l.nicsIn(b, plane)
	of := l.entries[int(b.Block)*l.nics:]
	if first+l.planes >= end {
		return of[first]
	}
	nearest, n := math.MaxInt, 0
	for nic := first; nic < end; nic += l.planes {
		switch d := l.apart(router, of[nic].router); {
		case d < nearest:
			nearest, n = d, 1
		case d == nearest:
			n++
		}
	}
	left := pick(n)
	for nic := first; ; nic += l.planes {
		if l.apart(router, of[nic].router) == nearest {
			if left == 0 {
				return of[nic]
			}
			left--
		}
	}
}

// nearestExit returns the least of exitDistance, and how many NICs of the GPU have it.
func (l *nodesLeg) nearestExit(a, b Place) (nearest, n int) {
	nearest = math.MaxInt
	for i := range l.each {
		switch d := l.exitDistance(a, b, i); {
		case d < nearest:
			nearest, n = d, 1
		case d == nearest:
			n++
		}
	}
	return nearest, n
}

// exitDistance returns the number of hops between the routers of a GPU's NIC i and of the nearest NIC
// of another node's GPU in the same plane; math.MaxInt if none is there.
func (l *nodesLeg) exitDistance(a, b Place, i int) int {
	nic := int(l.gpuOf[a.Inner])*l.each + i
	from := l.entries[int(a.Block)*l.nics+nic].router
	nearest := math.MaxInt
	for other, end := l.nicsIn(b, nic%l.planes); other < end; other += l.planes {
		nearest = min(nearest, l.apart(from, l.entries[int(b.Block)*l.nics+other].router))
	}
	return nearest
}

func (l *nodesLeg) apart(a, b int32) int {
	if a == b {
		return 0
	}
	return l.outer.Distance(a, b)
}

func (l *nodesLeg) Distance(at, to int32) int {
	from := at
	for hops := range l.graph.Routers {
		if at == to {
			return hops
		}
		at = After(l.graph, at, l.Next(at, to, 0).Port)
	}
	panic(GoesRound(from, to))
}
