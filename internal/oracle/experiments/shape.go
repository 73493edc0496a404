package experiments

import (
	"errors"
	"math/rand/v2"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// Shape is a network of a known topology with a routing algorithm of the library,
// and links of every class.
type Shape struct {
	Network   int    // in the list of networks
	Algorithm string // in the list of algorithms
	Links     []fabric.Link
}

// networks are small ones of every kind.
var networks = []topology.Spec{
	topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2},
	topology.TorusSpec{Dims: []int{5, 2, 2}, Wrap: []bool{true, false, true}, Hosts: 1},
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
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 4, Hosts: 2}, Outer: topology.TorusSpec{Dims: []int{3, 2}}},
	topology.HierarchySpec{Block: topology.FullSpec{Routers: 2, Hosts: 1}, Outer: topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}}},
	topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d", "e"}, Hosts: []int{2, 0, 1, 3, 1}, Classes: []string{"thin"},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2, Class: 2}, {A: 2, B: 3}, {A: 3, B: 0, Class: 2}, {A: 3, B: 4}, {A: 1, B: 3}, {A: 1, B: 3}},
	},
}

// algorithms make a routing.Function or routing.Adaptive for a topology, or fail
// if it does not fit.
var algorithms = map[string]func(t topology.Topology, vcs int) (any, error){
	"minimal": func(t topology.Topology, vcs int) (any, error) {
		return routing.NewMinimal(t, "minimal", vcs, routing.ChoiceFlow)
	},
	"minimal by packet": func(t topology.Topology, vcs int) (any, error) {
		return routing.NewMinimal(t, "minimal", vcs, routing.ChoicePacket)
	},
	"shortest": func(t topology.Topology, vcs int) (any, error) {
		return routing.NewShortest(t.Graph(), vcs, routing.ClassesHop, routing.ChoiceFlow)
	},
	"up-down": func(t topology.Topology, vcs int) (any, error) { return routing.NewUpDown(t.Graph(), vcs, -1) },
	"valiant": func(t topology.Topology, vcs int) (any, error) { return routing.NewValiant(t, vcs) },
	"ugal-l": func(t topology.Topology, vcs int) (any, error) {
		return routing.NewUGALL(t, vcs, routing.UGALOptions{Threshold: 1})
	},
	"nca": func(t topology.Topology, vcs int) (any, error) {
		if tree, ok := t.(*topology.XGFT); ok {
			return routing.NewNCA(tree, vcs, routing.UpAdaptive)
		}
		return nil, errUnfit
	},
	"par": func(t topology.Topology, vcs int) (any, error) {
		if d, ok := t.(*topology.Dragonfly); ok {
			return routing.NewPAR(d, vcs, routing.UGALOptions{})
		}
		return nil, errUnfit
	},
	"adaptive": func(t topology.Topology, vcs int) (any, error) {
		switch t.(type) {
		case *topology.Torus, *topology.HyperX, *topology.Full:
			return routing.NewMinimalAdaptive(t, vcs)
		}
		return nil, errUnfit
	},
	"zone": func(t topology.Topology, vcs int) (any, error) {
		h, ok := t.(*topology.Hierarchy)
		if _, torus := t.(*topology.Torus); torus || ok && !h.Hosted() {
			return routing.NewZone(t, vcs)
		}
		return nil, errUnfit
	},
}

// algorithmNames are in a fixed order.
var algorithmNames = []string{"minimal", "minimal by packet", "shortest", "up-down", "valiant", "ugal-l", "nca", "par", "adaptive", "zone"}

var errUnfit = errors.New("the algorithm does not fit the topology")

// build makes the topology and its routing.
func (s *Shape) build(e *Experiment) (topology.Topology, any, error) {
	t, err := networks[s.Network].Build(e.NICs)
	if err != nil {
		return nil, nil, err
	}
	a, err := algorithms[s.Algorithm](t, e.Router.VCs)
	return t, a, err
}

// spec builds the part of the specification that is the shape's own.
func (s *Shape) spec(e *Experiment) (fabric.Spec, error) {
	t, a, err := s.build(e)
	if err != nil {
		return fabric.Spec{}, err
	}
	spec := fabric.Spec{Graph: t.Graph(), Links: append([]fabric.Link{topology.LinkRouter: e.Link, topology.LinkHost: e.HostLink}, s.Links...)}
	switch a := a.(type) {
	case routing.Adaptive:
		spec.Adaptive = a
	case routing.Function:
		spec.Routing = a
	}
	return spec, nil
}

// DrawShaped makes experiments on the topologies and routing algorithms of the
// library, half of them with general switches.
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
	return e
}

// shape draws a network and an algorithm that fits it, with enough virtual channels.
func (d drawer) shape(e *Experiment) {
	for {
		e.Shape = &Shape{Network: d.IntN(len(networks)), Algorithm: pick(d, algorithmNames...)}
		e.Router.VCs = d.between(1, 9)
		if _, _, err := e.Shape.build(e); err == nil {
			return
		}
	}
}

// classes draws the links of further classes.
func (d drawer) classes(e *Experiment) {
	t, _, err := e.Shape.build(e)
	if err != nil {
		panic(err)
	}
	for range len(t.LinkClasses()) - 2 {
		e.Shape.Links = append(e.Shape.Links, fabric.Link{Bandwidth: pick(d, e.Link.Bandwidth, d.rate()), Latency: e.Link.Latency + d.delay()})
	}
}
