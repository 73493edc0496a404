package topology

import (
	"fmt"
	"math"
	"strconv"
)

var _ = Register(115, Description[NodesSpec]{
	Name: "nodes", Summary: "nodes that are networks of GPUs, joined by rails of NICs", Routing: "minimal",
	Defaults: func(s *NodesSpec, _ bool) {
		s.Count, s.Planes, s.Unit = max(s.Count, 1), max(s.Planes, 1), max(s.Unit, 1)
	},
	// nodes of eight GPUs behind one switch, on rails in units of at most 32 nodes
	Sized: func(hosts int) NodesSpec {
		count := max(2, (hosts+7)/8)
		unit := min(count, 32)
		outer := XGFTSpec{M: []int{unit, 8}, W: []int{1, unit}}
		if units := (count + unit - 1) / unit; units > 1 {
			outer = XGFTSpec{M: []int{unit, 8, units}, W: []int{1, unit, 8}}
		}
		return NodesSpec{
			Count: count, Unit: unit, Planes: 1, Block: XGFTSpec{M: []int{1, 8}, W: []int{1, 1}}, Outer: outer,
		}
	},
	Help: map[string]string{
		"nics": "of a node: a multiple of its routers with hosts, which then have their own, or a " +
			"divisor, when several share one",
		"planes": "copies of the outer topology; NIC i of a node is in plane i mod planes",
		"unit": "nodes of a scalable unit, whose NICs of one rail are next to one another in the outer " +
			"topology; 1: those of a node are",
		"pxn": "whether messages change to the rail of the receiver within the sender's node",
	},
	Manual: Manual{
		Section: "nodes", Routers: "of nodes and planes, shared NICs", Hosts: "of the nodes",
		Links: "of block and outer, NICs", Diameter: "by search",
	},
	Examples: []string{
		"count: 4, block: {kind: xgft, m: [1, 2], w: [1, 2]}, unit: 2, outer: {kind: xgft, m: [2, 4], w: [1, 2]}",
		"count: 3, block: {kind: fully-connected, routers: 2, hosts: 1}, planes: 2, pxn: true, " +
			"outer: {kind: fully-connected, routers: 1, hosts: 3}",
		"count: 2, block: {kind: fully-connected, routers: 4, hosts: 1}, nics: 2, " +
			"outer: {kind: fully-connected, routers: 2, hosts: 2}",
		"block: {kind: fully-connected, routers: 4, hosts: 1}",
	},
})

// NodesSpec holds the parameters of nodes that are networks of their own, such as GPUs joined by
// switches, and of the network beyond them, to which they are joined by several NICs.
//
// Block is the network within a node. Its routers with hosts are the GPUs: each is the crossbar
// that joins one GPU (or several) to the links within the node and to its NICs. The hosts of Outer
// are the ports for NICs.
type NodesSpec struct {
	// number of nodes
	Count int  `yaml:"count" help:"nodes" default:"1"`
	Block Spec `yaml:"block" help:"what is within a node"`
	// nil: there is one node, and nothing beyond it
	Outer Spec `yaml:"outer" help:"what joins the NICs, its hosts" default:"nothing; then 'count' is 1"`
	// NICs of a node; 0: one for each router of the block that has hosts
	NICs int `yaml:"nics" default:"one for each router with hosts"`
	// copies of the outer topology
	Planes int `yaml:"planes" default:"1"`
	// nodes of a scalable unit
	Unit int  `yaml:"unit" default:"1"`
	PXN  bool `yaml:"pxn" default:"false"`
}

// Nodes is a network of nodes that are networks of their own. NIC i of each node is on rail i: NICs
// belong to the GPUs of a node in turn.
//
// Rails are laid out as in NVIDIA's reference architectures: the outer topology holds one scalable
// unit after the other, in a unit one rail after the other, and in a rail the NICs of the unit's
// nodes. So if a leaf switch has as many hosts as a unit has nodes, each rail of a unit has a leaf
// switch of its own. Several planes are copies of the outer topology (rail-only networks, dual-plane
// ones as HPN: Qian et al., SIGCOMM 2024, and multi-plane ones).
//
// The routers of a node have consecutive IDs: those of the block in its order, then its NICs if GPUs
// share them. The routers of the planes come after all nodes. The local ports of a GPU are first
// those within the block, then those to NICs or by its own NICs, then those to its hosts.
type Nodes struct {
	block, outer Topology // outer is nil if there is none
	spec         NodesSpec
	gpus         []int32 // routers of the block that have hosts
	gpuOf        []int32 // by router of the block: its index in gpus; -1: none
	size         int     // routers of a node
	share        int     // GPUs of a NIC
	each         int     // NICs of a GPU
	place        []int32 // by outer host: the node and NIC there, as node * NICs + NIC; -1: none
	planeSize    int     // routers of a plane
	classes      []string
	graph        *Graph
}

// mostBlockRouters is the largest number of routers of a node.
const mostBlockRouters = 4096

// NewNodes builds the network that s describes. It returns an error if s is invalid.
func NewNodes(s NodesSpec, nicsPerHost int) (*Nodes, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	n, err := s.wired(nicsPerHost)
	if err != nil {
		return nil, err
	}
	if n.outer != nil {
		n.place = make([]int32, n.spec.Planes*n.outer.Graph().Hosts)
		for i := range n.place {
			n.place[i] = -1
		}
		for at := range n.spec.Count * n.spec.NICs {
			n.place[n.OuterHost(at/n.spec.NICs, at%n.spec.NICs)] = int32(at)
		}
	}
	n.nameClasses()
	n.graph = wiring{
		routers: n.size*n.spec.Count + n.spec.Planes*n.planeSize, nics: nicsPerHost,
		degree: n.degree, far: n.far, hostClass: n.hostClass,
	}.layOut()
	return n, nil
}

// wired builds the parts and finds which NICs belong to which GPUs.
func (s NodesSpec) wired(nicsPerHost int) (*Nodes, error) {
	block, err := s.Block.Build(nicsPerHost)
	if err != nil {
		return nil, err
	}
	n := &Nodes{block: block, spec: s, gpus: block.Graph().HostedRouters(), share: 1}
	n.size = block.Graph().Routers
	n.gpuOf = make([]int32, n.size)
	for r := range n.gpuOf {
		n.gpuOf[r] = -1
	}
	for i, r := range n.gpus {
		n.gpuOf[r] = int32(i)
	}
	if s.Outer == nil {
		n.spec.NICs, n.spec.Planes = 0, 0
		return n, nil
	}
	if n.outer, err = s.Outer.Build(1); err != nil {
		return nil, err
	}
	n.planeSize = n.outer.Graph().Routers
	n.spec.NICs, n.each, n.share = s.nics(len(n.gpus))
	if n.share > 1 {
		n.size += n.spec.NICs
	}
	return n, nil
}

// nics returns the number of NICs of a node with so many GPUs, how many each GPU has, and how many
// GPUs share one. The spec must be valid.
func (s NodesSpec) nics(gpus int) (all, each, share int) {
	all = s.NICs
	if all == 0 {
		all = gpus
	}
	return all, max(1, all/gpus), max(1, gpus/all)
}

// Check implements Spec.
func (s NodesSpec) Check() []Mistake {
	var c checker
	right := c.count("count", s.Count, 1)
	right = c.count("nics", s.NICs, 0) && right
	right = c.count("planes", s.Planes, 1) && right
	right = c.count("unit", s.Unit, 1) && right
	right = checkPart(&c, "block", s.Block) && right
	if s.Outer != nil {
		right = checkPart(&c, "outer", s.Outer) && right
	} else {
		right = c.demand(s.Count <= 1, "count", s.Count, "1, since no outer topology joins nodes") && right
		right = c.demand(s.NICs == 0, "nics", s.NICs, "none, since there is no outer topology") && right
	}
	if right && s.checkBlock(&c) && (s.Outer == nil || s.checkNICs(&c)) {
		c.fits("count", s.Count, s.Size())
	}
	return c.mistakes
}

func (s NodesSpec) checkBlock(c *checker) bool {
	size := s.Block.Size()
	return c.demand(
		size.Routers <= mostBlockRouters, "block", fmt.Sprintf("%d routers", size.Routers),
		fmt.Sprintf("at most %d", mostBlockRouters),
	) && c.demand(size.Hosts > 0, "block", "a network without hosts", "at least one host, which is a GPU")
}

// checkNICs checks that GPUs have NICs alike, that the planes have room for them, and that any two
// GPUs have NICs in the same plane.
func (s NodesSpec) checkNICs(c *checker) bool {
	gpus := s.gpus()
	all, each, _ := s.nics(gpus)
	if !c.demand(
		all%gpus == 0 || gpus%all == 0, "nics", all,
		fmt.Sprintf("a multiple or a divisor of %d, the routers with hosts of a node", gpus),
	) || !c.demand(
		all%s.Planes == 0, "planes", s.Planes, fmt.Sprintf("a divisor of %d, the NICs of a node", all),
	) {
		return false
	}
	units := (s.Count + s.Unit - 1) / s.Unit
	need, hosts := product(units, s.Unit, all/s.Planes), s.Outer.Size().Hosts
	return c.demand(
		need >= 0 && hosts >= need, "outer", fmt.Sprintf("%d hosts", hosts),
		fmt.Sprintf("at least %d: NICs of a node in a plane, times nodes in whole units", max(need, 0)),
	) && c.demand(
		s.PXN || each >= s.Planes, "pxn", false, "true, since the NICs of some GPUs have no plane in common",
	)
}

// gpus returns the number of routers of the block that have hosts. The block must be valid.
func (s NodesSpec) gpus() int {
	block, err := s.Block.Build(1)
	if err != nil {
		return 1
	}
	return len(block.Graph().HostedRouters())
}

// Size implements Spec.
func (s NodesSpec) Size() Size {
	block := s.Block.Size()
	size := Size{
		Routers: product(s.Count, block.Routers), Hosts: product(s.Count, block.Hosts),
		Links: product(s.Count, block.Links),
	}
	if s.Outer == nil || min(size.Routers, size.Hosts, size.Links) < 0 {
		return size
	}
	gpus := s.gpus()
	all, _, share := s.nics(gpus)
	if share > 1 {
		size.Routers += product(s.Count, all)
		size.Links += product(2, s.Count, gpus)
	}
	outer := s.Outer.Size()
	size.Routers += product(s.Planes, outer.Routers)
	size.Links += product(s.Count, all) + product(s.Planes, outer.Links+outer.Hosts)
	return size
}

// Build implements Spec.
func (s NodesSpec) Build(nics int) (Topology, error) { return NewNodes(s, nics) }

// degree returns the numbers of links and hosts of a router.
func (n *Nodes) degree(r int) (links, hosts int) {
	node, inner := n.Place(r)
	switch {
	case node < 0:
		return n.outer.Graph().degree(inner % n.planeSize), 0
	case inner >= n.block.Graph().Routers:
		return n.share + 1, 0
	}
	g := n.block.Graph()
	links = g.linksOf(inner)
	hosts = (g.degree(inner) - links) / g.NICsPerHost
	return links + n.exits(inner), hosts
}

// exits returns the number of ports of a router of the block by which packets leave for the outer
// topology.
func (n *Nodes) exits(inner int) int {
	if n.outer == nil || n.gpuOf[inner] < 0 {
		return 0
	}
	return n.each
}

// far returns the router and port at the other end of port p, and the link's class.
func (n *Nodes) far(r, p int) (peer, peerPort int, class uint16) {
	node, inner := n.Place(r)
	g := n.block.Graph()
	switch {
	case node < 0:
		return n.fromSwitch(inner, p)
	case inner >= g.Routers:
		return n.fromNIC(node, inner-g.Routers, p)
	}
	own := g.linksOf(inner)
	if p < own {
		port := g.Ports[int(g.PortBase[inner])+p]
		if port.Peer == Unconnected {
			return int(Unconnected), 0, port.Link
		}
		peer, peerPort = g.Local(int(port.Peer))
		return n.Router(node, peer), peerPort, port.Link
	}
	gpu := int(n.gpuOf[inner])
	if n.share > 1 {
		return n.Router(node, g.Routers+gpu/n.share), gpu % n.share, n.classOfNICs()
	}
	return n.outward(node, gpu*n.each+p-own)
}

// outward returns the outer router and its port to which a NIC of a node leads.
func (n *Nodes) outward(node, nic int) (peer, peerPort int, class uint16) {
	router, port, class := n.Entry(node, nic)
	return router, port, n.outerClass(class)
}

// Entry returns the router of the outer topology, its local port and the link's class there, by
// which packets reach a NIC of a node.
func (n *Nodes) Entry(node, nic int) (router, port int, class uint16) {
	g, host := n.outer.Graph(), n.OuterHost(node, nic)
	global := int(g.NICPort[host%g.Hosts])
	inner, port := g.Local(global)
	return n.Switch(host/g.Hosts, inner), port, g.Ports[global].Link
}

// OuterHost returns the host of the outer topology that a NIC of a node is. Hosts are counted
// through all planes.
func (n *Nodes) OuterHost(node, nic int) int {
	s := &n.spec
	plane, rail, rails := nic%s.Planes, nic/s.Planes, s.NICs/s.Planes
	unit, inUnit := node/s.Unit, node%s.Unit
	return plane*n.outer.Graph().Hosts + (unit*rails+rail)*s.Unit + inUnit
}

// fromNIC returns the router and port at the other end of port p of a NIC that GPUs share: those of
// the GPUs, then the one to the outer topology.
func (n *Nodes) fromNIC(node, nic, p int) (peer, peerPort int, class uint16) {
	if p == n.share {
		return n.outward(node, nic)
	}
	gpu := int(n.gpus[nic*n.share+p])
	return n.Router(node, gpu), n.block.Graph().linksOf(gpu), n.classOfNICs()
}

// fromSwitch returns the router and port at the other end of port p of router r of the planes.
func (n *Nodes) fromSwitch(r, p int) (peer, peerPort int, class uint16) {
	g, plane, inner := n.outer.Graph(), r/n.planeSize, r%n.planeSize
	port := g.Ports[int(g.PortBase[inner])+p]
	class = n.outerClass(port.Link)
	switch {
	case port.NIC != Unconnected:
		at := int(n.place[plane*g.Hosts+int(port.NIC)])
		if at < 0 {
			return int(Unconnected), 0, class
		}
		peer, peerPort = n.Exit(at/n.spec.NICs, at%n.spec.NICs)
		return peer, peerPort, class
	case port.Peer == Unconnected:
		return int(Unconnected), 0, class
	}
	other, entry := g.Local(int(port.Peer))
	return n.Switch(plane, other), entry, class
}

// Exit returns the router and local port by which packets leave a node through one of its NICs: those
// of the NIC if GPUs share it, or else of its GPU.
func (n *Nodes) Exit(node, nic int) (router, port int) {
	g := n.block.Graph()
	if n.share > 1 {
		return n.Router(node, g.Routers+nic), n.share
	}
	gpu := int(n.gpus[nic/n.each])
	return n.Router(node, gpu), g.linksOf(gpu) + nic%n.each
}

// Place returns the node of a router and its number there: routers of the block, then NICs. For a
// router of the outer topology, node is -1 and inner its number, counted through all planes.
func (n *Nodes) Place(router int) (node, inner int) {
	if all := n.size * n.spec.Count; router >= all {
		return -1, router - all
	}
	return router / n.size, router % n.size
}

// Router returns the router ID of a router of a node.
func (n *Nodes) Router(node, inner int) int { return node*n.size + inner }

// Switch returns the router ID of a router of a plane.
func (n *Nodes) Switch(plane, inner int) int {
	return n.size*n.spec.Count + plane*n.planeSize + inner
}

// Block returns the network within a node.
func (n *Nodes) Block() Topology { return n.block }

// Outer returns the network beyond nodes, of which each plane is a copy, or nil if there is none.
func (n *Nodes) Outer() Topology { return n.outer }

// Spec returns the parameters; NICs are 0 only if there is no outer topology.
func (n *Nodes) Spec() NodesSpec { return n.spec }

// GPUs returns the routers of a node that have hosts. The caller must not change the list.
func (n *Nodes) GPUs() []int32 { return n.gpus }

// NICs returns the NICs of a node that GPU i has or shares: count of them from first on.
func (n *Nodes) NICs(gpu int) (first, count int) {
	if n.share > 1 {
		return gpu / n.share, 1
	}
	return gpu * n.each, n.each
}

// hostClass returns the class of the link of a host's NIC, which is that in the block.
func (n *Nodes) hostClass(nic int) uint16 {
	g := n.block.Graph()
	return g.Ports[g.NICPort[nic%len(g.NICPort)]].Link
}

// classOfNICs returns the class of links between GPUs and NICs that they share.
func (n *Nodes) classOfNICs() uint16 { return uint16(len(n.block.LinkClasses())) }

// outerClass returns the link class for a link class of the outer topology.
func (n *Nodes) outerClass(class uint16) uint16 {
	if n.share > 1 {
		class++
	}
	return n.classOfNICs() + class
}

func (n *Nodes) nameClasses() {
	for _, name := range n.block.LinkClasses() {
		n.classes = append(n.classes, InBlock(name))
	}
	if n.share > 1 {
		n.classes = append(n.classes, "nic")
	}
	if n.outer != nil {
		for _, name := range n.outer.LinkClasses() {
			n.classes = append(n.classes, InOuter(name))
		}
	}
}

// Kind returns "nodes".
func (n *Nodes) Kind() string { return "nodes" }

// Graph returns the network.
func (n *Nodes) Graph() *Graph { return n.graph }

// LinkClasses returns the classes of the block after "block/", those of the outer topology after
// "outer/", of which "outer/join" is that of links to NICs, and "nic" for links from GPUs to NICs
// that they share.
func (n *Nodes) LinkClasses() []string { return n.classes }

// RouterName returns the node followed by the router within it, "3/1:0.0" or "3/nic1". A router of
// the outer topology is called "outer/1:0.0", with several planes "outer1/1:0.0".
func (n *Nodes) RouterName(router int) string {
	node, inner := n.Place(router)
	switch routers := n.block.Graph().Routers; {
	case node < 0 && n.spec.Planes == 1:
		return "outer/" + n.outer.RouterName(inner)
	case node < 0:
		return fmt.Sprintf("outer%d/%s", inner/n.planeSize, n.outer.RouterName(inner%n.planeSize))
	case inner >= routers:
		return fmt.Sprintf("%d/nic%d", node, inner-routers)
	}
	return fmt.Sprintf("%d/%s", node, n.block.RouterName(inner))
}

// PortName returns the block's name of a port within the block, "outer/2" for the port to or of a
// node's NIC 2, "gpu1" of NICs, and "node3.2" of outer routers for NIC 2 of node 3.
func (n *Nodes) PortName(router, port int) string {
	node, inner := n.Place(router)
	g := n.block.Graph()
	switch {
	case node < 0:
		return n.switchPort(inner, port)
	case inner >= g.Routers && port < n.share:
		return "gpu" + strconv.Itoa((inner-g.Routers)*n.share+port)
	case inner >= g.Routers:
		return "outer/" + strconv.Itoa(inner-g.Routers)
	}
	own, exits := g.linksOf(inner), n.exits(inner)
	switch {
	case port < own:
		return n.block.PortName(inner, port)
	case port < own+exits:
		first, _ := n.NICs(int(n.gpuOf[inner]))
		return "outer/" + strconv.Itoa(first+port-own)
	}
	return n.block.PortName(inner, port-exits)
}

func (n *Nodes) switchPort(r, p int) string {
	g, inner := n.outer.Graph(), r%n.planeSize
	nic := g.Ports[int(g.PortBase[inner])+p].NIC
	if nic == Unconnected {
		return n.outer.PortName(inner, p)
	}
	at := int(n.place[r/n.planeSize*g.Hosts+int(nic)])
	if at < 0 {
		return "free" + strconv.Itoa(int(nic))
	}
	return fmt.Sprintf("node%d.%d", at/n.spec.NICs, at%n.spec.NICs)
}

// Distance returns the number of links of minimal routes between the routers of two hosts: within the
// node, or by NICs that are nearest to one another. With PXN, routes between nodes change to the rail
// of the receiver within the sender's node.
func (n *Nodes) Distance(a, b int) int {
	hosts := n.block.Graph().Hosts
	from, to := a/hosts, b/hosts
	if from == to {
		return n.block.Distance(a%hosts, b%hosts)
	}
	own, other := n.gpuOfHost(a), n.gpuOfHost(b)
	links := 2
	if n.share > 1 {
		links += 2
	}
	if n.spec.PXN && own/n.share != other/n.share {
		links += n.toRail(a%hosts, other)
		own = other
	}
	return links + n.between(from, own, to, other)
}

// toRail returns the number of links within a node from the router of a host to the nearest GPU that
// has or shares the NICs of the given one.
func (n *Nodes) toRail(host, gpu int) int {
	first, least := gpu/n.share*n.share, math.MaxInt
	for h := range n.block.Graph().Hosts {
		if i := n.gpuOfHost(h); i >= first && i < first+n.share {
			least = min(least, n.block.Distance(host, h))
		}
	}
	return least
}

// Seat returns the node of a host and its number there.
func (n *Nodes) Seat(host int) (node, seat int) {
	hosts := n.block.Graph().Hosts
	return host / hosts, host % hosts
}

// Rail returns the rail of a seat: that of the NICs of its GPU.
func (n *Nodes) Rail(seat int) int { return n.gpuOfHost(seat) / n.share }

func (n *Nodes) gpuOfHost(host int) int {
	g := n.block.Graph()
	return int(n.gpuOf[g.HostRouter(host%g.Hosts)])
}

// between returns the number of links between the outer routers of the nearest NICs of two GPUs that
// are in the same plane.
func (n *Nodes) between(from, own, to, other int) int {
	hosts, least := n.outer.Graph().Hosts, math.MaxInt
	first, count := n.NICs(own)
	second, _ := n.NICs(other)
	for i := range count {
		for j := range count {
			x, y := n.OuterHost(from, first+i), n.OuterHost(to, second+j)
			if x/hosts == y/hosts {
				least = min(least, n.outer.Distance(x%hosts, y%hosts))
			}
		}
	}
	return least
}

// Group returns the node of a router, or -1 for a router of the outer topology. It implements
// Grouped.
func (n *Nodes) Group(router int) int {
	node, _ := n.Place(router)
	return node
}

// EndsOnly implements Endpoints.
func (n *Nodes) EndsOnly() {}

// OwnLinks returns the number of local ports of a block's router that lead to other routers of the
// block. These are its first ports.
func (n *Nodes) OwnLinks(inner int) int { return n.block.Graph().linksOf(inner) }
