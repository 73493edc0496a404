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
		for a := 0; a < g.Hosts && a < 16; a++ {
			for b := range g.Hosts {
				most = max(most, top.Distance(a, b))
			}
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
	// The crystal lattices FCC and BCC of Camarero, Martínez and Beivide, of diameter 3k/2: twisted tori.
	for _, k := range []int{4, 5, 6, 8} {
		for _, dims := range [][]int{{k, k, 2 * k}, {k, 2 * k, 2 * k}} {
			n := dims[0] * dims[1] * dims[2]
			s := topology.TwistedTorusSpec{Dims: dims, Twist: topology.UsualTwist(dims), Hosts: 1}
			f(s, n, n, 3*n, 7, 3*k/2)
		}
	}
	// The clusters of the HammingMesh paper: 1,024 accelerators of 64-port switches, of boards 2x2 and
	// 4x4, and about 16,384, of which boards of 2x2 need two levels of switches.
	hx := func(a, x int) topology.Spec {
		return topology.HammingMeshSpec{Board: []int{a, a}, Boards: []int{x, x}}
	}
	f(hx(2, 16), 1024+64, 1024, 16*16*4+64*32, 32, 4)
	f(hx(4, 8), 1024+64, 1024, 8*8*24+64*16, 16, 8)
	f(hx(2, 64), 16384+256*(4+2), 16384, 64*64*4+256*(128+4*32), 64, 8)
	f(hx(4, 32), 16384+256, 16384, 32*32*24+256*64, 64, 8)
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

// TestTwistedRepresentative: a large twisted torus stands for the smallest of which it is a multiple,
// and one that is no multiple, or small, for itself.
func TestTwistedRepresentative(t *testing.T) {
	for _, c := range []struct {
		dims []int
		name string
	}{
		{[]int{16, 16, 32}, "a twisted torus of 4x4x8"},
		{[]int{10, 20, 20}, "a twisted torus of 5x10x10"},
		{[]int{7, 7, 14}, ""},
		{[]int{4, 8, 8}, ""},
	} {
		s := topology.TwistedTorusSpec{Dims: c.dims, Twist: topology.UsualTwist(c.dims), Hosts: 1}
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := top.(topology.Represented).Representative()
		if ok != (c.name != "") || ok && r.Name != c.name {
			t.Errorf("%v: %q, %v; want %q", c.dims, r.Name, ok, c.name)
		}
		if small, err := r.Build(); ok && (err != nil || small.Graph().Routers >= top.Graph().Routers) {
			t.Errorf("%v: %v", c.dims, err)
		}
	}
}
