package legs

import (
	"fmt"
	"reflect"

	"fabricast/topology"
)

// maxTableRouters is the largest number of routers for which tables with an entry for every pair of
// routers are made.
const maxTableRouters = 65536

// TooLargeError reports that a network is too large for an algorithm's tables, which have an entry
// for every pair of routers.
type TooLargeError struct {
	Algorithm     string
	Routers, Most int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has tables, which are made for up to %d routers, not %d", e.Algorithm, e.Most, e.Routers)
}

// paths finds the shortest paths between routers.
type paths interface {
	onward
	hops(at, to int32) int
}

// shortestLeg is routing by shortest paths. Where several paths are shortest, a hash of the flow
// chooses at every router (equal-cost multipath; Hopps, RFC 2992, 2000).
//
// The channel class of a hop depends on its distance from the destination, class 0 being the
// farthest. So classes rise along every route and no cycle of waiting packets can form (Gunther,
// IEEE Trans. Communications 1981). On networks on which shortest paths are free of deadlock
// anyway, such as trees, all hops are of class 0.
type shortestLeg struct {
	paths
	kept     *kept
	farthest int // the longest distance of a route, in hops
	byHop    bool
}

// NewTable computes shortest paths on any network by breadth-first search from every router. It
// fails with a TooLargeError beyond maxTableRouters, and if the network is not connected.
func NewTable(g *topology.Graph, byHop bool, between Ends) (Leg, error) {
	if g.Routers > maxTableRouters {
		return nil, &TooLargeError{Algorithm: "routing by shortest paths", Routers: g.Routers, Most: maxTableRouters}
	}
	hops, err := g.Hops()
	if err != nil {
		return nil, err
	}
	p := searched{known: hops, neighbours: newNeighbours(g)}
	fromOne := onward(searchedFromOne{p})
	if g.OneWay() || g.Ends != nil {
		fromOne = p
	}
	k := newKept(p, fromOne, g.Routers)
	return &shortestLeg{paths: p, kept: k, byHop: byHop, farthest: farthest(g, hops, between)}, nil
}

// ShortestMemory returns the memory for tables of shortest paths on a network of so many routers,
// in bytes.
func ShortestMemory(routers int) int64 { return int64(routers)*int64(routers) + keptMemory(routers) }

// MinimalMemory returns the memory for tables of a topology's minimal routing, in bytes; 0 if it
// needs none.
func MinimalMemory(t topology.Topology) int64 {
	if legs[reflect.TypeOf(t)] != nil {
		return 0
	}
	return ShortestMemory(t.Graph().Routers)
}

// keptMemory returns the memory for the cache of next hops on a network of so many routers, in
// bytes.
func keptMemory(routers int) int64 {
	if routers > mostKept {
		return 0
	}
	return 2 * int64(routers) * int64(routers)
}

// searched finds shortest paths from the distances between all routers.
type searched struct {
	known *topology.Hops
	neighbours
}

func (s searched) hops(at, to int32) int { return s.known.Between(at, to) }

// Onward appends the ports whose other ends are one hop nearer to the destination.
func (s searched) Onward(at, to int32, list []Candidate) []Candidate {
	distance := s.hops(at, to)
	for p, r := range s.of(at) {
		if r != topology.Unconnected && s.known.Nearer(r, to, distance) {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// searchedFromOne finds the same paths, where all links lead both ways, from the distances of the router
// and its neighbours to all others, which is faster for many destinations.
type searchedFromOne struct{ searched }

func (s searchedFromOne) Onward(at, to int32, list []Candidate) []Candidate {
	nearer := s.known.To(at)[to] - 1
	for p, r := range s.of(at) {
		if r != topology.Unconnected && s.known.To(r)[to] == nearer {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// neighbours holds the router at the other end of each port, in one array.
type neighbours struct {
	base []int32 // by router: its first port, as in the graph
	peer []int32 // by port: the router, Unconnected if packets cannot leave there for one
}

func newNeighbours(g *topology.Graph) neighbours {
	n := neighbours{base: g.PortBase, peer: make([]int32, len(g.Ports))}
	for p := range n.peer {
		n.peer[p] = int32(g.NextRouter(p))
	}
	return n
}

// of returns the routers at the other ends of a router's ports.
func (n neighbours) of(router int32) []int32 { return n.peer[n.base[router]:n.base[router+1]] }

// farthest returns the greatest distance, in hops, between two routers where routes may begin and
// end.
func farthest(g *topology.Graph, hops *topology.Hops, between Ends) int {
	list := g.HostedRouters()
	if between == AnyEnds {
		list = list[:0]
		for r := range int32(g.Routers) {
			list = append(list, r)
		}
	}
	most := uint8(0)
	for _, to := range list {
		far := hops.To(to)
		for _, at := range list {
			most = max(most, far[at])
		}
	}
	return int(most)
}

func (l *shortestLeg) Classes() int {
	if l.byHop {
		return max(l.farthest, 1)
	}
	return 1
}

func (l *shortestLeg) Distance(at, to int32) int { return l.hops(at, to) }

func (l *shortestLeg) class(at, to int32) uint16 {
	if !l.byHop {
		return 0
	}
	return uint16(max(l.farthest-l.hops(at, to), 0))
}

func (l *shortestLeg) Next(at, to int32, flow uint64) Hop {
	return Hop{Port: l.kept.pick(at, to, flow), Class: l.class(at, to)}
}

func (l *shortestLeg) Ways(at, to int32, list []Candidate) []Candidate {
	first, class := len(list), l.class(at, to)
	list = l.Onward(at, to, list)
	for i := first; i < len(list); i++ {
		list[i].VC = class
	}
	return list
}
