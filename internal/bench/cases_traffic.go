package bench

import (
	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// trafficCases returns networks at full load with uniform random traffic: networks whose simulation
// speed HiNetSim's paper reports, two large ones to measure memory, and routers and routing
// algorithms that only the engine's general path supports.
func trafficCases() []*Case {
	torus := topology.TorusSpec{Dims: []int{6, 6, 6, 6}, Hosts: 1}
	superblocks := topology.HierarchySpec{
		Block:    topology.FullSpec{Routers: 4, Hosts: 2},
		Outer:    topology.TorusSpec{Dims: []int{4, 4, 3, 3}},
		External: []int{0, 0, 1, 1, 2, 2, 3, 3},
	}
	butterfly := topology.HyperXSpec{Dims: []int{8, 8}, Hosts: 16}
	tree := topology.FatTreeSpec{Radix: 16, Levels: 3, Hosts: 8}
	onRings := routing.DOROptions{Tie: routing.TieSplit}
	large := loaded("torus4d-64k", "4-D torus of 65,536 nodes", 40, 2*gigabyte, hypercube(16), onRings)
	large.Short.Experiment.Network.Topology = hypercube(11)
	large.Short.Cut, large.Short.Bound = "14,641 nodes, a tenth of the time", Bound{}
	cases := []*Case{
		loaded("torus4d-10k", "4-D torus of 10,000 nodes", 60, 300*megabyte, hypercube(10), onRings),
		large,
	}
	for _, n := range []struct {
		name, title string
		topology    topology.Spec
		routing     routing.Spec
	}{
		{
			"superblocks", "4.5-D torus of 576 routers and 1,152 nodes",
			superblocks,
			routing.MinimalOptions{},
		},
		{
			"flattened-butterfly", "flattened butterfly of 64 routers and 1,024 nodes",
			butterfly,
			routing.DOROptions{},
		},
		{
			"fat-tree", "fat tree of 320 switches and 1,024 nodes",
			tree,
			routing.NCAOptions{Up: routing.UpDestination},
		},
		{"torus4d", "4-D torus of 1,296 nodes", torus, onRings},
	} {
		one, two := loaded(n.name, n.title, 200, 0, n.topology, n.routing), loaded(
			n.name+"-2w", n.title, 200, 0, n.topology, n.routing,
		)
		two.Workers, two.SpeedUpOf = 2, one.Name
		cases = append(cases, one, two)
	}
	return append(cases, general(butterfly)...)
}

// general returns networks of 1,024 nodes whose routers or routing algorithms need the engine's
// general path.
func general(butterfly topology.Spec) []*Case {
	voq := loaded(
		"general-voq",
		"flattened butterfly of 1,024 nodes with virtual output queues",
		200,
		0,
		butterfly,
		routing.DOROptions{},
	)
	adaptive := loaded(
		"general-adaptive",
		"torus of 1,024 nodes with adaptive routing",
		200,
		0,
		topology.TorusSpec{
			Dims:  []int{32, 32},
			Hosts: 1,
		},
		routing.AdaptiveOptions{},
	)
	for _, size := range []*Size{&voq.Full, &voq.Short} {
		size.Experiment.Network.Router.Queues = experiment.QueuesVOQ
	}
	for _, c := range []*Case{voq, adaptive} {
		c.Full.Bound.NSPerHop, c.Short.Bound.NSPerHop = 167, 167 // 6 million hops a second
	}
	return []*Case{voq, adaptive}
}

// loaded returns a case that offers a network its full load for the given simulated time (us).
// memory is its memory limit in bytes.
func loaded(
	name, title string, microseconds int, memory float64, t topology.Spec, r routing.Spec,
) *Case {
	at := func(share int) Size {
		e := onTorus(experiment.Workload{}, 1)
		e.Ranks = 0
		e.Network.Topology, e.Network.Routing = t, r
		e.Network.Router.VCs, e.Network.Router.Buffer = 4, 4*fabricast.KiB
		e.Network.Packet.MTU = fabricast.KiB
		e.Traffic = experiment.Traffic{
			Pattern: experiment.Pattern{Name: "uniform"}, Load: fabricast.Whole,
			Measure: experiment.Measure{
				Longest: fabricast.Time(microseconds) * fabricast.Microsecond / fabricast.Time(share),
			},
		}
		return Size{Experiment: e, Repeat: 1, Bound: Bound{Memory: memory}}
	}
	c := &Case{Name: name, Title: title + " under full load", Workers: 1, Full: at(1), Short: at(10)}
	c.Short.Cut = "a tenth of the time"
	return c
}

// hypercube returns a 4-D torus with k routers in each dimension.
func hypercube(k int) topology.Spec {
	return topology.TorusSpec{Dims: []int{k, k, k, k}, Hosts: 1}
}
