package routing

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(50, Description[UpDownOptions]{
	Summary: "up a spanning tree and down again; free of deadlock on any network",
	Make: func(o *UpDownOptions, n Network) (Algorithm, error) {
		return NewUpDown(n.Graph(), n.VCs, o.Root.number())
	},
	Memory:    func(_ *UpDownOptions, t topology.Topology) int64 { return UpDownMemory(t.Graph().Routers) },
	AlikeWith: (*UpDownOptions).alike,
	Pairs:     true,
	Manual: Manual{
		Section: "up-down", Networks: "any, up to 65,536 routers",
		Routes: "the shortest that go up, then down a spanning tree", VCs: "1",
		Source: "Schroeder et al. (Autonet) 1991",
	},
	Examples: []string{"", "root: 0"},
})

// UpDownOptions are the options of the algorithm "up-down" in experiments.
type UpDownOptions struct {
	Root Root `yaml:"root" help:"'middle', or the number of a router" default:"'middle'" fill:"middle"`
}

// Name implements Spec.
func (UpDownOptions) Name() string { return "up-down" }

// alike returns the families of networks for up*/down* routing. There are none if the root is given
// by its number, which a smaller network may not have.
func (o *UpDownOptions) alike() []topology.Family {
	if o.Root.Given {
		return nil
	}
	return []topology.Family{topology.FamilyRings, topology.FamilyJoined, topology.FamilySlimFlies}
}

// Root selects the root of the spanning tree. The zero value selects a router in the middle of the
// network.
type Root struct {
	Router int
	Given  bool // Router is the root; else it is a router in the middle
}

// number returns the number of the given root, -1 for a router in the middle.
func (r Root) number() int {
	if r.Given {
		return r.Router
	}
	return -1
}

// String returns the text that UnmarshalText parses.
func (r Root) String() string {
	if !r.Given {
		return "middle"
	}
	return strconv.Itoa(r.Router)
}

// UnmarshalText parses "middle" or the number of a router.
func (r *Root) UnmarshalText(text []byte) error {
	*r = Root{}
	if string(text) == "middle" {
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return &units.Error{Found: string(text), Expected: "middle or the number of a router"}
	}
	*r = Root{n, true}
	return nil
}

// UpDown is up*/down* routing on any connected network (Schroeder, Birrell, Burrows, Murray,
// Needham, Rodeheffer, Satterthwaite and Thacker: Autonet, IEEE J. Selected Areas in Communications
// 1991). Routers are ordered by their distance from the root of a breadth-first spanning tree, then
// by number; the end of a link that comes first is its upper end. A route goes up any number of
// links, then down any number, and never up again. It is the shortest of this form; among several a
// hash of source and destination chooses. One virtual channel is enough; with more, flows are
// spread over them.
type UpDown struct {
	channels *vcClasses
	rank     []int32 // of routers: lower is up
	// climbing holds the next ports of packets that may still go up, falling those of packets that
	// may only go down
	climbing, falling *kept
	address
	down field // 1 once the packet has gone down
}

// NewUpDown computes the tables for a spanning tree from the given root, or from a router in the
// middle of the network if root is -1. It fails with a TooLargeError on networks that are too
// large, and if the root is no router or the network is not connected.
func NewUpDown(g *topology.Graph, vcs, root int) (*UpDown, error) {
	switch {
	case g.Routers > maxTableRouters:
		return nil, &TooLargeError{Algorithm: "up*/down* routing", Routers: g.Routers, Most: maxTableRouters}
	case root < -1 || root >= g.Routers:
		return nil, fmt.Errorf("the root is a router from 0 to %d, not %d", g.Routers-1, root)
	}
	channels, err := newVCClasses(vcs, 1, "up-down")
	if err != nil {
		return nil, err
	}
	u := &UpDown{channels: channels}
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

// UpDownMemory returns the memory for the tables of up*/down* routing on a network of so many
// routers, in bytes.
func UpDownMemory(routers int) int64 { return 4*int64(routers)*int64(routers) + 2*keptMemory(routers) }

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

// sets returns the next ports of packets that have gone down (down is 1), or of those that have not
// (0).
func (u *UpDown) sets(down uint64) *kept {
	if down == 1 {
		return u.falling
	}
	return u.climbing
}

// Name returns "up-down".
func (u *UpDown) Name() string { return "up-down" }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (u *UpDown) Start(src, dst int32) (uint64, uint8) {
	hash := u.pair(src, dst)
	header := u.header(dst, hash, hash)
	_, vc, _ := u.Next(u.router(src), header)
	return header, uint8(vc)
}

// Next returns the next hop of a shortest route that does not go up after it has gone down.
func (u *UpDown) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	to := int32(u.to.of(header))
	vc = u.channels.vc(0, u.choice.of(header))
	if router == to {
		return uint16(u.exit.of(header)), vc, header
	}
	port = u.sets(u.down.of(header)).pick(router, to, u.flow.of(header))
	return port, vc, u.down.set(header, u.down.of(header)|u.leadsDown(router, port))
}

// leadsDown returns 1 if the link of a port goes down, else 0.
func (u *UpDown) leadsDown(router int32, port uint16) uint64 {
	peer := u.graph.Ports[u.graph.PortBase[router]+int32(port)].Peer
	if u.rank[u.graph.Ports[peer].Router] > u.rank[router] {
		return 1
	}
	return 0
}

// OutlineStarts implements Outliner. An outline is the destination router; bit 32 is set if packets
// have gone down.
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
		to = u.channels.each(c.hop(), outline|u.leadsDown(router, c.Port)<<32, to)
	}
	*room = list
	waysRoom.Put(room)
	return to
}
