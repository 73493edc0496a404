package experiments

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// Shape is a network with one of the topologies of package topology, a routing algorithm of package
// routing, and links of every class.
type Shape struct {
	Network   int           // index in the variable networks
	Of        topology.Spec `json:",omitempty"` // if not nil, used instead of Network
	Algorithm string        // name in the variable algorithms
	Interval  int64         // time between publications of queue lengths (ps), for routing with a global view
	Links     []fabric.Link
}

// networks holds small networks of every kind.
var networks = []topology.Spec{
	topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2},
	topology.TorusSpec{Dims: []int{5, 2, 2}, Wrap: []bool{true, false, true}, Hosts: 1},
	topology.TorusSpec{Dims: []int{3, 3}, Wrap: []bool{false, false}, Hosts: 2},
	topology.TwistedTorusSpec{
		Dims: []int{2, 2, 4}, Twist: topology.UsualTwist([]int{2, 2, 4}), Hosts: 1,
	},
	topology.TwistedTorusSpec{Dims: []int{3, 5}, Twist: []topology.Twist{{Of: 0, Along: 1, By: 2}}, Hosts: 2},
	topology.HammingMeshSpec{Board: []int{2, 2}, Boards: []int{2, 1}},
	topology.HammingMeshSpec{Board: []int{4, 1}, Boards: []int{3, 1}, Radix: 4, Hosts: 1},
	topology.HyperXSpec{Dims: []int{3, 4}, Width: []int{2, 1}, Hosts: 2},
	topology.FullSpec{Routers: 5, Hosts: 3},
	topology.FullSpec{Routers: 1, Hosts: 6},
	topology.XGFTSpec{M: []int{3, 2, 2}, W: []int{1, 2, 2}, Width: []int{1, 2, 1}},
	topology.FatTreeSpec{Radix: 4, Levels: 3},
	topology.KaryTreeSpec{K: 3, N: 2},
	topology.DragonflySpec{P: 2, A: 3, H: 1},
	topology.DragonflySpec{P: 1, A: 3, H: 2, G: 4, Arrangement: topology.Circulant},
	topology.DragonflyPlusSpec{P: 2, Leaves: 2, Spines: 2, H: 2, G: 4, Arrangement: topology.Relative},
	topology.SlimFlySpec{Q: 3, Hosts: 1},
	topology.SlimFlySpec{Q: 4, Hosts: 1},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{3, 2}},
	},
	topology.HierarchySpec{
		Block: topology.KaryTreeSpec{K: 2, N: 2},
		Outer: topology.TorusSpec{Dims: []int{3}},
	},
	topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 2, Hosts: 1},
		Outer: topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}},
	},
	// Routes so long that route headers have no space for them if there are many virtual channels.
	topology.TorusSpec{Dims: []int{24}, Wrap: []bool{false}, Hosts: 1},
	topology.HierarchySpec{
		Block: topology.FatTreeSpec{Radix: 4, Levels: 2},
		Outer: topology.DragonflySpec{A: 2, H: 1},
	},
	topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d", "e"}, Hosts: []int{2, 0, 1, 3, 1}, Classes: []string{"thin"},
		Edges: []topology.Edge{
			{A: 0, B: 1},
			{A: 1, B: 2, Class: 2},
			{A: 2, B: 3},
			{A: 3, B: 0, Class: 2},
			{A: 3, B: 4},
			{A: 1, B: 3},
			{A: 1, B: 3},
		},
	},
	topology.IrregularSpec{
		Names: []string{"a", "b", "c"}, Hosts: []int{2, 1, 1},
		Edges: []topology.Edge{{A: 0, B: 1, OneWay: true}, {A: 1, B: 2}, {A: 2, B: 0, OneWay: true}, {A: 0, B: 1}},
	},
	topology.IrregularSpec{ // two nodes with links of different classes to both of two routers
		Names: []string{"a", "b", "c", "m", "n"}, Hosts: []int{0, 0, 1, 1, 1}, Classes: []string{"thin"},
		Ends: []bool{false, false, false, true, true},
		Edges: []topology.Edge{
			{A: 0, B: 2},
			{A: 1, B: 2},
			{A: 3, B: 0, Class: 2},
			{A: 3, B: 1},
			{A: 4, B: 0},
			{A: 4, B: 1, Class: 2},
			{A: 4, B: 1},
		},
	},
	topology.NodesSpec{
		Count: 4, Unit: 2, Planes: 1, PXN: true,
		Block: topology.XGFTSpec{M: []int{1, 2}, W: []int{1, 2}},
		Outer: topology.XGFTSpec{M: []int{2, 4}, W: []int{1, 2}},
	},
	topology.NodesSpec{
		Count: 2, Unit: 1, Planes: 2, NICs: 4,
		Block: topology.FullSpec{Routers: 2, Hosts: 1}, Outer: topology.FullSpec{Routers: 2, Hosts: 2},
	},
	topology.NodesSpec{
		Count: 2, Unit: 1, Planes: 1, NICs: 2,
		Block: topology.FullSpec{Routers: 4, Hosts: 1}, Outer: topology.FullSpec{Routers: 1, Hosts: 4},
	},
}

// algorithm creates a routing.Function or routing.Adaptive for a topology. It returns an error if
// the topology is not suitable. Its name begins with the one used in experiment files.
type algorithm struct {
	name string
	make func(t topology.Topology, vcs int, s *Shape) (routing.Algorithm, error)
}

var algorithms = []algorithm{
	{"dor", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if torus, ok := t.(*topology.Torus); ok {
			return routing.NewDORWith(torus, vcs, routing.TieSplit, 0, routing.ChoiceFlow)
		}
		return dimensionOrder(t, vcs, routing.ChoiceFlow)
	}},
	{"dor by queue", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if torus, ok := t.(*topology.Torus); ok {
			return routing.NewDORWith(torus, vcs, routing.TieUp, 0, routing.ChoiceQueue)
		}
		return dimensionOrder(t, vcs, routing.ChoiceQueue)
	}},
	{"dor classic", schemed(routing.ChoiceFlow, routing.Scheme{Dateline: routing.DatelineClassic})},
	{
		"dor ahead",
		schemed(
			routing.ChoicePacket,
			routing.Scheme{Dateline: routing.DatelineAhead, Entry: routing.EntryAll},
		),
	},
	{
		"dor classic by queue",
		schemed(
			routing.ChoiceQueue,
			routing.Scheme{Dateline: routing.DatelineClassic, Entry: routing.EntryFirst},
		),
	},
	{"dor sharing", schemed(routing.ChoiceQueue, routing.Scheme{Shared: 1})},
	{"nca", nca(routing.UpDestination)},
	{"nca by chance", nca(routing.UpRandom)},
	{"nca by queue", nca(routing.UpAdaptive)},
	{"minimal", minimal(routing.ChoiceFlow)},
	{"minimal by packet", minimal(routing.ChoicePacket)},
	{"minimal by queue", minimal(routing.ChoiceQueue)},
	{"shortest", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewShortest(t.Graph(), vcs, routing.ClassesHop, routing.ChoiceFlow)
	}},
	{"dfsssp", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewDFSSSP(t.Graph(), vcs)
	}},
	{"up-down", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewUpDown(t.Graph(), vcs, -1)
	}},
	{
		"valiant",
		func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
			return routing.NewValiant(t, vcs)
		},
	},
	{"romm", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if torus, ok := t.(*topology.Torus); ok {
			return routing.NewROMM(torus, vcs)
		}
		return nil, errUnfit
	}},
	{"ugal-l", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewUGALL(t, vcs, routing.UGALOptions{Threshold: 1})
	}},
	{"ugal-g", func(t topology.Topology, vcs int, s *Shape) (routing.Algorithm, error) {
		return routing.NewUGALG(t, vcs, routing.UGALOptions{Interval: s.Interval})
	}},
	{"par", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if d, ok := t.(*topology.Dragonfly); ok {
			return routing.NewPAR(d, vcs, routing.UGALOptions{})
		}
		return nil, errUnfit
	}},
	{"adaptive", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewMinimalAdaptive(t, vcs)
	}},
	{"adaptive staying", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewMinimalAdaptiveWith(t, vcs, routing.StayInEscapes)
	}},
	{"zone", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		h, ok := t.(*topology.Hierarchy)
		if _, torus := t.(*topology.Torus); torus || ok && !h.Hosted() {
			return routing.NewZone(t, vcs)
		}
		return nil, errUnfit
	}},
	{"table", func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewForwarding(t.Graph(), vcs, strings.NewReader(spanningTable(t.Graph())))
	}},
}

func minimal(c routing.Choice) func(topology.Topology, int, *Shape) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		return routing.NewMinimal(t, "minimal", vcs, c)
	}
}

// dimensionOrder returns dimension-order routing for networks with dimensions that are not tori.
func dimensionOrder(t topology.Topology, vcs int, c routing.Choice) (routing.Algorithm, error) {
	switch t.(type) {
	case *topology.HyperX, *topology.Full:
		return routing.NewMinimal(t, "dor", vcs, c)
	}
	return nil, errUnfit
}

func nca(up routing.Up) func(topology.Topology, int, *Shape) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if tree, ok := t.(*topology.XGFT); ok {
			return routing.NewNCA(tree, vcs, up)
		}
		return nil, errUnfit
	}
}

// schemed returns a maker of dimension-order routing with the given scheme of virtual channels.
func schemed(
	c routing.Choice, s routing.Scheme,
) func(topology.Topology, int, *Shape) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if torus, ok := t.(*topology.Torus); ok {
			return routing.NewDORScheme(torus, vcs, routing.TieSplit, 0, c, s)
		}
		return nil, errUnfit
	}
}

// spanningTable returns a file of forwarding tables along a spanning tree, which are free of
// deadlock in any network.
func spanningTable(g *topology.Graph) string {
	// by router: its port toward the root
	up, order, seen := make([]int32, g.Routers), []int{0}, make([]bool, g.Routers)
	seen[0] = true
	for i := 0; i < len(order); i++ {
		for p := g.PortBase[order[i]]; p < g.PortBase[order[i]+1]; p++ {
			if n := g.PeerRouter(int(p)); n >= 0 && !seen[n] && !g.Ports[p].Closed && !g.Ports[g.Ports[p].Peer].Closed {
				seen[n], up[n] = true, g.Ports[p].Peer
				order = append(order, n)
			}
		}
	}
	var lines strings.Builder
	for host := range g.Hosts {
		toward := slices.Clone(up) // by router: its port toward the host
		for r := g.HostRouter(host); r != 0; r = g.PeerRouter(int(up[r])) {
			toward[g.PeerRouter(int(up[r]))] = g.Ports[up[r]].Peer
		}
		for r := range g.Routers {
			if r != g.HostRouter(host) {
				fmt.Fprintf(&lines, "%d %d %d\n", r, host, toward[r]-g.PortBase[r])
			}
		}
	}
	return lines.String()
}

// Kinds returns the kinds of networks that DrawShaped uses.
func Kinds() (kinds []string) {
	for _, spec := range networks {
		kinds = append(kinds, kindOf(spec))
	}
	return kinds
}

// Kind returns the kind of the shape's network.
func (s *Shape) Kind() string { return kindOf(s.network()) }

func kindOf(spec topology.Spec) string {
	t, err := spec.Build(1)
	if err != nil {
		panic(err)
	}
	return t.Kind()
}

// Routings returns the names, as in experiment files, of the algorithms that DrawShaped uses.
func Routings() (names []string) {
	for _, a := range algorithms {
		name, _, _ := strings.Cut(a.name, " ")
		names = append(names, name)
	}
	return names
}

var errUnfit = errors.New("the algorithm does not fit the topology")

// network returns the parameters of the shape's network.
func (s *Shape) network() topology.Spec {
	if s.Of != nil {
		return s.Of
	}
	return networks[s.Network]
}

// build returns the topology and its routing algorithm, or an error if they do not go together.
func (s *Shape) build(e *Experiment) (topology.Topology, routing.Algorithm, error) {
	t, err := s.network().Build(e.NICs)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(algorithms, func(a algorithm) bool { return a.name == s.Algorithm })
	a, err := algorithms[i].make(t, e.Router.Set(), s)
	return t, a, err
}

// spec returns the fabric's specification of the shape: graph, routing and links.
func (s *Shape) spec(e *Experiment) (fabric.Spec, error) {
	t, a, err := s.build(e)
	if err != nil {
		return fabric.Spec{}, err
	}
	spec := fabric.Spec{
		Graph: t.Graph(),
		Links: append([]fabric.Link{topology.LinkRouter: e.Link, topology.LinkHost: e.HostLink}, s.Links...),
	}
	switch a := a.(type) {
	case routing.Adaptive:
		spec.Adaptive = a
	case routing.Function:
		spec.Routing = a
	}
	return spec, nil
}

// DrawShaped returns the experiment for a seed, with a topology of package topology and an
// algorithm of package routing. Half of the time it uses the general path.
func DrawShaped(seed uint64) *Experiment {
	d := drawer{rand.New(rand.NewPCG(seed, 0x7368617065)), light}
	e := &Experiment{NICs: pick(d, 1, 1, 2), Seed: d.Uint64()}
	d.shape(e)
	d.packets(e)
	d.rates(e)
	d.delays(e)
	d.traffic(e)
	if d.chance(50) {
		d.general(e)
	}
	d.classes(e)
	d.nics(e)
	hostLinks(e, seed)
	return e
}

// shape chooses a random network and an algorithm that is suitable for it, with enough virtual
// channels.
func (d drawer) shape(e *Experiment) {
	for {
		e.Shape = &Shape{
			Network:   d.IntN(len(networks)),
			Algorithm: pick(d, algorithms...).name,
			Interval:  routing.MinInterval + d.Int64N(300_000),
		}
		e.Router.VCs = d.between(1, pick(d, 9, 9, 9, routing.MaxVCs))
		if _, _, err := e.Shape.build(e); err == nil {
			return
		}
	}
}

// classes generates the parameters of the additional link classes.
func (d drawer) classes(e *Experiment) {
	t, _, err := e.Shape.build(e)
	if err != nil {
		panic(err)
	}
	for range len(t.LinkClasses()) - 2 {
		e.Shape.Links = append(
			e.Shape.Links,
			fabric.Link{
				Bandwidth: pick(d, e.Link.Bandwidth, d.rate()),
				Latency:   e.Link.Latency + d.delay(),
			},
		)
	}
}
