package bench

import "fabricast"

// trafficCases are networks that are offered all that their hosts can inject,
// uniformly at random: those whose speed HiNetSim's paper reports, two large ones for
// the memory, and the switches and routings of the general path.
func trafficCases() []*Case {
	torus := fabricast.Topology{Kind: fabricast.KindTorus, Dims: []int{6, 6, 6, 6}, Hosts: 1}
	superblocks := fabricast.Topology{
		Kind:     fabricast.KindHierarchy,
		Block:    &fabricast.Topology{Kind: fabricast.KindFull, Routers: 4, Hosts: 2},
		Outer:    &fabricast.Topology{Kind: fabricast.KindTorus, Dims: []int{4, 4, 3, 3}},
		External: []int{0, 0, 1, 1, 2, 2, 3, 3},
	}
	butterfly := fabricast.Topology{Kind: fabricast.KindHyperX, Dims: []int{8, 8}, Hosts: 16}
	tree := fabricast.Topology{Kind: fabricast.KindFatTree, Radix: 16, Levels: 3}
	cases := []*Case{
		loaded("torus4d-10k", "4-D torus of 10,000 nodes", 60, 300*megabyte, hypercube(10)),
		loaded("torus4d-64k", "4-D torus of 65,536 nodes", 40, 2*gigabyte, hypercube(16)),
	}
	for _, n := range []struct {
		name, title string
		topology    fabricast.Topology
	}{
		{"superblocks", "4.5-D torus of 576 routers and 1,152 nodes", superblocks},
		{"flattened-butterfly", "flattened butterfly of 64 routers and 1,024 nodes", butterfly},
		{"fat-tree", "fat tree of 320 switches and 1,024 nodes", tree},
		{"torus4d", "4-D torus of 1,296 nodes", torus},
	} {
		one, two := loaded(n.name, n.title, 200, 0, n.topology), loaded(n.name+"-2w", n.title, 200, 0, n.topology)
		two.Workers, two.SpeedUpOf = 2, one.Name
		cases = append(cases, one, two)
	}
	return append(cases, general(butterfly)...)
}

// general is networks of 1,024 nodes with switches or routing that take the general path.
func general(butterfly fabricast.Topology) []*Case {
	voq := loaded("general-voq", "flattened butterfly of 1,024 nodes with virtual output queues", 200, 0, butterfly)
	adaptive := loaded("general-adaptive", "torus of 1,024 nodes with adaptive routing", 200, 0,
		fabricast.Topology{Kind: fabricast.KindTorus, Dims: []int{32, 32}, Hosts: 1})
	voq.change(func(n *fabricast.Network) { n.Router.Queues = fabricast.QueuesVOQ })
	adaptive.change(func(n *fabricast.Network) { n.Routing = fabricast.Routing{Algorithm: fabricast.RoutingAdaptive} })
	for _, c := range []*Case{voq, adaptive} {
		c.Full.Bound.NSPerHop, c.Short.Bound.NSPerHop = 1e9/6e6, 1e9/6e6
	}
	return []*Case{voq, adaptive}
}

// change changes a case's network in both sizes.
func (c *Case) change(edit func(*fabricast.Network)) {
	edit(&c.Full.Experiment.Network)
	edit(&c.Short.Experiment.Network)
}

// loaded offers a network its full load for some microseconds of simulated time.
func loaded(name, title string, microseconds int, memory float64, t fabricast.Topology) *Case {
	at := func(share int) Size {
		e := onTorus(fabricast.Workload{}, 1)
		e.Ranks = 0
		e.Network.Topology, e.Network.Routing = t, fabricast.Routing{}
		e.Network.Router.VCs, e.Network.Router.Buffer = 4, 4*fabricast.KiB
		e.Network.Packet.MTU = fabricast.KiB
		e.Traffic = fabricast.Traffic{
			Pattern: fabricast.Pattern{Name: "uniform"}, Load: fabricast.Whole,
			Measure: fabricast.Measure{Longest: fabricast.Time(microseconds) * fabricast.Microsecond / fabricast.Time(share)},
		}
		return Size{Experiment: e, Repeat: 1, Bound: Bound{Memory: memory}}
	}
	c := &Case{Name: name, Title: title + " under full load", Workers: 1, Full: at(1), Short: at(5)}
	c.Short.Cut = "a fifth of the time"
	return c
}

// hypercube is a 4-D torus with as many routers in each dimension.
func hypercube(k int) fabricast.Topology {
	return fabricast.Topology{Kind: fabricast.KindTorus, Dims: []int{k, k, k, k}, Hosts: 1}
}
