package topology_test

import (
	"testing"

	"fabricast/topology"
)

// TestKnownNetworks compares networks with the figures of the papers that define them.
func TestKnownNetworks(t *testing.T) {
	f := func(s topology.Spec, routers, hosts, links, radix, diameter int) {
		t.Helper()
		top, err := s.Build(1)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		g := top.Graph()
		ends, most := 0, 0
		for p := range g.Ports {
			if g.Ports[p].Peer != topology.Unconnected {
				ends++
			}
		}
		for b := range g.Hosts {
			most = max(most, top.Distance(0, b))
		}
		if g.Routers != routers || g.Hosts != hosts || ends != 2*links || g.Radix() != radix ||
			most != diameter {
			t.Errorf("%+v has %d routers, %d hosts, %d links, radix %d, diameter %d; want %d, %d, %d, %d, %d",
				s, g.Routers, g.Hosts, ends/2, g.Radix(), most, routers, hosts, links, radix, diameter)
		}
	}
	// A Slim Fly of q = 5 is the graph of Hoffman and Singleton.
	f(topology.SlimFlySpec{Q: 5, Hosts: 4}, 50, 200, 175, 11, 2)
	f(topology.SlimFlySpec{Q: 19, Hosts: 15}, 722, 10830, 10469, 44, 2)
	for _, q := range []int{13, 16, 17, 23, 25, 27, 32} {
		s := topology.SlimFlySpec{Q: q, Hosts: 1}
		degree := map[int]int{0: 3 * q / 2, 1: (3*q - 1) / 2, 3: (3*q + 1) / 2}[q%4]
		f(s, 2*q*q, 2*q*q, q*q*degree, degree+1, 2)
	}
	// NVIDIA's DGX SuperPOD of H100: 8 leaf switches a unit, and 4, 8, 16 spine switches for 1, 2, 4
	// units; 18 NVSwitches of NVL72, at each of which every GPU has a link.
	f(superPOD(32, 1), 32*12+8+4, 256, 32*32+256+256, 64, 4)
	f(superPOD(64, 2), 64*12+16+8, 512, 64*32+512+512, 64, 4)
	f(superPOD(128, 4), 128*12+32+16, 1024, 128*32+1024+1024, 64, 4)
	f(topology.NodesSpec{
		Count: 1, Unit: 1, Planes: 1, Block: topology.XGFTSpec{M: []int{1, 72}, W: []int{1, 18}},
	}, 72+18, 72, 72*18, 72, 2)
	// The example of the dragonfly's authors, and BookSim's.
	f(topology.DragonflySpec{P: 2, A: 4, H: 2}, 36, 72, 54+36, 7, 3)
	f(topology.DragonflySpec{P: 8, A: 16, H: 8}, 2064, 16512, 129*120+129*64, 31, 3)
	// HiNetSim's fat tree of 16-port switches, and its flattened butterflies.
	f(topology.FatTreeSpec{Radix: 16, Levels: 3}, 320, 1024, 2048, 16, 4)
	f(topology.HyperXSpec{Dims: []int{8, 8}, Hosts: 16}, 64, 1024, 448, 30, 2)
	f(topology.HyperXSpec{Dims: []int{4, 4, 4, 4}, Hosts: 4}, 256, 1024, 256*12/2, 16, 4)
	f(topology.KaryTreeSpec{K: 4, N: 3}, 48, 64, 128, 8, 4)
	f(superblocks(3), 324, 648, 81*6+81*4, 7, 8)
}

// superblocks is HiNetSim's 4.5D torus.
func superblocks(k int) topology.Spec {
	return topology.HierarchySpec{
		Block: topology.FullSpec{Routers: 4, Hosts: 2},
		Outer: topology.TorusSpec{Dims: []int{k, k, k, k}},
	}
}
