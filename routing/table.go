package routing

import (
	"errors"
	"fmt"
	"math"

	"fabricast/topology"
)

// maxTableRouters bounds the networks for which tables with an entry for every
// pair of routers are made.
const maxTableRouters = 8192

// TooLargeError says that a network is too large for the tables of an algorithm, with an entry for every pair of routers.
type TooLargeError struct {
	Algorithm     string
	Routers, Most int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has tables, which are made for up to %d routers, not %d", e.Algorithm, e.Most, e.Routers)
}

// portSets is a table of the ports by which a router leads on to another. Most
// entries of a router are alike, so the table holds numbers of sets.
type portSets struct {
	routers int
	set     []uint16 // by at*routers+to: number of the set among those of the router
	base    []int32  // by router: its first set
	first   []int32  // by set: its first port; one more entry at the end
	ports   []uint16
}

// of returns the set of ports, empty if there is no way.
func (s *portSets) of(at, to int32) []uint16 {
	i := s.base[at] + int32(s.set[int(at)*s.routers+int(to)])
	return s.ports[s.first[i]:s.first[i+1]]
}

// newPortSets asks for the ports of every router toward every other.
func newPortSets(routers int, ports func(at, to int32, into []uint16) []uint16) (*portSets, error) {
	s := &portSets{routers: routers, set: make([]uint16, routers*routers), base: make([]int32, routers), first: []int32{0}}
	var room []uint16
	var key []byte
	for at := range int32(routers) {
		known := map[string]uint16{}
		s.base[at] = int32(len(s.first) - 1)
		for to := range int32(routers) {
			room, key = ports(at, to, room[:0]), key[:0]
			for _, p := range room {
				key = append(key, byte(p), byte(p>>8))
			}
			n, ok := known[string(key)]
			if !ok {
				if len(known) > math.MaxUint16 {
					return nil, errors.New("a router has too many different sets of next hops for a table")
				}
				n = uint16(len(known))
				known[string(key)] = n
				s.ports = append(s.ports, room...)
				s.first = append(s.first, int32(len(s.ports)))
			}
			s.set[int(at)*routers+int(to)] = n
		}
	}
	return s, nil
}

// tableLeg is shortest paths, by tables: breadth-first search from every router.
// Of several shortest ways (equal-cost multipath; Hopps, RFC 2992, 2000) a flow
// takes one by a hash at every router.
//
// A hop has the class of its distance from the destination, the farthest 0, so that
// classes rise along every route and no circle of waits can close (Gunther,
// IEEE Trans. Communications 1981); or all are of class 0, for networks on
// which shortest paths are free of deadlock anyway, such as trees.
type tableLeg struct {
	sets     *portSets
	dist     []uint8 // by to*routers+at
	routers  int
	farthest int
	byHop    bool
}

func newTableLeg(g *topology.Graph, byHop bool) (*tableLeg, error) {
	if g.Routers > maxTableRouters {
		return nil, &TooLargeError{Algorithm: "routing by shortest paths", Routers: g.Routers, Most: maxTableRouters}
	}
	l := &tableLeg{routers: g.Routers, byHop: byHop, dist: make([]uint8, g.Routers*g.Routers)}
	search := newSearch(g)
	for to := range g.Routers {
		row := l.dist[to*g.Routers : (to+1)*g.Routers]
		if err := search.from(to, row); err != nil {
			return nil, err
		}
	}
	l.farthest = farthestHosts(g, l.dist)
	var err error
	l.sets, err = newPortSets(g.Routers, func(at, to int32, into []uint16) []uint16 {
		return nearer(g, l.dist[int(to)*g.Routers:(int(to)+1)*g.Routers], at, into)
	})
	return l, err
}

// nearer appends the ports of a router whose other ends are nearer by one hop.
func nearer(g *topology.Graph, dist []uint8, at int32, into []uint16) []uint16 {
	base := g.PortBase[at]
	for p := base; p < g.PortBase[at+1]; p++ {
		if peer := g.Ports[p].Peer; peer != topology.Unconnected && dist[g.Ports[peer].Router]+1 == dist[at] {
			into = append(into, uint16(p-base))
		}
	}
	return into
}

// farthestHosts is the greatest distance between routers that have hosts.
func farthestHosts(g *topology.Graph, dist []uint8) int {
	hosted := make([]int, 0, g.Routers)
	for nic := 0; nic < len(g.NICPort); nic += g.NICsPerHost {
		r := int(g.Ports[g.NICPort[nic]].Router)
		if len(hosted) == 0 || hosted[len(hosted)-1] != r {
			hosted = append(hosted, r)
		}
	}
	most := uint8(0)
	for _, to := range hosted {
		for _, at := range hosted {
			most = max(most, dist[to*g.Routers+at])
		}
	}
	return int(most)
}

func (l *tableLeg) classes() int {
	if l.byHop {
		return max(l.farthest, 1)
	}
	return 1
}

func (l *tableLeg) distance(at, to int32) int { return int(l.dist[int(to)*l.routers+int(at)]) }

func (l *tableLeg) class(at, to int32) uint16 {
	if !l.byHop {
		return 0
	}
	return uint16(max(l.farthest-l.distance(at, to), 0))
}

func (l *tableLeg) next(at, to int32, flow uint64) hop {
	ports := l.sets.of(at, to)
	return hop{port: ports[pick(flow, at, len(ports))], class: l.class(at, to)}
}

func (l *tableLeg) ways(at, to int32, list []Candidate) []Candidate {
	class := l.class(at, to)
	for _, p := range l.sets.of(at, to) {
		list = append(list, Candidate{Port: p, VC: class})
	}
	return list
}

// search is breadth-first search over routers, again and again.
type search struct {
	graph *topology.Graph
	queue []int32
}

func newSearch(g *topology.Graph) *search {
	return &search{graph: g, queue: make([]int32, 0, g.Routers)}
}

const unreached = math.MaxUint8

// from fills in the distances to a router.
func (s *search) from(to int, dist []uint8) error {
	for i := range dist {
		dist[i] = unreached
	}
	dist[to] = 0
	s.queue = append(s.queue[:0], int32(to))
	for i := 0; i < len(s.queue); i++ {
		at := s.queue[i]
		if dist[at] == unreached-1 {
			return fmt.Errorf("shortest paths of more than %d hops do not fit in routing tables", unreached-1)
		}
		for p := s.graph.PortBase[at]; p < s.graph.PortBase[at+1]; p++ {
			peer := s.graph.Ports[p].Peer
			if peer == topology.Unconnected {
				continue
			}
			if r := s.graph.Ports[peer].Router; dist[r] == unreached {
				dist[r] = dist[at] + 1
				s.queue = append(s.queue, r)
			}
		}
	}
	if len(s.queue) < len(dist) {
		return disconnected(s.graph, dist)
	}
	return nil
}

func disconnected(g *topology.Graph, dist []uint8) error {
	for r, d := range dist {
		if d == unreached {
			return fmt.Errorf("the network is not connected: no way leads to router %d (%d routers are reached)", r, g.Routers-count(dist, unreached))
		}
	}
	return nil
}

func count(list []uint8, value uint8) int {
	n := 0
	for _, v := range list {
		if v == value {
			n++
		}
	}
	return n
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
