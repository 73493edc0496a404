package routing_test

import (
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// combination is an algorithm on a topology.
type combination struct {
	name string
	spec topology.Spec
	// make returns the algorithm for a number of virtual channels, of which least are enough.
	make  func(t topology.Topology, vcs int) (routing.Algorithm, error)
	least int
	// bound is the most links of a route over the distance: 0 for minimal algorithms,
	// -1 if there is none to be told.
	bound int
}

func minimal(choice routing.Choice) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewMinimal(t, "minimal", vcs, choice)
	}
}

func nca(up routing.Up) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewNCA(t.(*topology.XGFT), vcs, up)
	}
}

func dor(tie routing.Tie) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewDOR(t.(*topology.Torus), vcs, tie)
	}
}

func dorWith(dateline int, c routing.Choice) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewDORWith(t.(*topology.Torus), vcs, routing.TieSplit, dateline, c)
	}
}

func dorScheme(
	d routing.Dateline,
	e routing.Entry,
	tie routing.Tie,
	c routing.Choice,
) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewDORScheme(
			t.(*topology.Torus),
			vcs,
			tie,
			0,
			c,
			routing.Scheme{Dateline: d, Entry: e},
		)
	}
}

func dorShared(vcs int, d routing.Dateline) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, have int) (routing.Algorithm, error) {
		if have < vcs {
			return nil, &routing.TooFewVCsError{Algorithm: "dimension-order routing", Need: vcs, Have: have}
		}
		return routing.NewDORScheme(
			t.(*topology.Torus),
			have,
			routing.TieSplit,
			0,
			routing.ChoiceQueue,
			routing.Scheme{Dateline: d, Shared: 1},
		)
	}
}

func shortest(c routing.Classes) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewShortest(t.Graph(), vcs, c, routing.ChoiceFlow)
	}
}

func source(
	of func(topology.Topology, int) (routing.Algorithm, error),
) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		a, err := of(t, vcs)
		if err != nil {
			return nil, err
		}
		return routing.NewSource(t.Graph(), vcs, a.(routing.Function), nil)
	}
}

func upDown(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewUpDown(t.Graph(), vcs, -1)
}

func dfsssp(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewDFSSSP(t.Graph(), vcs)
}

func valiant(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewValiant(t, vcs)
}

func romm(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewROMM(t.(*topology.Torus), vcs)
}

func ugalL(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewUGALL(t, vcs, routing.UGALOptions{})
}

func ugalG(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewUGALG(t, vcs, routing.UGALOptions{})
}

func par(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewPAR(t.(*topology.Dragonfly), vcs, routing.UGALOptions{})
}

func adaptive(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewMinimalAdaptive(t, vcs)
}

func staying(t topology.Topology, vcs int) (routing.Algorithm, error) {
	return routing.NewMinimalAdaptiveWith(t, vcs, routing.StayInEscapes)
}

func zone(zones ...string) func(topology.Topology, int) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		var masks []routing.ZoneMasks
		for _, z := range zones {
			m, err := routing.ParseZone(z)
			if err != nil {
				return nil, err
			}
			masks = append(masks, m)
		}
		return routing.NewZone(t, vcs, masks...)
	}
}

var (
	ring      = topology.TorusSpec{Dims: []int{7}, Hosts: 1}
	torus     = topology.TorusSpec{Dims: []int{4, 5}, Hosts: 1}
	torus3    = topology.TorusSpec{Dims: []int{4, 3, 2}, Hosts: 2}
	mesh      = topology.TorusSpec{Dims: []int{4, 4}, Wrap: []bool{false, false}, Hosts: 1}
	mixed     = topology.TorusSpec{Dims: []int{5, 4}, Wrap: []bool{true, false}, Hosts: 1}
	hyperx    = topology.HyperXSpec{Dims: []int{4, 3}, Width: []int{1, 2}, Hosts: 2}
	full      = topology.FullSpec{Routers: 6, Hosts: 2}
	tree      = topology.XGFTSpec{M: []int{2, 3, 2}, W: []int{1, 2, 2}}
	wide      = topology.XGFTSpec{M: []int{3, 4}, W: []int{1, 2}, Width: []int{1, 2}}
	dragonfly = topology.DragonflySpec{P: 2, A: 4, H: 2}
	few       = topology.DragonflySpec{P: 1, A: 3, H: 2, G: 4, Arrangement: topology.Relative}
	plus      = topology.DragonflyPlusSpec{P: 2, Leaves: 2, Spines: 2, H: 2}
	plusFew   = topology.DragonflyPlusSpec{P: 2, Leaves: 3, Spines: 2, H: 2, G: 3}
	slimfly   = topology.SlimFlySpec{Q: 5, Hosts: 1}
	twisted   = topology.TwistedTorusSpec{
		Dims: []int{4, 4, 8}, Twist: topology.UsualTwist([]int{4, 4, 8}), Hosts: 1,
	}
	twisted2 = topology.TwistedTorusSpec{
		Dims: []int{4, 8, 8}, Twist: topology.UsualTwist([]int{4, 8, 8}), Hosts: 1,
	}
	hamming    = topology.HammingMeshSpec{Board: []int{4, 3}, Boards: []int{3, 2}}
	hammingTop = topology.HammingMeshSpec{Board: []int{2, 2}, Boards: []int{4, 3}, Radix: 4}
	blocks     = topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 3, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{4, 3, 2}},
	}
	crossed = topology.HierarchySpec{
		Block:    topology.FullSpec{Routers: 2, Hosts: 1},
		Outer:    topology.TorusSpec{Dims: []int{4, 4}},
		External: []int{0, 1, 0, 1},
	}
	pods = topology.HierarchySpec{
		Block:    topology.FullSpec{Routers: 3, Hosts: 2},
		Outer:    topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}},
		External: []int{0, 1},
	}
	nested = topology.HierarchySpec{
		Block: topology.HyperXSpec{Dims: []int{2, 2}, Hosts: 1},
		Outer: topology.DragonflySpec{A: 2, H: 1},
	}
)

// Nodes of GPUs: rails of a leaf switch each, in units; the same with PXN; planes without a way from
// rail to rail; two ports of a GPU in two planes, and at two leaves of one; NICs that GPUs share; one
// node alone.
var (
	rails = topology.NodesSpec{
		Count: 4, Unit: 2, Planes: 1,
		Block: topology.XGFTSpec{M: []int{1, 2}, W: []int{1, 2}},
		Outer: topology.XGFTSpec{M: []int{2, 2, 2}, W: []int{1, 2, 2}},
	}
	railsPXN = topology.NodesSpec{
		Count: rails.Count, Unit: rails.Unit, Planes: 1, Block: rails.Block, Outer: rails.Outer, PXN: true,
	}
	railOnly = topology.NodesSpec{
		Count: 3, Unit: 1, Planes: 3, PXN: true,
		Block: topology.FullSpec{Routers: 3, Hosts: 1}, Outer: topology.FullSpec{Routers: 1, Hosts: 3},
	}
	dualPlane = topology.NodesSpec{
		Count: 4, Unit: 2, Planes: 2, NICs: 4,
		Block: topology.FullSpec{Routers: 2, Hosts: 1}, Outer: topology.XGFTSpec{M: []int{2, 4}, W: []int{1, 2}},
	}
	dualToR = topology.NodesSpec{
		Count: 4, Unit: 2, Planes: 1, NICs: 4,
		Block: topology.FullSpec{Routers: 2, Hosts: 1}, Outer: topology.XGFTSpec{M: []int{2, 4, 2}, W: []int{1, 2, 2}},
	}
	sharedNICs = topology.NodesSpec{
		Count: 3, Unit: 1, Planes: 1, NICs: 2, PXN: true,
		Block: topology.TorusSpec{Dims: []int{4}, Hosts: 1}, Outer: topology.FullSpec{Routers: 2, Hosts: 3},
	}
	alone = topology.NodesSpec{
		Count: 1, Unit: 1, Planes: 1, Block: topology.XGFTSpec{M: []int{1, 8}, W: []int{1, 4}},
	}
)

const (
	balanced = routing.DatelineBalanced
	classic  = routing.DatelineClassic
	ahead    = routing.DatelineAhead
)

// combinations are all algorithms on all topologies that they fit, with the
// least virtual channels they need there.
var combinations = []combination{
	{"dor/ring", ring, dor(routing.TieSplit), 2, 0},
	{"dor/torus", torus, dor(routing.TieSplit), 2, 0},
	{"dor/torus-up", torus, dor(routing.TieUp), 2, 0},
	{"dor/torus-hosts", torus3, dor(routing.TieSplit), 2, 0},
	{"dor/mesh", mesh, dor(routing.TieSplit), 1, 0},
	{"dor/mixed", mixed, dor(routing.TieSplit), 2, 0},
	{"dor/torus-packet", torus, dorWith(0, routing.ChoicePacket), 2, 0},
	{"dor/torus-queue", torus3, dorWith(1, routing.ChoiceQueue), 2, 0},
	{"dor/mesh-queue", mesh, dorWith(0, routing.ChoiceQueue), 1, 0},
	{"dor/ring-classic", ring, dorScheme(classic, routing.EntryHop, routing.TieSplit, routing.ChoiceFlow), 2, 0},
	{"dor/torus-classic", torus, dorScheme(classic, routing.EntryFirst, routing.TieUp, routing.ChoiceFlow), 2, 0},
	{"dor/torus-classic-packet", torus, dorScheme(classic, routing.EntryAll, routing.TieSplit, routing.ChoicePacket), 2, 0},
	{"dor/torus-hosts-classic", torus3, dorScheme(classic, routing.EntryHop, routing.TieSplit, routing.ChoiceQueue), 2, 0},
	{"dor/mixed-classic", mixed, dorScheme(classic, routing.EntryHop, routing.TieSplit, routing.ChoiceFlow), 2, 0},
	{"dor/torus-ahead", torus, dorScheme(ahead, routing.EntryHop, routing.TieSplit, routing.ChoiceFlow), 2, 0},
	{"dor/torus-hosts-ahead", torus3, dorScheme(ahead, routing.EntryAll, routing.TieUp, routing.ChoicePacket), 2, 0},
	{"dor/torus-entry", torus, dorScheme(balanced, routing.EntryFirst, routing.TieSplit, routing.ChoiceFlow), 2, 0},
	{"dor/mesh-classic", mesh, dorScheme(classic, routing.EntryAll, routing.TieSplit, routing.ChoiceFlow), 1, 0},
	{"dor/torus-shared", torus, dorShared(3, balanced), 3, 0},
	{"dor/ring-shared-classic", ring, dorShared(3, classic), 3, 0},
	{"dor/mixed-shared", mixed, dorShared(3, ahead), 3, 0},
	{"minimal/ring", ring, minimal(routing.ChoiceFlow), 2, 0},
	{"minimal/torus", torus, minimal(routing.ChoicePacket), 2, 0},
	{"minimal/torus-hosts", torus3, minimal(routing.ChoiceQueue), 2, 0},
	{"minimal/mixed", mixed, minimal(routing.ChoiceQueue), 2, 0},
	{"minimal/mesh", mesh, minimal(routing.ChoiceQueue), 1, 0},
	{"dor/hyperx", hyperx, minimal(routing.ChoiceFlow), 1, 0},
	{"dor/hyperx-random", hyperx, minimal(routing.ChoicePacket), 1, 0},
	{"dor/hyperx-queue", hyperx, minimal(routing.ChoiceQueue), 1, 0},
	{"dor/full", full, minimal(routing.ChoiceFlow), 1, 0},
	{"nca/destination", tree, nca(routing.UpDestination), 1, 0},
	{"nca/source", tree, nca(routing.UpSource), 1, 0},
	{"nca/hash", wide, nca(routing.UpHash), 1, 0},
	{"nca/destination-wide", wide, nca(routing.UpDestination), 1, 0},
	{"nca/random", tree, nca(routing.UpRandom), 1, 0},
	{"nca/adaptive", wide, nca(routing.UpAdaptive), 1, 0},
	{"minimal/dragonfly", dragonfly, minimal(routing.ChoiceFlow), 2, 1},
	{"minimal/dragonfly-few", few, minimal(routing.ChoicePacket), 2, 1},
	{"minimal/dragonfly-queue", few, minimal(routing.ChoiceQueue), 2, 1},
	{"minimal/dragonfly+", plus, minimal(routing.ChoiceFlow), 1, 0},
	{"minimal/dragonfly+-few", plusFew, minimal(routing.ChoiceQueue), 1, 0},
	{"minimal/slim-fly", slimfly, minimal(routing.ChoiceFlow), 2, 0},
	{"minimal/twisted", twisted, minimal(routing.ChoiceFlow), 2, 0},
	{"minimal/twisted-queue", twisted2, minimal(routing.ChoiceQueue), 2, 0},
	{"minimal/hammingmesh", hamming, minimal(routing.ChoiceFlow), 2, 0},
	{"minimal/hammingmesh-packet", hammingTop, minimal(routing.ChoicePacket), 1, 0},
	{"valiant/hammingmesh", hamming, valiant, 4, -1},
	{"minimal/hierarchy", blocks, minimal(routing.ChoiceFlow), 2, -1},
	{"minimal/hierarchy-crossed", crossed, minimal(routing.ChoiceFlow), 5, -1},
	{"minimal/hierarchy-hosted", pods, minimal(routing.ChoiceFlow), 2, -1},
	{"minimal/hierarchy-nested", nested, minimal(routing.ChoiceFlow), 4, -1},
	{"minimal/nodes-rails", rails, minimal(routing.ChoiceFlow), 1, 0},
	{"minimal/nodes-pxn", railsPXN, minimal(routing.ChoicePacket), 1, 0},
	{"minimal/nodes-rail-only", railOnly, minimal(routing.ChoiceQueue), 1, 0},
	{"minimal/nodes-dual-plane", dualPlane, minimal(routing.ChoiceQueue), 1, 0},
	{"minimal/nodes-dual-tor", dualToR, minimal(routing.ChoiceFlow), 1, 0},
	{"minimal/nodes-dual-tor-queue", dualToR, minimal(routing.ChoiceQueue), 1, 0},
	{"minimal/nodes-shared", sharedNICs, minimal(routing.ChoiceFlow), 2, 1},
	{"minimal/nodes-alone", alone, minimal(routing.ChoicePacket), 1, 0},
	{"shortest/torus", torus, shortest(routing.ClassesHop), 4, 0},
	{"shortest/dragonfly", dragonfly, shortest(routing.ClassesHop), 3, 0},
	{"dfsssp/dragonfly", dragonfly, dfsssp, 2, 0},
	{"dfsssp/tree", tree, dfsssp, 1, 0},
	{"shortest/tree", tree, shortest(routing.ClassesNone), 1, 0},
	{"up-down/torus", torus, upDown, 1, -1},
	{"up-down/dragonfly", dragonfly, upDown, 1, -1},
	{"up-down/slim-fly", slimfly, upDown, 1, -1},
	{"up-down/tree", tree, upDown, 1, -1},
	{"source/torus", torus, source(minimal(routing.ChoiceFlow)), 2, 0},
	{"source/ring", topology.TorusSpec{Dims: []int{60}, Hosts: 1}, source(minimal(routing.ChoiceFlow)), 2, 0},
	{"source/tree", tree, source(nca(routing.UpDestination)), 1, 0},
	{"valiant/torus", torus, valiant, 4, 8},
	{"valiant/mesh", mesh, valiant, 2, 12},
	{"valiant/hyperx", hyperx, valiant, 2, 4},
	{"valiant/full", full, valiant, 2, 2},
	{"valiant/dragonfly", dragonfly, valiant, 3, 5},
	{"valiant/dragonfly-few", few, valiant, 3, 5},
	{"valiant/dragonfly+", plus, valiant, 2, 6},
	{"valiant/slim-fly", slimfly, valiant, 4, 4},
	{"valiant/tree", tree, valiant, 2, 8},
	{"valiant/hierarchy", blocks, valiant, 4, -1},
	{"romm/ring", ring, romm, 4, 0},
	{"romm/torus", torus, romm, 4, 0},
	{"romm/mesh", mesh, romm, 2, 0},
	{"romm/mixed", mixed, romm, 4, 0},
	{"ugal-l/torus", torus, ugalL, 4, 8},
	{"ugal-l/hyperx", hyperx, ugalL, 2, 4},
	{"ugal-l/full", full, ugalL, 2, 2},
	{"ugal-l/dragonfly", dragonfly, ugalL, 3, 5},
	{"ugal-l/dragonfly+", plus, ugalL, 2, 6},
	{"ugal-l/slim-fly", slimfly, ugalL, 4, 4},
	{"ugal-g/hyperx", hyperx, ugalG, 2, 4},
	{"ugal-g/dragonfly", few, ugalG, 3, 5},
	{"ugal-g/slim-fly", slimfly, ugalG, 4, 4},
	{"par/dragonfly", dragonfly, par, 4, 6},
	{"par/dragonfly-few", few, par, 4, 6},
	{"adaptive/ring", ring, adaptive, 3, 0},
	{"adaptive/torus", torus, adaptive, 3, 0},
	{"adaptive/torus-hosts", torus3, adaptive, 3, 0},
	{"adaptive/mesh", mesh, adaptive, 2, 0},
	{"adaptive/mixed", mixed, adaptive, 3, 0},
	{"adaptive/hyperx", hyperx, adaptive, 2, 0},
	{"adaptive/full", full, adaptive, 2, 0},
	{"adaptive/dragonfly", dragonfly, adaptive, 3, 1},
	{"adaptive/dragonfly-few", few, adaptive, 3, 1},
	{"adaptive/dragonfly+", plusFew, adaptive, 2, 0},
	{"adaptive/hierarchy", blocks, adaptive, 3, -1},
	{"adaptive/hierarchy-crossed", crossed, adaptive, 6, -1},
	{"adaptive/hierarchy-hosted", pods, adaptive, 3, -1},
	{"adaptive/hierarchy-nested", nested, adaptive, 5, -1},
	{"staying/ring", ring, staying, 3, 0},
	{"staying/torus-hosts", torus3, staying, 3, 0},
	{"staying/mesh", mesh, staying, 2, 0},
	{"staying/hyperx", hyperx, staying, 2, 0},
	{"staying/dragonfly", dragonfly, staying, 3, 1},
	{"staying/hierarchy", blocks, staying, 3, -1},
	{"zone/torus", torus3, zone(), 3, 0},
	{"zone/torus-masks", torus3, zone("x|yz", "z|yx"), 3, 0},
	{"zone/mesh", mesh, zone("y|x"), 2, 0},
	{"zone/hierarchy", blocks, zone(), 3, -1},
	{"zone/hierarchy-masks", blocks, zone("x|yz"), 3, -1},
}

// build makes the topology and the algorithm.
func (c combination) build(t testing.TB, vcs int) (topology.Topology, routing.Algorithm) {
	t.Helper()
	net, err := c.spec.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	algorithm, err := c.make(net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	return net, algorithm
}
