package topology_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// drawn is a random topology of a kind, with the counts that follow from its definition.
type drawn struct {
	topology.Topology
	spec     topology.Spec
	diameter int  // between hosts; -1: not known
	minimal  bool // whether Distance must be that of a search
}

func number(t *rapid.T, name string, low, high int) int {
	return rapid.IntRange(low, high).Draw(t, name)
}

func numbers(t *rapid.T, name string, n, low, high int) []int {
	return rapid.SliceOfN(rapid.IntRange(low, high), n, n).Draw(t, name)
}

func drawTorus(t *rapid.T) drawn {
	dims := numbers(t, "dims", number(t, "n", 1, 4), 1, 4)
	wrap := rapid.SliceOfN(rapid.Bool(), len(dims), len(dims)).Draw(t, "wrap")
	s := topology.TorusSpec{Dims: dims, Wrap: wrap, Hosts: number(t, "hosts", 1, 3)}
	diameter := 0
	for d, k := range dims {
		if wrap[d] {
			diameter += k / 2
		} else {
			diameter += k - 1
		}
	}
	return build(t, s, diameter, true)
}

func drawHyperX(t *rapid.T) drawn {
	n := number(t, "n", 1, 4)
	s := topology.HyperXSpec{Dims: numbers(t, "dims", n, 1, 4), Hosts: number(t, "hosts", 1, 3)}
	if rapid.Bool().Draw(t, "wide") {
		s.Width = numbers(t, "width", n, 1, 3)
	}
	diameter := 0
	for _, k := range s.Dims {
		diameter += min(k-1, 1)
	}
	return build(t, s, diameter, true)
}

func drawFull(t *rapid.T) drawn {
	s := topology.FullSpec{
		Routers: number(t, "routers", 1, 9),
		Width:   []int{number(t, "width", 1, 3)},
		Hosts:   number(t, "hosts", 1, 3),
	}
	return build(t, s, min(1, s.Routers-1), true)
}

func drawXGFT(t *rapid.T) drawn {
	h := number(t, "h", 1, 4)
	s := topology.XGFTSpec{M: numbers(t, "m", h, 1, 4), W: numbers(t, "w", h, 1, 3)}
	s.W[0] = 1
	if rapid.Bool().Draw(t, "wide") {
		s.Width = numbers(t, "width", h, 1, 3)
		s.Width[0] = 1
	}
	diameter := 0
	for l := 2; l <= h; l++ {
		if s.M[l-1] > 1 {
			diameter = 2 * (l - 1)
		}
	}
	return build(t, s, diameter, true)
}

func drawArrangement(t *rapid.T) topology.Arrangement {
	return topology.Arrangement(rapid.SampledFrom(topology.Arrangements).Draw(t, "arrangement"))
}

func drawDragonfly(t *rapid.T) drawn {
	s := topology.DragonflySpec{
		P:           number(t, "p", 1, 3),
		A:           number(t, "a", 1, 5),
		H:           number(t, "h", 1, 3),
		Arrangement: drawArrangement(t),
	}
	s.G = number(t, "g", 1, s.A*s.H+1)
	return build(t, s, -1, true)
}

func drawDragonflyPlus(t *rapid.T) drawn {
	s := topology.DragonflyPlusSpec{
		P: number(t, "p", 1, 3), Leaves: number(t, "leaves", 1, 4), Spines: number(t, "spines", 1, 3),
		H: number(t, "h", 1, 3), Arrangement: drawArrangement(t),
	}
	s.G = number(t, "g", 1, s.Spines*s.H+1)
	diameter := 3
	if s.G == 1 {
		diameter = 2 * min(1, s.Leaves-1)
	}
	return build(t, s, diameter, true)
}

func drawTwistedTorus(t *rapid.T) drawn {
	s := topology.TwistedTorusSpec{
		Dims: numbers(t, "dims", number(t, "n", 2, 3), 2, 6), Hosts: number(t, "hosts", 1, 2),
	}
	last := len(s.Dims) - 1
	for d := range last {
		by := number(t, "by", 0, s.Dims[last]-1)
		if by > 0 {
			s.Twist = append(s.Twist, topology.Twist{Of: d, Along: last, By: by})
		}
	}
	if s.Twist == nil {
		s.Twist = []topology.Twist{{Of: last, Along: 0, By: 1}}
	}
	return build(t, s, -1, true)
}

func drawHammingMesh(t *rapid.T) drawn {
	s := topology.HammingMeshSpec{
		Board: numbers(t, "board", 2, 1, 5), Boards: numbers(t, "boards", 2, 1, 6),
		Radix: 4 * number(t, "radix/4", 1, 4), Hosts: number(t, "hosts", 1, 2),
	}
	for s.Size().Hosts > 200 { // all pairs are looked at
		s.Hosts = 1
		s.Boards[0], s.Boards[1] = max(1, s.Boards[0]-1), max(1, s.Boards[1]-1)
	}
	for len(s.Check()) > 0 { // switches of too few ports
		s.Radix += 4
	}
	diameter := 0
	for d, n := range s.Boards {
		toEdge := (s.Board[d] + 1) / 2
		switch {
		case n == 1 && s.Board[d] > 1:
			diameter += toEdge // around a ring of the board and the switch
		case n > 1 && 2*n > s.Radix:
			diameter += 2*toEdge + 2
		case n > 1:
			diameter += 2 * toEdge
		}
	}
	return build(t, s, diameter, true)
}

func drawSlimFly(t *rapid.T) drawn {
	q := rapid.SampledFrom([]int{3, 4, 5, 7, 8, 9, 11}).Draw(t, "q")
	return build(t, topology.SlimFlySpec{Q: q, Hosts: 1}, 2, true)
}

func drawFatTree(t *rapid.T) drawn {
	s := topology.FatTreeSpec{Radix: 2 * number(t, "radix/2", 1, 3), Levels: number(t, "levels", 1, 3)}
	if rapid.Bool().Draw(t, "tapered") {
		s.Hosts = number(t, "hosts", 1, s.Radix-min(1, s.Levels-1))
	}
	return build(t, s, 2*(s.Levels-1), true)
}

func drawKaryTree(t *rapid.T) drawn {
	s := topology.KaryTreeSpec{K: number(t, "k", 2, 4), N: number(t, "n", 1, 3)}
	return build(t, s, 2*(s.N-1), true)
}

func drawHierarchy(t *rapid.T) drawn {
	s := drawHierarchySpec(t, number(t, "depth", 1, 2))
	if rapid.Bool().Draw(t, "external") {
		ports := number(t, "external ports", 1, 3)
		if size := s.Outer.Size(); size.Hosts == 0 {
			ports = size.Links / size.Routers // of the regular ones here
		}
		s.External = numbers(t, "at", ports, 0, s.Block.Size().Routers-1)
	}
	return build(t, s, -1, true)
}

func drawHierarchySpec(t *rapid.T, depth int) topology.HierarchySpec {
	s := topology.HierarchySpec{
		Block: rapid.SampledFrom([]topology.Spec{
			topology.FullSpec{Routers: 3, Hosts: 2},
			topology.TorusSpec{Dims: []int{3, 2}, Hosts: 1},
			topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}},
		}).Draw(t, "block"),
		Outer: rapid.SampledFrom([]topology.Spec{
			topology.FullSpec{Routers: 3},
			topology.TorusSpec{Dims: []int{3, 2}, Wrap: []bool{true, false}},
			topology.DragonflySpec{A: 2, H: 1},
			topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}},
			topology.FullSpec{Routers: 3, Hosts: 1},
			topology.FullSpec{Routers: 2, Hosts: 2},
		}).Draw(t, "outer"),
	}
	if depth > 1 {
		s.Block = drawHierarchySpec(t, depth-1)
	}
	return s
}

func drawNodes(t *rapid.T) drawn {
	s := topology.NodesSpec{
		Count: number(t, "count", 1, 5), Planes: 1, Unit: number(t, "unit", 1, 3),
		PXN: rapid.Bool().Draw(t, "pxn"),
	}
	gpus := number(t, "gpus", 1, 4)
	s.Block = rapid.SampledFrom([]topology.Spec{
		topology.XGFTSpec{M: []int{1, gpus}, W: []int{1, 2}},
		topology.FullSpec{Routers: gpus, Hosts: 2},
		topology.TorusSpec{Dims: []int{gpus}, Hosts: 1},
	}).Draw(t, "block")
	if s.Count == 1 && rapid.Bool().Draw(t, "alone") {
		return build(t, s, -1, false)
	}
	nics := gpus
	switch number(t, "nics of a GPU", 0, 2) {
	case 0: // shared by all
		s.NICs, nics = 1, 1
	case 2:
		s.NICs, nics = 2*gpus, 2*gpus
	}
	if nics%2 == 0 && (s.PXN || nics == 2*gpus) {
		s.Planes = number(t, "planes", 1, 2)
	}
	units := (s.Count + s.Unit - 1) / s.Unit
	s.Outer = topology.XGFTSpec{M: []int{s.Unit, units * nics / s.Planes}, W: []int{1, 2}}
	if rapid.Bool().Draw(t, "spare") {
		s.Outer = topology.FullSpec{Routers: 2, Hosts: units * s.Unit * nics}
	}
	return build(t, s, -1, false)
}

func drawIrregular(t *rapid.T) drawn {
	n := number(t, "routers", 1, 12)
	s := topology.IrregularSpec{Hosts: numbers(t, "hosts", n, 0, 2), Classes: []string{"trunk"}}
	for r := range n {
		s.Names = append(s.Names, string(rune('A'+r)))
		if r > 0 { // a tree, and whatever else
			s.Edges = append(
				s.Edges,
				topology.Edge{
					A:     r,
					B:     number(t, "parent", 0, r-1),
					Class: uint16(2 * number(t, "class", 0, 1)),
				},
			)
		}
	}
	for range number(t, "more", 0, 2*n) {
		a, b := number(t, "a", 0, n-1), number(t, "b", 0, n-1)
		if a != b {
			s.Edges = append(s.Edges, topology.Edge{A: a, B: b})
		}
	}
	return build(t, s, -1, true)
}

// build lays out a Spec, and demands the size it announced.
func build(t *rapid.T, s topology.Spec, diameter int, minimal bool) drawn {
	if m := s.Check(); len(m) > 0 {
		t.Fatalf("%+v: %v", s, &m[0])
	}
	nics := number(t, "nics", 1, 2)
	top, err := s.Build(nics)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	g, size := top.Graph(), s.Size()
	if links := len(g.Ports) - len(g.NICPort); g.Routers != size.Routers || g.Hosts != size.Hosts ||
		links != size.Links ||
		g.NICsPerHost != nics {
		t.Fatalf(
			"%+v announces %+v but has %d routers, %d hosts, %d links",
			s, size, g.Routers, g.Hosts, links,
		)
	}
	return drawn{Topology: top, spec: s, diameter: diameter, minimal: minimal}
}

var kinds = map[string]func(*rapid.T) drawn{
	"torus":           drawTorus,
	"twisted-torus":   drawTwistedTorus,
	"hammingmesh":     drawHammingMesh,
	"hyperx":          drawHyperX,
	"fully-connected": drawFull,
	"xgft":            drawXGFT,
	"dragonfly":       drawDragonfly,
	"dragonfly+":      drawDragonflyPlus,
	"slim-fly":        drawSlimFly,
	"hierarchy":       drawHierarchy,
	"nodes":           drawNodes,
	"file":            drawIrregular,
	"fat-tree":        drawFatTree,
	"k-ary-n-tree":    drawKaryTree,
}

// TestGraphs holds every kind of topology, with random parameters, to what any
// network has to be.
func TestGraphs(t *testing.T) {
	for kind, draw := range kinds {
		t.Run(kind, rapid.MakeCheck(func(t *rapid.T) {
			d := draw(t)
			checkPorts(t, d)
			checkNICs(t, d.Graph())
			checkDistances(t, d)
			checkNames(t, d)
		}))
	}
}

// checkPorts demands that links lead both ways and are of one class.
func checkPorts(t *rapid.T, d drawn) {
	g := d.Graph()
	for p := range g.Ports {
		port := g.Ports[p]
		if r := int(port.Router); p < int(g.PortBase[r]) || p >= int(g.PortBase[r+1]) {
			t.Fatalf("port %d says it is of router %d", p, r)
		}
		if int(port.Link) >= len(d.LinkClasses()) {
			t.Fatalf("port %d is of class %d of %v", p, port.Link, d.LinkClasses())
		}
		if port.Peer == topology.Unconnected {
			continue
		}
		peer := g.Ports[port.Peer]
		if peer.Peer != int32(p) || peer.Link != port.Link || port.NIC != topology.Unconnected ||
			port.Link == topology.LinkHost ||
			peer.Router == port.Router {
			t.Fatalf("%s: port %d %+v leads to %+v", d.Kind(), p, port, peer)
		}
	}
	if d.LinkClasses()[topology.LinkHost] != "host" {
		t.Fatalf("classes %v", d.LinkClasses())
	}
}

// checkNICs demands every NIC once, hosts in the order of routers, each at one router.
func checkNICs(t *rapid.T, g *topology.Graph) {
	if len(g.NICPort) != g.Hosts*g.NICsPerHost {
		t.Fatalf("%d NICs of %d hosts", len(g.NICPort), g.Hosts)
	}
	plugged := 0
	for p, port := range g.Ports {
		if port.NIC == topology.Unconnected {
			continue
		}
		if port.Link != topology.LinkHost || g.NICPort[port.NIC] != int32(p) || int(port.NIC) != plugged {
			t.Fatalf("port %d %+v is not where NIC %d is, %d NICs before it", p, port, port.NIC, plugged)
		}
		plugged++
	}
	if plugged != len(g.NICPort) {
		t.Fatalf("%d of %d NICs are plugged in", plugged, len(g.NICPort))
	}
	for n, port := range g.NICPort {
		if int(g.Ports[port].Router) != g.HostRouter(n/g.NICsPerHost) {
			t.Fatalf("NIC %d is at another router than its host", n)
		}
	}
}

// search finds the distances of all routers from one; -1 if there is no way.
func search(g *topology.Graph, from int) []int {
	distance := slices.Repeat([]int{-1}, g.Routers)
	distance[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		r := queue[0]
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if n := g.PeerRouter(int(p)); n >= 0 && distance[n] < 0 {
				distance[n] = distance[r] + 1
				queue = append(queue, n)
			}
		}
	}
	return distance
}

func checkDistances(t *rapid.T, d drawn) {
	g := d.Graph()
	most := 0
	for a := 0; a < g.Hosts; a += 1 + g.Hosts/200 { // all hosts of most networks
		distance := search(g, g.HostRouter(a))
		for b := range g.Hosts {
			want := distance[g.HostRouter(b)]
			if want < 0 {
				t.Fatalf("no way from host %d to host %d", a, b)
			}
			if got := d.Distance(a, b); got != want && d.minimal {
				t.Fatalf("%+v: distance of hosts %d and %d is %d, a search finds %d", d.spec, a, b, got, want)
			}
			most = max(most, want)
		}
	}
	if d.diameter >= 0 && most != d.diameter {
		t.Fatalf("%+v: the diameter is %d, want %d", d.spec, most, d.diameter)
	}
}

// checkNames demands different names for routers, and for the ports of a router.
func checkNames(t *rapid.T, d drawn) {
	g := d.Graph()
	routers := map[string]bool{}
	for r := range g.Routers {
		routers[d.RouterName(r)] = true
		ports := map[string]bool{}
		for p := range int(g.PortBase[r+1] - g.PortBase[r]) {
			ports[d.PortName(r, p)] = true
		}
		if len(ports) != int(g.PortBase[r+1]-g.PortBase[r]) {
			t.Fatalf("the ports of router %d are called %v", r, ports)
		}
	}
	if len(routers) != g.Routers {
		t.Fatalf("%d routers have %d names", g.Routers, len(routers))
	}
}

// TestGreatestSlimFly demands that the greatest order can be numbered, and that
// what is greater is refused for its size.
func TestGreatestSlimFly(t *testing.T) {
	if m := (topology.SlimFlySpec{Q: 281}).Check(); len(m) > 0 {
		t.Errorf("q = 281: %v", m)
	}
	for _, q := range []int{282, 283, 289, 4096, 1000003} {
		m := topology.SlimFlySpec{Q: q}.Check()
		if len(m) != 1 || !strings.HasPrefix(m[0].Hint, "the greatest is 281") {
			t.Errorf("q = %d: %v", q, m)
		}
	}
}

// TestOneGroup demands that dragonflies have global links, but for those of one group.
func TestOneGroup(t *testing.T) {
	f := func(right bool, s topology.Spec) {
		t.Helper()
		if m := s.Check(); (len(m) == 0) != right || !right && m[0].Field != "h" {
			t.Errorf("%+v: %v", s, m)
		}
	}
	f(false, topology.DragonflySpec{P: 1, A: 2})
	f(false, topology.DragonflySpec{P: 1, A: 2, G: 2})
	f(true, topology.DragonflySpec{P: 1, A: 2, G: 1})
	f(false, topology.DragonflyPlusSpec{P: 1, Leaves: 2, Spines: 2})
	f(true, topology.DragonflyPlusSpec{P: 1, Leaves: 2, Spines: 2, G: 1})
}
