package legs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fabricast/topology"
)

// UpDown finds the next hops of shortest routes that go up a spanning tree any number of links,
// then down any number. Routers are ordered by their distance from its root, then by number; the end
// of a link that comes first is its upper end.
type UpDown struct {
	graph *topology.Graph
	rank  []int32 // of routers: lower is up
	// climbing holds the next ports of packets that may still go up, falling those of packets that
	// may only go down
	climbing, falling *kept
}

// NewUpDown computes the tables for a spanning tree from the given root, or from a router in the
// middle of the network if root is -1. It fails with a TooLargeError on networks that are too
// large, and if the root is no router or the network is not connected.
func NewUpDown(g *topology.Graph, root int) (*UpDown, error) {
	switch {
	case g.Routers > maxTableRouters:
		return nil, &TooLargeError{Algorithm: "up*/down* routing", Routers: g.Routers, Most: maxTableRouters}
	case g.OneWay():
		return nil, errors.New("up*/down* routing needs links that lead both ways")
	case root < -1 || root >= g.Routers:
		return nil, fmt.Errorf("the root is a router from 0 to %d, not %d", g.Routers-1, root)
	case root >= 0 && !g.Forwards(root):
		return nil, fmt.Errorf("the root is a router that forwards packets, not the node %d", root)
	}
	rank, err := ranks(g, root)
	if err != nil {
		return nil, err
	}
	table := newLegalLengths(g, rank)
	up, down := climbing{table}, falling{table}
	return &UpDown{g, rank, newKept(up, up, g.Routers), newKept(down, down, g.Routers)}, nil
}

// UpDownMemory returns the memory for the tables of up*/down* routing on a network of so many
// routers, in bytes.
func UpDownMemory(routers int) int64 { return 4*int64(routers)*int64(routers) + 2*keptMemory(routers) }

// sets returns the next ports of packets that have gone down (down is 1), or of those that have not
// (0).
func (u *UpDown) sets(down uint64) *kept {
	if down == 1 {
		return u.falling
	}
	return u.climbing
}

// Next returns the port by which a flow goes on at router at toward router to. down is 1 for packets
// that have gone down, else 0.
func (u *UpDown) Next(at, to int32, down, flow uint64) uint16 {
	return u.sets(down).pick(at, to, flow)
}

// Onward appends the ports from which next chooses, in ascending order.
func (u *UpDown) Onward(at, to int32, down uint64, list []Candidate) []Candidate {
	return u.sets(down).onward.Onward(at, to, list)
}

// LeadsDown returns 1 if the link of a port goes down, else 0.
func (u *UpDown) LeadsDown(router int32, port uint16) uint64 {
	peer := u.graph.Ports[u.graph.PortBase[router]+int32(port)].Peer
	if u.rank[u.graph.Ports[peer].Router] > u.rank[router] {
		return 1
	}
	return 0
}

// ranks returns the place of each router in the order by distance from the root, then by number.
func ranks(g *topology.Graph, root int) ([]int32, error) {
	dist := make([]uint8, g.Routers)
	s := newSearch(g)
	if root < 0 {
		var err error
		if root, err = s.middle(dist); err != nil {
			return nil, err
		}
	}
	if err := s.from(root, dist); err != nil {
		return nil, err
	}
	rank := make([]int32, g.Routers)
	for r, d := range dist {
		rank[r] = int32(d)*int32(g.Routers) + int32(r)
		if !g.Forwards(r) {
			rank[r] += unreached * int32(g.Routers) // below all others, so that no route passes it
		}
	}
	return rank, nil
}

// middle returns a router half-way between two that are far apart: the last one that a search from
// any router reaches, and the last one that a search from there reaches.
func (s *search) middle(dist []uint8) (int, error) {
	if err := s.from(0, dist); err != nil {
		return 0, err
	}
	if err := s.from(int(s.queue[len(s.queue)-1]), dist); err != nil {
		return 0, err
	}
	at := s.queue[len(s.queue)-1]
	for half := dist[at] / 2; dist[at] > half; {
		at = nearer(s.graph, dist, at)
	}
	if !s.graph.Forwards(int(at)) { // it is the start, one link from all others
		for p := s.graph.PortBase[at]; p < s.graph.PortBase[at+1]; p++ {
			if r := s.graph.PeerRouter(int(p)); r >= 0 {
				return r, nil
			}
		}
	}
	return int(at), nil
}

// nearer returns the first neighbour of router at that is one hop nearer to the start of the
// search.
func nearer(g *topology.Graph, dist []uint8, at int32) int32 {
	for p := g.PortBase[at]; ; p++ {
		if r := g.PeerRouter(int(p)); r >= 0 && dist[r]+1 == dist[at] {
			return int32(r)
		}
	}
}

// search performs breadth-first searches over routers, and reuses its memory.
type search struct {
	graph *topology.Graph
	queue []int32
}

func newSearch(g *topology.Graph) *search {
	return &search{graph: g, queue: make([]int32, 0, g.Routers)}
}

const unreached = math.MaxUint8

// from fills in the distances from all routers to one, in hops. It returns an error if a router
// cannot be reached, or is too far away.
func (s *search) from(to int, dist []uint8) error {
	for i := range dist {
		dist[i] = unreached
	}
	dist[to] = 0
	s.queue = append(s.queue[:0], int32(to))
	for i := 0; i < len(s.queue); i++ {
		at := s.queue[i]
		if i > 0 && !s.graph.Forwards(int(at)) {
			continue
		}
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
		return &topology.DisconnectedError{Router: slices.Index(dist, unreached), Reached: len(s.queue)}
	}
	return nil
}
