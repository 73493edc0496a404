package routing

import (
	"fmt"

	"fabricast/topology"
)

// maxTableRouters bounds the networks for which tables with an entry for every
// pair of routers are made.
const maxTableRouters = 65536

// TooLargeError says that a network is too large for the tables of an algorithm, with an entry for every pair of routers.
type TooLargeError struct {
	Algorithm     string
	Routers, Most int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has tables, which are made for up to %d routers, not %d", e.Algorithm, e.Most, e.Routers)
}

// paths are the shortest ways between routers.
type paths interface {
	onward
	hops(at, to int32) int
}

// shortestLeg is shortest paths. Of several shortest ways (equal-cost multipath; Hopps, RFC 2992, 2000) a flow
// takes one by a hash at every router.
//
// A hop has the class of its distance from the destination, the farthest 0, so that
// classes rise along every route and no circle of waits can close (Gunther,
// IEEE Trans. Communications 1981); or all are of class 0, for networks on
// which shortest paths are free of deadlock anyway, such as trees.
type shortestLeg struct {
	paths
	kept     *kept
	farthest int // distance between routers that have hosts
	byHop    bool
}

// newTableLeg finds shortest paths on any network by breadth-first search from every router.
func newTableLeg(g *topology.Graph, byHop bool) (*shortestLeg, error) {
	if g.Routers > maxTableRouters {
		return nil, &TooLargeError{Algorithm: "routing by shortest paths", Routers: g.Routers, Most: maxTableRouters}
	}
	hops, err := g.Hops()
	if err != nil {
		return nil, err
	}
	p := searched{known: hops, neighbours: newNeighbours(g)}
	return &shortestLeg{paths: p, kept: newKept(p, searchedFromOne{p}, g.Routers), byHop: byHop, farthest: farthestHosts(g, hops)}, nil
}

// newSlimFlyLeg finds shortest paths on a Slim Fly by arithmetic, with a class for each hop.
func newSlimFlyLeg(f *topology.SlimFly) *shortestLeg {
	p := slimFlyPaths{f}
	l := &shortestLeg{paths: p, kept: newKept(p, p, f.Graph().Routers), byHop: true}
	if f.Hosts() > 0 {
		l.farthest = 2
	}
	return l
}

// ShortestMemory is what tables of shortest paths take on a network of so many routers, in bytes.
func ShortestMemory(routers int) int64 { return int64(routers)*int64(routers) + keptMemory(routers) }

// MinimalMemory is what tables of a topology's minimal routing take, in bytes.
func MinimalMemory(t topology.Topology) int64 {
	routers := t.Graph().Routers
	switch t.(type) {
	case *topology.Irregular:
		return ShortestMemory(routers)
	case *topology.SlimFly:
		return keptMemory(routers)
	}
	return 0
}

// keptMemory is what the ways take, in bytes, that are kept.
func keptMemory(routers int) int64 {
	if routers > mostKept {
		return 0
	}
	return 2 * int64(routers) * int64(routers)
}

// searched are shortest paths by the distances of all routers.
type searched struct {
	known *topology.Hops
	neighbours
}

func (s searched) hops(at, to int32) int { return s.known.Between(to, at) }

// onward appends the ports whose other ends are nearer by one hop.
func (s searched) onward(at, to int32, list []Candidate) []Candidate {
	far := s.known.From(to)
	nearer := far[at] - 1
	for p, r := range s.of(at) {
		if r != topology.Unconnected && far[r] == nearer {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// searchedFromOne are the same, by the distances from the router and its neighbours, not those to the destination.
type searchedFromOne struct{ searched }

func (s searchedFromOne) onward(at, to int32, list []Candidate) []Candidate {
	nearer := s.known.From(at)[to] - 1
	for p, r := range s.of(at) {
		if r != topology.Unconnected && s.known.From(r)[to] == nearer {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// neighbours is who is at the other end of each port, all in one place.
type neighbours struct {
	base []int32 // by router: its first port, as in the graph
	peer []int32 // by port: the router; Unconnected if none
}

func newNeighbours(g *topology.Graph) neighbours {
	n := neighbours{base: g.PortBase, peer: make([]int32, len(g.Ports))}
	for p := range n.peer {
		n.peer[p] = int32(g.PeerRouter(p))
	}
	return n
}

// of are the routers at the other ends of a router's ports.
func (n neighbours) of(router int32) []int32 { return n.peer[n.base[router]:n.base[router+1]] }

// farthestHosts is the greatest distance between routers that have hosts.
func farthestHosts(g *topology.Graph, hops *topology.Hops) int {
	hosted := g.HostedRouters()
	most := uint8(0)
	for _, to := range hosted {
		far := hops.From(to)
		for _, at := range hosted {
			most = max(most, far[at])
		}
	}
	return int(most)
}

// slimFlyPaths are the shortest paths of a Slim Fly.
type slimFlyPaths struct{ net *topology.SlimFly }

func (s slimFlyPaths) hops(at, to int32) int { return s.net.Hops(int(at), int(to)) }

func (s slimFlyPaths) onward(at, to int32, list []Candidate) []Candidate {
	var room [topology.MaxSlimFly]uint16
	for _, port := range s.net.Nearer(int(at), int(to), room[:0]) {
		list = append(list, Candidate{Port: port})
	}
	return list
}

func (l *shortestLeg) classes() int {
	if l.byHop {
		return max(l.farthest, 1)
	}
	return 1
}

func (l *shortestLeg) distance(at, to int32) int { return l.hops(at, to) }

func (l *shortestLeg) class(at, to int32) uint16 {
	if !l.byHop {
		return 0
	}
	return uint16(max(l.farthest-l.hops(at, to), 0))
}

func (l *shortestLeg) next(at, to int32, flow uint64) hop {
	return hop{port: l.kept.pick(at, to, flow), class: l.class(at, to)}
}

func (l *shortestLeg) ways(at, to int32, list []Candidate) []Candidate {
	first, class := len(list), l.class(at, to)
	list = l.onward(at, to, list)
	for i := first; i < len(list); i++ {
		list[i].VC = class
	}
	return list
}

// Classes says how virtual channels are assigned where either way may do.
type Classes uint8

const (
	// ClassesHop gives every hop a class of its own, so it needs as many channels as the longest route has hops.
	ClassesHop Classes = iota
	// ClassesNone has all channels in one class.
	ClassesNone
)

// NewShortest returns routing by shortest paths on any connected network, by
// computed tables; with several equally short ways, by equal-cost multipath. It is a
// Function, with ChoicePacket a Randomized, with ChoiceQueue an Adaptive.
func NewShortest(g *topology.Graph, vcs int, classes Classes, c Choice) (any, error) {
	l, err := newTableLeg(g, classes == ClassesHop)
	if err != nil {
		return nil, err
	}
	d, err := newDirect(g, "shortest", l, vcs, flowPair)
	if err != nil {
		return nil, err
	}
	return d.choosing(c), nil
}
