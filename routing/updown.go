package routing

import (
	"cmp"
	"fmt"
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
	climbing, falling *portSets
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
	return u, u.tabulate()
}

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
		port := nearer(s.graph, dist, at, nil)[0]
		at = s.graph.Ports[s.graph.Ports[s.graph.PortBase[at]+int32(port)].Peer].Router
	}
	return int(at), nil
}

const noWay = 1 << 14 // longer than any way

// tabulate computes the lengths of legal routes to every router: down[r] of those
// that only go down, up[r] of all.
func (u *UpDown) tabulate() error {
	n := u.graph.Routers
	order := u.byRank()
	down, up := make([][]uint16, n), make([][]uint16, n)
	for to := range n {
		down[to], up[to] = u.lengths(int32(to), order)
	}
	var err error
	if u.climbing, err = newPortSets(n, func(at, to int32, into []uint16) []uint16 {
		return u.ports(at, to, down[to], up[to], into)
	}); err != nil {
		return err
	}
	u.falling, err = newPortSets(n, func(at, to int32, into []uint16) []uint16 {
		return u.ports(at, to, down[to], down[to], into)
	})
	return err
}

// byRank lists the routers from the root down.
func (u *UpDown) byRank() []int32 {
	order := make([]int32, len(u.rank))
	for r := range order {
		order[r] = int32(r)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(u.rank[a], u.rank[b]) })
	return order
}

// lengths are those of shortest legal routes to a router. A route down to it
// starts above it, so routers are taken from the bottom up; a route up comes
// from below, so from the top down.
func (u *UpDown) lengths(to int32, order []int32) (down, up []uint16) {
	down, up = make([]uint16, len(order)), make([]uint16, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i]
		down[at] = u.shortest(at, down, false)
		if at == to {
			down[at] = 0
		}
	}
	for _, at := range order {
		up[at] = min(down[at], u.shortest(at, up, true))
	}
	return down, up
}

// shortest is one more than the least length among the neighbours up or down of a router.
func (u *UpDown) shortest(at int32, length []uint16, up bool) uint16 {
	least := uint16(noWay)
	for p := u.graph.PortBase[at]; p < u.graph.PortBase[at+1]; p++ {
		if peer := u.graph.Ports[p].Peer; peer != topology.Unconnected {
			if r := u.graph.Ports[peer].Router; u.rank[r] < u.rank[at] == up && r != at {
				least = min(least, length[r]+1)
			}
		}
	}
	return least
}

// ports appends those on shortest legal routes: down ones by the lengths of routes
// down, up ones by the others. Both are alike for a packet that must not go up.
func (u *UpDown) ports(at, to int32, down, own []uint16, into []uint16) []uint16 {
	if at == to || own[at] >= noWay {
		return into
	}
	mayClimb := &down[0] != &own[0]
	base := u.graph.PortBase[at]
	for p := base; p < u.graph.PortBase[at+1]; p++ {
		peer := u.graph.Ports[p].Peer
		if peer == topology.Unconnected {
			continue
		}
		r := u.graph.Ports[peer].Router
		length := down[r]
		if u.rank[r] < u.rank[at] {
			if !mayClimb {
				continue
			}
			length = own[r]
		}
		if length+1 == own[at] {
			into = append(into, uint16(p-base))
		}
	}
	return into
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
	ports := u.sets(u.down.of(header)).of(router, to)
	port = ports[pick(u.flow.of(header), router, len(ports))]
	return port, vc, u.down.set(header, u.down.of(header)|u.leadsDown(router, port))
}

func (u *UpDown) sets(down uint64) *portSets {
	if down == 1 {
		return u.falling
	}
	return u.climbing
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
	for _, p := range u.sets(outline>>32).of(router, int32(outline)) {
		to = u.lanes.each(hop{port: p}, outline|u.leadsDown(router, p)<<32, to)
	}
	return to
}
