package routing

import (
	"slices"
	"strconv"

	"fabricast/internal/units"
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(50, Description[UpDownOptions]{
	Summary: "up a spanning tree and down again; free of deadlock on any network",
	Ends:    true,
	Make: func(o *UpDownOptions, n Network) (Algorithm, error) {
		return NewUpDown(n.Graph(), n.VCs, o.Root.number())
	},
	Memory:    func(_ *UpDownOptions, t topology.Topology) int64 { return legs.UpDownMemory(t.Graph().Routers) },
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
	alike
	toRouter
	ways    *legs.UpDown
	address headers.Address
	down    headers.Field // 1 once the packet has gone down
}

// NewUpDown computes the tables for a spanning tree from the given root, or from a router in the
// middle of the network if root is -1. It fails with a TooLargeError on networks that are too
// large, and if the root is no router or the network is not connected.
func NewUpDown(g *topology.Graph, vcs, root int) (*UpDown, error) {
	ways, err := legs.NewUpDown(g, root)
	if err != nil {
		return nil, err
	}
	channels, err := newVCClasses(vcs, 1, "up-down")
	if err != nil {
		return nil, err
	}
	a, layout, err := headers.NewAddress(g, 1)
	if err != nil {
		return nil, err
	}
	return &UpDown{alike: alike{channels}, ways: ways, address: a, down: layout.Field(1)}, nil
}

// Name returns "up-down".
func (u *UpDown) Name() string { return "up-down" }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (u *UpDown) Start(src, dst int32) (uint64, uint8) {
	hash := u.address.Pair(src, dst)
	header := u.address.Header(dst, hash, hash)
	_, vc, _ := u.Next(u.address.Router(src), header)
	return header, uint8(vc)
}

// Next returns the next hop of a shortest route that does not go up after it has gone down.
func (u *UpDown) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	to := int32(u.address.To.Of(header))
	vc = u.channels.vc(0, u.address.Choice.Of(header))
	if router == to {
		return uint16(u.address.Exit.Of(header)), vc, header
	}
	down := u.down.Of(header)
	port = u.ways.Next(router, to, down, u.address.Flow.Of(header))
	return port, vc, u.down.Set(header, down|u.ways.LeadsDown(router, port))
}

// OutlineSteps implements Outliner. In an outline, bit 32 is set if packets have gone down.
func (u *UpDown) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	if router == int32(outline) {
		return to
	}
	first := len(to)
	to = u.ways.Onward(router, int32(outline), outline>>32, to)
	ways := len(to)
	for i := first; i < ways; i++ {
		h := legs.HopOf(to[i])
		to = u.channels.each(h, outline|u.ways.LeadsDown(router, h.Port)<<32, to)
	}
	return slices.Delete(to, first, ways)
}
