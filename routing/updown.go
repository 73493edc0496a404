package routing

import (
	"fmt"
	"math"
	"slices"

	"fabricast/topology"
)

// UpDown is up*/down* routing on any connected network (Schroeder, Birrell,
// Burrows, Murray, Needham, Rodeheffer, Satterthwaite and Thacker: Autonet, IEEE
// J. Selected Areas in Communications 1991). A breadth-first spanning tree gives every
// link an end that is up: the one nearer to the root, or the lower number at
// equal distance. A route goes up any number of links and then down any number,
// never up again, and is the shortest of that form; one of several by a hash of
// source and destination. One virtual channel is enough; with more, flows are
// spread over them.
type UpDown struct {
	lanes *lanes
	rank  []int32 // of routers: lower is up
	// climbing holds the ports on shortest legal routes that may still go up,
	// falling those of routes that go down only.
	climbing, falling *kept
	address
	down field // the packet has gone down
}

// NewUpDown computes the tables for a spanning tree from the root; a root of -1
// takes a router in the middle of the network.
func NewUpDown(g *topology.Graph, vcs, root int) (*UpDown, error) {
	switch {
	case g.Routers > maxTableRouters:
		return nil, &TooLargeError{Algorithm: "up*/down* routing", Routers: g.Routers, Most: maxTableRouters}
	case root < -1 || root >= g.Routers:
		return nil, fmt.Errorf("the root is a router from 0 to %d, not %d", g.Routers-1, root)
	}
	lanes, err := newLanes(vcs, 1, "up-down")
	if err != nil {
		return nil, err
	}
	u := &UpDown{lanes: lanes}
	layout := (*headerLayout)(nil)
	if u.address, layout, err = newAddress(g, 1); err != nil {
		return nil, err
	}
	u.down = layout.field(1)
	if u.rank, err = ranks(g, root); err != nil {
		return nil, err
	}
	table := newLegalLengths(g, u.rank)
	up, down := climbing{table}, falling{table}
	u.climbing, u.falling = newKept(up, up, g.Routers), newKept(down, down, g.Routers)
	return u, nil
}

// UpDownMemory is what tables of up*/down* routing take on a network of so many routers, in bytes.
func UpDownMemory(routers int) int64 { return 4*int64(routers)*int64(routers) + 2*keptMemory(routers) }

// ranks numbers the routers by distance from the root, then by number.
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
	}
	return rank, nil
}

// middle is a router half-way between two that are far apart: the search from any
// router ends at a far one, the search from there at the other.
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
	return int(at), nil
}

// nearer is the first neighbour of a router that is nearer by one hop.
func nearer(g *topology.Graph, dist []uint8, at int32) int32 {
	for p := g.PortBase[at]; ; p++ {
		if r := g.PeerRouter(int(p)); r >= 0 && dist[r]+1 == dist[at] {
			return int32(r)
		}
	}
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
		return &topology.DisconnectedError{Router: slices.Index(dist, unreached), Reached: len(s.queue)}
	}
	return nil
}

// sets are the ways of packets that have gone down, or of those that have not.
func (u *UpDown) sets(down uint64) *kept {
	if down == 1 {
		return u.falling
	}
	return u.climbing
}

// Name is "up-down".
func (u *UpDown) Name() string { return "up-down" }

// Start returns the header for packets between two NICs.
func (u *UpDown) Start(src, dst int32) (uint64, uint8) {
	hash := u.pair(src, dst)
	header := u.header(dst, hash, hash)
	_, vc, _ := u.Next(u.router(src), header)
	return header, uint8(vc)
}

// Next goes on along a shortest legal route.
func (u *UpDown) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	to := int32(u.to.of(header))
	vc = u.lanes.vc(0, u.lane.of(header))
	if router == to {
		return uint16(u.exit.of(header)), vc, header
	}
	port = u.sets(u.down.of(header)).pick(router, to, u.flow.of(header))
	return port, vc, u.down.set(header, u.down.of(header)|u.leadsDown(router, port))
}

// leadsDown is 1 for a port whose link goes down.
func (u *UpDown) leadsDown(router int32, port uint16) uint64 {
	peer := u.graph.Ports[u.graph.PortBase[router]+int32(port)].Peer
	if u.rank[u.graph.Ports[peer].Router] > u.rank[router] {
		return 1
	}
	return 0
}

// OutlineStarts implements Outliner: an outline is the destination router, and
// in bit 32 whether packets have gone down.
func (u *UpDown) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}

// OutlineSteps implements Outliner.
func (u *UpDown) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	if router == int32(outline) {
		return to
	}
	room := waysRoom.Get().(*[]Candidate)
	list := u.sets(outline>>32).onward.onward(router, int32(outline), (*room)[:0])
	for _, c := range list {
		to = u.lanes.each(c.hop(), outline|u.leadsDown(router, c.Port)<<32, to)
	}
	*room = list
	waysRoom.Put(room)
	return to
}
