package topology

import (
	"fmt"
	"sort"
	"strings"
)

// HierarchySpec describes a hierarchy: copies of a block, any topology, whose
// external ports are joined by another topology. Both may be hierarchies too.
//
// If the outer topology has no hosts of its own, each of its routers stands for
// a block, and each of that router's ports for an external port of the block. If
// it has hosts (as a fat tree always does), each of its hosts is a block, whose
// external ports all lead to that host's router.
type HierarchySpec struct {
	Block Spec
	Outer Spec
	// External tells for each external port of a block which of the block's routers
	// has it, by the router's number within the block. Nil: as many as the outer
	// topology takes (one, if its hosts are blocks), spread evenly, near ports at
	// the same router.
	External []int
}

// Hierarchy is a network of blocks that are joined by another network.
//
// The routers of a block are numbered one after the other, as within the block,
// the blocks in the order of the outer topology. Routers of the outer topology
// that are no blocks follow the blocks that hang on them. The local ports of a
// block's router are those within the block, then its external ones, then those
// of the NICs.
type Hierarchy struct {
	block, outer Topology
	size         int     // routers of a block
	external     []int32 // router of the block with each external port
	exits        [][]int // external ports of each router of the block
	rank         []int32 // of an external port among those of its router
	hosted       bool    // blocks are the outer topology's hosts
	firstBlock   []int32 // hosted: the first block at each outer router, and after the last
	classes      []string
	distances    *Distances
	graph        *Graph
}

// NewHierarchy lays a hierarchy out.
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

// Rejoined is a hierarchy of the same blocks with another outer topology, with as many ports for each block.
func (h *Hierarchy) Rejoined(outer Spec) (*Hierarchy, error) {
	external := make([]int, len(h.external))
	for port, r := range h.external {
		external[port] = int(r)
	}
	return joinBlocks(h.block, outer, h.outer.Graph().NICsPerHost, external)
}

// joinBlocks lays out copies of a block that hang on NICs of an outer topology, or stand for its routers.
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
	h.graph = wiring{routers: routers, nics: block.Graph().NICsPerHost, degree: h.degree, far: h.far}.layOut()
	h.distances = NewDistances(h.graph)
	return h, nil
}

// rails is the number of NICs that the outer topology's hosts have.
func (s HierarchySpec) rails() int {
	if s.External == nil {
		return 1
	}
	return max(1, len(s.External))
}

// place puts the external ports on the routers of the block.
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

// spread divides ports evenly over routers, near ports at the same router.
func spread(ports, routers int) []int {
	list := make([]int, ports)
	for p := range list {
		list[p] = p * routers / ports
	}
	return list
}

// countBlocks finds how many blocks come before those at each outer router.
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
	right := s.part(&c, "block", s.Block)
	right = s.part(&c, "outer", s.Outer) && right
	if !right {
		return c.mistakes
	}
	routers := s.Block.Size().Routers
	for i, r := range s.External {
		c.demand(r >= 0 && r < routers, fmt.Sprintf("external[%d]", i), r, fmt.Sprintf("a router of the block, 0 to %d", routers-1))
	}
	c.demand(s.External == nil || len(s.External) > 0, "external", "no ports", "a router of the block for each external port")
	if len(c.mistakes) == 0 {
		c.fits("outer", fmt.Sprintf("blocks of %d routers", routers), s.Size())
	}
	return c.mistakes
}

// part checks the block or the outer topology.
func (s HierarchySpec) part(c *checker, name string, p Spec) bool {
	if p == nil {
		return c.demand(false, name, "nothing", "a topology")
	}
	mistakes := p.Check()
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

// degree counts a router's links and hosts.
func (h *Hierarchy) degree(r int) (links, hosts int) {
	block, inner := h.Place(r)
	if block < 0 {
		return h.outer.Graph().degree(inner), 0
	}
	g := h.block.Graph()
	links = g.linksOf(inner)
	return links + len(h.exits[inner]), (g.degree(inner) - links) / g.NICsPerHost
}

// far is the other end of a port.
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

// outward is the other end of an external port of a block. Where routers of the
// outer topology have different numbers of ports, those beyond stay open.
func (h *Hierarchy) outward(block, external int) (peer, peerPort int, class uint16) {
	g := h.outer.Graph()
	if h.hosted {
		port := int(g.NICPort[block*g.NICsPerHost+external])
		router, local := g.Local(port)
		return h.Switch(router), local, h.outerClass(LinkHost)
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

// fromSwitch is the other end of a port of a router of the outer topology.
func (h *Hierarchy) fromSwitch(r, p int) (peer, peerPort int, class uint16) {
	g := h.outer.Graph()
	port := g.Ports[int(g.PortBase[r])+p]
	switch {
	case port.NIC != Unconnected:
		peer, peerPort = h.Exit(int(port.NIC)/g.NICsPerHost, int(port.NIC)%g.NICsPerHost)
		return peer, peerPort, h.outerClass(LinkHost)
	case port.Peer == Unconnected:
		return int(Unconnected), 0, h.outerClass(port.Link)
	}
	other, entry := g.Local(int(port.Peer))
	return h.Switch(other), entry, h.outerClass(port.Link)
}

// outerClass is the class here of a class of the outer topology.
func (h *Hierarchy) outerClass(class uint16) uint16 {
	return uint16(len(h.block.LinkClasses())) + class
}

func (h *Hierarchy) nameClasses() {
	for i, name := range h.block.LinkClasses() {
		if i != int(LinkHost) {
			name = "block/" + name
		}
		h.classes = append(h.classes, name)
	}
	for i, name := range h.outer.LinkClasses() {
		if i == int(LinkHost) {
			name = "join"
		}
		h.classes = append(h.classes, "outer/"+name)
	}
}

// Kind is "hierarchy".
func (h *Hierarchy) Kind() string { return "hierarchy" }

// Graph returns the network.
func (h *Hierarchy) Graph() *Graph { return h.graph }

// LinkClasses are those of the block as "block/local" and so on, "host", and those
// of the outer topology as "outer/x" and so on; "outer/join" are the links between
// blocks and the outer topology's routers.
func (h *Hierarchy) LinkClasses() []string { return h.classes }

// Block is the topology of a block, with the hosts of one block.
func (h *Hierarchy) Block() Topology { return h.block }

// Outer is the topology that joins the blocks.
func (h *Hierarchy) Outer() Topology { return h.outer }

// Hosted tells whether blocks are the outer topology's hosts, not its routers.
func (h *Hierarchy) Hosted() bool { return h.hosted }

// Blocks is the number of blocks.
func (h *Hierarchy) Blocks() int {
	if h.hosted {
		return h.outer.Graph().Hosts
	}
	return h.outer.Graph().Routers
}

// Place is the block that a router belongs to and its number within the block.
// For a router of the outer topology that is no block, block is -1 and inner its
// number there.
func (h *Hierarchy) Place(router int) (block, inner int) {
	if !h.hosted {
		return router / h.size, router % h.size
	}
	// A switch follows the blocks at it: sought is the first that does not come before the router.
	o := sort.Search(h.outer.Graph().Routers, func(o int) bool { return h.Switch(o) >= router })
	if h.Switch(o) == router {
		return -1, o
	}
	past := router - o // without the switches before
	return past / h.size, past % h.size
}

// Router is the number of a block's router.
func (h *Hierarchy) Router(block, inner int) int {
	r := block*h.size + inner
	if h.hosted {
		r += h.outer.Graph().HostRouter(block)
	}
	return r
}

// Switch is the number of a router of the outer topology that is no block.
func (h *Hierarchy) Switch(outer int) int { return int(h.firstBlock[outer+1])*h.size + outer }

// ExternalPorts is the number of external ports of a block.
func (h *Hierarchy) ExternalPorts() int { return len(h.external) }

// Exit is the router and its local port at which a block's external port is.
func (h *Hierarchy) Exit(block, external int) (router, port int) {
	inner := int(h.external[external])
	return h.Router(block, inner), h.block.Graph().linksOf(inner) + int(h.rank[external])
}

// RouterName is the block's name and that of the router within it:
// "(1,0)/(2)"; a router of the outer topology that is no block is "outer/1:0.0".
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

// PortName is the block's name for ports within it, "outer/+x" for an external
// port that is +x in the outer topology.
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

// Distance is found by search.
func (h *Hierarchy) Distance(a, b int) int { return h.distances.Hosts(a, b) }
