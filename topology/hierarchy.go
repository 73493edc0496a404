package topology

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

var _ = Register(110, Description[HierarchySpec]{
	Name: "hierarchy", Summary: "blocks of any topology, joined by another", Routing: "minimal",
	// blocks of four routers with two hosts each, connected by a torus
	Sized: func(hosts int) HierarchySpec {
		return HierarchySpec{
			Block: FullSpec{Routers: 4, Hosts: 2},
			Outer: TorusSpec{Dims: box(max(2, (hosts+7)/8), 3)},
		}
	},
	Manual: Manual{
		Section: "hierarchy", Routers: "of blocks and outer", Hosts: "of the blocks",
		Links: "of blocks and outer", Diameter: "by search",
	},
	Examples: []string{
		"block: {kind: fully-connected, routers: 4, hosts: 1}, outer: {kind: torus, dims: [3, 2]}",
		"block: {kind: k-ary-n-tree, k: 2, n: 2}, outer: {kind: mesh, dims: [3]}",
		"block: {kind: fully-connected, routers: 2, hosts: 2}, outer: {kind: xgft, m: [2, 2], w: [1, 2]}",
	},
})

// HierarchySpec holds the parameters of a hierarchy: copies of a block, which may be any topology,
// connected at their external ports by an outer topology. Both may be hierarchies themselves.
//
// If the outer topology has no hosts, each of its routers stands for a block, and each port of that
// router for an external port of the block. If it has hosts (as a fat tree always does), each of
// its hosts stands for a block, whose external ports all lead to the router of that host.
type HierarchySpec struct {
	Block Spec `yaml:"block" help:"what is repeated"`
	Outer Spec `yaml:"outer" help:"what joins the blocks" joins:"true"`
	// External holds, for each external port of a block, the ID within the block of the router that
	// has the port. If it is nil, a block has as many external ports as the outer topology needs
	// (one if its hosts are blocks), spread evenly over the routers in ascending order.
	External []int `yaml:"external" help:"the router of a block with each of its external ports" default:"in turn"`
}

// Hierarchy is a network of blocks that are connected by another network.
//
// The routers of a block have consecutive IDs, in the same order as within the block, and blocks
// are ordered as in the outer topology. If blocks are hosts of the outer topology, each of its
// routers comes directly after the blocks connected to it. The local ports of a block's router are
// first those within the block, then its external ports, then those of the NICs.
type Hierarchy struct {
	block, outer Topology
	size         int     // routers per block
	external     []int32 // by external port: the router of the block that has it
	exits        [][]int // by router of the block: its ports that lead out of the block
	rank         []int32 // by external port: its index among those of its router
	hosted       bool    // blocks are the hosts of the outer topology
	firstBlock   []int32 // if hosted: first block at each outer router, followed by the number of blocks
	classes      []string
	distances    *Distances
	graph        *Graph
}

// NewHierarchy builds the hierarchy that s describes. It returns an error if s is invalid.
func NewHierarchy(s HierarchySpec, nicsPerHost int) (*Hierarchy, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	block, err := s.Block.Build(nicsPerHost)
	if err != nil {
		return nil, err
	}
	return joinBlocks(block, s.Outer, s.rails(), s.External)
}

// Rejoined returns a hierarchy of the same blocks with another outer topology, which must require
// the same number of external ports.
func (h *Hierarchy) Rejoined(outer Spec) (*Hierarchy, error) {
	external := make([]int, len(h.external))
	for port, r := range h.external {
		external[port] = int(r)
	}
	return joinBlocks(h.block, outer, h.outer.Graph().NICsPerHost, external)
}

// joinBlocks returns the hierarchy of copies of a block that are connected by the outer topology
// `by`. rails is the number of NICs of each host of the outer topology.
func joinBlocks(block Topology, by Spec, rails int, external []int) (*Hierarchy, error) {
	hosted := by.Size().Hosts > 0
	outer, err := by.Build(rails)
	if err != nil {
		return nil, err
	}
	h := &Hierarchy{block: block, outer: outer, size: block.Graph().Routers, hosted: hosted}
	if err := h.place(external); err != nil {
		return nil, err
	}
	h.nameClasses()
	routers := h.Blocks() * h.size
	if hosted {
		routers += outer.Graph().Routers
		h.countBlocks()
	}
	h.graph = wiring{
		routers: routers, nics: block.Graph().NICsPerHost, degree: h.degree, far: h.far, hostClass: h.hostClass,
	}.layOut()
	h.distances = NewDistances(h.graph)
	return h, nil
}

// rails returns the number of NICs of each host of the outer topology: one for each external port.
func (s HierarchySpec) rails() int {
	if s.External == nil {
		return 1
	}
	return max(1, len(s.External))
}

// place assigns the external ports to the routers of the block.
func (h *Hierarchy) place(external []int) error {
	ports := h.outer.Graph().NICsPerHost
	if !h.hosted {
		ports = h.outer.Graph().Radix()
	}
	if external == nil {
		external = spread(ports, h.size)
	}
	if len(external) != ports {
		return &Mistake{
			Field: "external", Found: fmt.Sprintf("%d external ports of a block", len(external)),
			Expected: fmt.Sprintf("%d, as many as a router of the outer %s has", ports, h.outer.Kind()),
		}
	}
	h.exits = make([][]int, h.size)
	for port, r := range external {
		h.external = append(h.external, int32(r))
		h.rank = append(h.rank, int32(len(h.exits[r])))
		h.exits[r] = append(h.exits[r], port)
	}
	return nil
}

// spread returns the router of each port when the ports are distributed evenly over the routers, in
// ascending order.
func spread(ports, routers int) []int {
	list := make([]int, ports)
	for p := range list {
		list[p] = p * routers / ports
	}
	return list
}

// countBlocks computes firstBlock.
func (h *Hierarchy) countBlocks() {
	g := h.outer.Graph()
	h.firstBlock = make([]int32, g.Routers+1)
	for b := range g.Hosts {
		h.firstBlock[g.HostRouter(b)+1]++
	}
	for r := range g.Routers {
		h.firstBlock[r+1] += h.firstBlock[r]
	}
}

// Check implements Spec.
func (s HierarchySpec) Check() []Mistake {
	var c checker
	right := checkPart(&c, "block", s.Block)
	right = checkPart(&c, "outer", s.Outer) && right
	if !right {
		return c.mistakes
	}
	routers := s.Block.Size().Routers
	for i, r := range s.External {
		c.demand(
			r >= 0 && r < routers, fmt.Sprintf("external[%d]", i), r,
			fmt.Sprintf("a router of the block, 0 to %d", routers-1),
		)
	}
	c.demand(
		s.External == nil || len(s.External) > 0, "external", "no ports",
		"a router of the block for each external port",
	)
	if len(c.mistakes) == 0 {
		c.fits("outer", fmt.Sprintf("blocks of %d routers", routers), s.Size())
	}
	return c.mistakes
}

// checkPart checks the block or the outer topology, whose parameter is called name. It reports
// whether it is valid.
func checkPart(c *checker, name string, p Spec) bool {
	if p == nil {
		return c.demand(false, name, "nothing", "a topology")
	}
	mistakes := p.Check()
	irregular, is := p.(IrregularSpec)
	if is && slices.ContainsFunc(irregular.Edges, func(e Edge) bool { return e.OneWay }) {
		mistakes = append(mistakes, Mistake{Field: "edges", Found: "a link that leads one way", Expected: "links that lead both ways"})
	}
	if is && irregular.Ends != nil {
		mistakes = append(mistakes, Mistake{
			Field: "adapters", Found: "joined", Expected: "apart, if the network is a part of another",
		})
	}
	for _, m := range mistakes {
		m.Field = name + "." + m.Field
		c.mistakes = append(c.mistakes, m)
	}
	return len(mistakes) == 0
}

// Size implements Spec.
func (s HierarchySpec) Size() Size {
	block, outer := s.Block.Size(), s.Outer.Size()
	blocks, switches, joins := outer.Routers, 0, outer.Links
	if outer.Hosts > 0 {
		blocks, switches = outer.Hosts, outer.Routers
		joins += 2 * outer.Hosts * s.rails()
	}
	inside := product(blocks, block.Routers)
	links := product(blocks, block.Links)
	if inside < 0 || links < 0 {
		return Size{Routers: -1}
	}
	return Size{Routers: inside + switches, Hosts: product(blocks, block.Hosts), Links: links + joins}
}

// Build implements Spec.
func (s HierarchySpec) Build(nics int) (Topology, error) { return NewHierarchy(s, nics) }

// degree returns the numbers of links and hosts of a router.
func (h *Hierarchy) degree(r int) (links, hosts int) {
	block, inner := h.Place(r)
	if block < 0 {
		return h.outer.Graph().degree(inner), 0
	}
	g := h.block.Graph()
	links = g.linksOf(inner)
	return links + len(h.exits[inner]), (g.degree(inner) - links) / g.NICsPerHost
}

// far returns the router and port at the other end of port p, and the link's class.
func (h *Hierarchy) far(r, p int) (peer, peerPort int, class uint16) {
	block, inner := h.Place(r)
	if block < 0 {
		return h.fromSwitch(inner, p)
	}
	g := h.block.Graph()
	if own := g.linksOf(inner); p >= own {
		return h.outward(block, h.exits[inner][p-own])
	}
	port := g.Ports[int(g.PortBase[inner])+p]
	if port.Peer == Unconnected {
		return int(Unconnected), 0, port.Link
	}
	peer, peerPort = g.Local(int(port.Peer))
	return h.Router(block, peer), peerPort, port.Link
}

// outward returns the router and port at the other end of an external port of a block. If the
// routers of the outer topology have different numbers of ports, some external ports stay open.
func (h *Hierarchy) outward(block, external int) (peer, peerPort int, class uint16) {
	g := h.outer.Graph()
	if h.hosted {
		port := int(g.NICPort[block*g.NICsPerHost+external])
		router, local := g.Local(port)
		return h.Switch(router), local, h.outerClass(g.Ports[port].Link)
	}
	if external >= g.degree(block) {
		return int(Unconnected), 0, h.outerClass(LinkRouter)
	}
	port := g.Ports[int(g.PortBase[block])+external]
	if port.Peer == Unconnected {
		return int(Unconnected), 0, h.outerClass(port.Link)
	}
	other, entry := g.Local(int(port.Peer))
	peer, peerPort = h.Exit(other, entry)
	return peer, peerPort, h.outerClass(port.Link)
}

// fromSwitch returns the router and port at the other end of port p of router r of the outer
// topology.
func (h *Hierarchy) fromSwitch(r, p int) (peer, peerPort int, class uint16) {
	g := h.outer.Graph()
	port := g.Ports[int(g.PortBase[r])+p]
	switch {
	case port.NIC != Unconnected:
		peer, peerPort = h.Exit(int(port.NIC)/g.NICsPerHost, int(port.NIC)%g.NICsPerHost)
		return peer, peerPort, h.outerClass(port.Link)
	case port.Peer == Unconnected:
		return int(Unconnected), 0, h.outerClass(port.Link)
	}
	other, entry := g.Local(int(port.Peer))
	return h.Switch(other), entry, h.outerClass(port.Link)
}

// hostClass returns the class of a NIC's link, which is that in the block.
func (h *Hierarchy) hostClass(nic int) uint16 {
	g := h.block.Graph()
	return g.Ports[g.NICPort[nic%len(g.NICPort)]].Link
}

// outerClass returns the hierarchy's link class for a link class of the outer topology.
func (h *Hierarchy) outerClass(class uint16) uint16 {
	return uint16(len(h.block.LinkClasses())) + class
}

func (h *Hierarchy) nameClasses() {
	for _, name := range h.block.LinkClasses() {
		h.classes = append(h.classes, InBlock(name))
	}
	for _, name := range h.outer.LinkClasses() {
		h.classes = append(h.classes, InOuter(name))
	}
}

// InBlock returns the name, in a hierarchy, of a link class of the block.
func InBlock(class string) string {
	if OfHosts(class) {
		return class
	}
	return "block/" + class
}

// InOuter returns the name, in a hierarchy, of a link class of the outer topology.
func InOuter(class string) string {
	if OfHosts(class) {
		class = "join" + strings.TrimPrefix(class, HostLinks)
	}
	return "outer/" + class
}

// Kind returns "hierarchy".
func (h *Hierarchy) Kind() string { return "hierarchy" }

// Graph returns the network.
func (h *Hierarchy) Graph() *Graph { return h.graph }

// LinkClasses returns the names of the block's classes as "block/local" and so on, "host", and
// those of the outer topology's classes as "outer/x" and so on. The links between blocks and the
// outer topology's routers are "outer/join".
func (h *Hierarchy) LinkClasses() []string { return h.classes }

// Block returns the topology of one block, with its hosts.
func (h *Hierarchy) Block() Topology { return h.block }

// Outer returns the topology that connects the blocks.
func (h *Hierarchy) Outer() Topology { return h.outer }

// Hosted reports whether blocks are hosts of the outer topology rather than its routers.
func (h *Hierarchy) Hosted() bool { return h.hosted }

// Blocks returns the number of blocks.
func (h *Hierarchy) Blocks() int {
	if h.hosted {
		return h.outer.Graph().Hosts
	}
	return h.outer.Graph().Routers
}

// Place returns the block of a router and its ID within the block. For a router of the outer
// topology that is not a block, block is -1 and inner is its ID in the outer topology.
func (h *Hierarchy) Place(router int) (block, inner int) {
	if !h.hosted {
		return router / h.size, router % h.size
	}
	// A switch has a higher ID than its blocks. o is the first switch that does not precede the
	// router.
	o := sort.Search(h.outer.Graph().Routers, func(o int) bool { return h.Switch(o) >= router })
	if h.Switch(o) == router {
		return -1, o
	}
	past := router - o // index of the router, not counting the switches before it
	return past / h.size, past % h.size
}

// Router returns the ID of router inner of a block.
func (h *Hierarchy) Router(block, inner int) int {
	r := block*h.size + inner
	if h.hosted {
		r += h.outer.Graph().HostRouter(block)
	}
	return r
}

// Switch returns the ID in the hierarchy of a router of the outer topology that is not a block.
func (h *Hierarchy) Switch(outer int) int { return int(h.firstBlock[outer+1])*h.size + outer }

// ExternalPorts returns the number of external ports of a block.
func (h *Hierarchy) ExternalPorts() int { return len(h.external) }

// Exit returns the router that has an external port of a block, and the local port there.
func (h *Hierarchy) Exit(block, external int) (router, port int) {
	inner := int(h.external[external])
	return h.Router(block, inner), h.block.Graph().linksOf(inner) + int(h.rank[external])
}

// OwnLinks returns the number of ports of a block's router that lead to other routers of the block.
// These are its first ports.
func (h *Hierarchy) OwnLinks(inner int) int { return h.block.Graph().linksOf(inner) }

// External returns the index of the external port that is a router's local port. ok is false if the
// port is not external.
func (h *Hierarchy) External(router, port int) (external int, ok bool) {
	block, inner := h.Place(router)
	if block < 0 {
		return 0, false
	}
	exits, i := h.exits[inner], port-h.OwnLinks(inner)
	if i < 0 || i >= len(exits) {
		return 0, false
	}
	return exits[i], true
}

// RouterName returns the name of the block followed by that of the router within it: "(1,0)/(2)". A
// router of the outer topology that is not a block is called "outer/1:0.0".
func (h *Hierarchy) RouterName(router int) string {
	block, inner := h.Place(router)
	switch {
	case block < 0:
		return "outer/" + h.outer.RouterName(inner)
	case h.hosted:
		return fmt.Sprintf("%d/%s", block, h.block.RouterName(inner))
	}
	return h.outer.RouterName(block) + "/" + h.block.RouterName(inner)
}

// PortName returns the block's name of a port within the block, or "outer/+x" for an external port
// that is +x in the outer topology.
func (h *Hierarchy) PortName(router, port int) string {
	block, inner := h.Place(router)
	if block < 0 {
		return h.switchPort(inner, port)
	}
	links := h.block.Graph().linksOf(inner)
	switch exits := h.exits[inner]; {
	case port < links:
		name := h.block.PortName(inner, port)
		if strings.Contains(name, "outer/") {
			name = "block/" + name
		}
		return name
	case port < links+len(exits):
		return h.externalName(block, exits[port-links])
	default:
		return h.block.PortName(inner, port-len(exits))
	}
}

func (h *Hierarchy) externalName(block, external int) string {
	if h.hosted || external >= h.outer.Graph().degree(block) {
		return fmt.Sprintf("outer/%d", external)
	}
	return "outer/" + h.outer.PortName(block, external)
}

func (h *Hierarchy) switchPort(outer, port int) string {
	g := h.outer.Graph()
	nic := g.Ports[int(g.PortBase[outer])+port].NIC
	switch {
	case nic == Unconnected:
		return h.outer.PortName(outer, port)
	case g.NICsPerHost > 1:
		return fmt.Sprintf("block%d.%d", int(nic)/g.NICsPerHost, int(nic)%g.NICsPerHost)
	}
	return fmt.Sprintf("block%d", nic)
}

// Distance returns the number of links between the routers of two hosts, found by breadth-first
// search.
func (h *Hierarchy) Distance(a, b int) int { return h.distances.Hosts(a, b) }

// FamilyJoined is the family of hierarchies whose blocks are connected by a torus or mesh of
// FamilyRings. Shortest-path routing cannot use it, because shortest paths may traverse blocks in
// any order.
const FamilyJoined Family = "hierarchies joined by tori and meshes"

// Representative returns the same blocks connected by a smaller torus or mesh. It implements
// Represented.
func (h *Hierarchy) Representative() (Representative, bool) {
	outer, ok := h.outer.(*Torus)
	if !ok {
		return Representative{}, false
	}
	s := outer.smaller()
	return Representative{
		Of: FamilyJoined, Name: s.name(outer.Kind()) + " blocks",
		Build: func() (Topology, error) { return h.Rejoined(s) },
	}, h.graph.Routers > manyRouters && !slices.Equal(s.Dims, outer.dims)
}

// Group returns the block of a router, or -1 for a router of the outer topology that is not a
// block. It implements Grouped.
func (h *Hierarchy) Group(router int) int {
	block, _ := h.Place(router)
	return block
}

// Level implements Leveled. It returns levels if the block or the outer topology has them.
func (h *Hierarchy) Level(router int) int {
	block, inner := h.Place(router)
	if block < 0 {
		return level(h.outer, inner)
	}
	return level(h.block, inner)
}

// Shape implements Shaped.
func (h *Hierarchy) Shape() Shape { return Nest{h} }

// Representatives implements Symmetric. If all routers of the outer topology are equivalent, port
// by port, the first block represents all blocks.
func (h *Hierarchy) Representatives() int {
	if outer, ok := h.outer.(*Torus); ok && !h.hosted && outer.Representatives() == 1 {
		return h.size
	}
	return h.graph.Routers
}
