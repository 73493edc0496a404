package channels

import (
	"math"
	"testing"

	"fabricast/collective"
)

// The times are computed by hand from NCCL's tables, for 16 Hopper GPUs on four nodes with four NICs
// of 24 GB/s each, and eight channels.
func TestCostsAreThoseOfNCCL(t *testing.T) {
	m := Model{Ranks: 16, Nodes: 4, Channels: 8, Bus: 96, NVLink: 320}
	one := Model{Ranks: 8, Nodes: 1, Channels: 16, Bus: 192, NVLink: 320}
	alone := Model{Ranks: 4, Nodes: 4, Channels: 2, Bus: 24, NVLink: 24}
	for _, c := range []struct {
		name  string
		model Model
		kind  collective.Kind
		way   Way
		p     Protocol
		bytes int
		want  float64
	}{
		// 6 of 30 steps are between nodes; the others take the 1 us of posting at least. 20.4 GB/s is the
		// most of LL on Intel.
		{"ring LL", m, collective.KindAllreduce, Ring, LL, 1 << 16, 6.6 + 24*1 + 6*2.7 + 65536/(20.4e3*16/30)},
		{"ring LL128", m, collective.KindAllreduce, Ring, LL128, 1 << 20, 14 + 24*1.9 + 6*4 + 1048576/(96e3*.92*16/30)},
		// 3 us of posting are less than 3.4; the plateau begins at 64 B for each channel and rank
		{"ring Simple", m, collective.KindAllreduce, Ring, Simple, 1 << 20, 1.4*(8.4+24*3.4+6*14) + 1048576/(96e3*16/30)},
		{"ring Simple, short", m, collective.KindAllreduce, Ring, Simple, 64, 8.4 + 24*3.4 + 6*14 + 64/(96e3*16/30)},
		// 64 KiB is 64 B * 2^10, whose factor is .6 by LL; 96*.92/3.8 is above 20.4
		{"tree LL", m, collective.KindAllreduce, Tree, LL, 1 << 16, 6.8 + 2*(3*.6+2*5) + 65536/(20.4e3/2*.6)},
		{"tree LL128", m, collective.KindAllreduce, Tree, LL128, 8 << 20, 14 + 2*(3*1.25+2*8.5) + 8388608/(96e3*.92*120/128/2*.9)},
		{"tree Simple", m, collective.KindAllreduce, Tree, Simple, 1 << 30, 8.4 + 2*(3*4+2*14.0) + 1073741824/(96e3*.92/2)},
		{"allgather", m, collective.KindAllgather, Ring, LL128, 1 << 20, 14 + 12*1.9 + 3*4 + 1048576/(96e3*.92*16/15)},
		{"broadcast", m, collective.KindBroadcast, Ring, Simple, 1 << 20, 8.4 + 16*14 + 1048576/96e3},
		{"one node", one, collective.KindAllreduce, Ring, LL, 1 << 20, 6.6 + 14*.6 + 1048576/(141e3*8/14)},
		{"one node, tree", one, collective.KindAllreduce, Tree, LL128, 1 << 20, 14 + 2*7*1.25 + 1048576/(320e3*.92*7/9/2*.6)},
		// one GPU on each node: the latency of trees
		{"alone", alone, collective.KindAllreduce, Ring, LL, 1 << 10, 6.6 + 6*5 + 1024/(12e3*4/6)},
	} {
		if got := c.model.Time(c.kind, c.way, c.p, c.bytes); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %g us, want %g", c.name, got, c.want)
		}
	}
}

// Switches take the times of nvls.cc and of tuning.cc, computed by hand: a node of 8 has 7/8 of the rate of
// NVLink at an efficiency of .85, twice for both directions; between nodes NVLSTree has what NICs, or 45.5 GB/s
// a channel, have.
func TestCostOfSwitches(t *testing.T) {
	one := Model{Ranks: 8, Nodes: 1, Channels: 16, Bus: 400, NVLink: 320}
	ten := Model{Ranks: 80, Nodes: 10, Channels: 16, Bus: 400, NVLink: 320}
	const n = 1 << 26
	for _, c := range []struct {
		model Model
		kind  collective.Kind
		way   Way
		want  float64
	}{
		{one, collective.KindAllreduce, NVLS, 25 + n/(320e3*.85*2*7/8*8/14)},
		{one, collective.KindAllgather, NVLS, 25 + n/(320e3*.85*7/8*7/8*8/7)},
		{ten, collective.KindAllreduce, NVLS, 25 + 18 + n/(400e3*80/158)},
		{ten, collective.KindAllreduce, NVLSTree, 25 + 2*3*20.9 + n/(8*45.5e3*80/158)},
		{ten, collective.KindAllreduce, CollNetDirect, 31 + 2*(3.7+7*.4) + n/(320e3*.85/2)},
		{ten, collective.KindAllreduce, CollNetChain, 30 + 2*7*2.8 + n/(320e3/2)},
	} {
		if got := c.model.Time(c.kind, c.way, Simple, n); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s of %d ranks by %s: %g us, want %g", c.kind, c.model.Ranks, c.way, got, c.want)
		}
	}
}

// PAT takes 14/3.5 us for each of four steps and 2.8 us for each block, and has three quarters of the rate.
func TestCostOfPAT(t *testing.T) {
	m := Model{Ranks: 16, Nodes: 16, Channels: 4, Bus: 24, NVLink: 24}
	if got, want := m.Time(collective.KindAllgather, PAT, Simple, 1<<20), 8+4*4+16*2.8+1048576/18e3; math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g us, want %g", got, want)
	}
}

// A rank has what it sends, receives all other blocks once, and never sends more than a buffer holds
// before it receives.
func TestTurnsOfPAT(t *testing.T) {
	for ranks := 1; ranks < 70; ranks++ {
		have, sent := map[int32]bool{0: true}, 0
		for _, x := range turns(exchanges(ranks)) {
			if !x.receives {
				if sent++; sent > stepsInFlight || !have[x.block] {
					t.Fatalf("%d ranks: block %d is sent as the %d. at once", ranks, x.block, sent)
				}
				continue
			}
			if sent = 0; have[x.block+x.far] {
				t.Fatalf("%d ranks: block %d comes twice", ranks, x.block+x.far)
			}
			have[x.block+x.far] = true
		}
		if len(have) != ranks {
			t.Errorf("%d ranks: %d blocks come", ranks, len(have))
		}
	}
}

// The choice goes from trees by LL to rings by Simple as buffers grow.
func TestChoiceBySize(t *testing.T) {
	m := Model{Ranks: 16, Nodes: 4, Channels: 8, Bus: 96, NVLink: 320, Ways: []Way{Tree, Ring}}
	for _, c := range []struct {
		bytes int
		way   Way
		p     Protocol
	}{{256, Tree, LL}, {1 << 20, Tree, LL128}, {512 << 20, Ring, Simple}} {
		if way, p := m.Choose(collective.KindAllreduce, c.bytes, nil); way != c.way || p != c.p {
			t.Errorf("%d bytes: %v, %v; want %v, %v", c.bytes, way, p, c.way, c.p)
		}
	}
}

func TestWireHasFlags(t *testing.T) {
	for _, c := range []struct {
		p       Protocol
		n, wire int
	}{{LL, 8, 16}, {LL, 9, 32}, {LL, 32 << 10, 64 << 10}, {LL128, 120, 128}, {LL128, 121, 256}, {Simple, 121, 121}} {
		if got := c.p.Wire(c.n); got != c.wire {
			t.Errorf("%v: %d bytes for %d, want %d", c.p, got, c.n, c.wire)
		}
	}
}

// Both trees span all nodes, and no node but one is within both.
func TestTreesComplementEachOther(t *testing.T) {
	for nodes := 1; nodes < 70; nodes++ {
		inner := make([]int, nodes)
		for _, shape := range []func(int, int) (int, []int){binary, second} {
			roots, reached := 0, 0
			for at := range nodes {
				parent, children := shape(nodes, at)
				if parent < 0 {
					roots++
				}
				if len(children) > 0 {
					inner[at]++
				}
				reached += len(children)
				for _, child := range children {
					if up, _ := shape(nodes, child); up != at {
						t.Fatalf("%d nodes: %d is below %d, whose parent is %d", nodes, child, at, up)
					}
				}
			}
			if roots != 1 || reached != nodes-1 {
				t.Errorf("%d nodes: %d roots, %d children", nodes, roots, reached)
			}
		}
		both := 0
		for _, n := range inner {
			if n == 2 {
				both++
			}
		}
		if both > 1 {
			t.Errorf("%d nodes: %d are within both trees", nodes, both)
		}
	}
}

// The pieces of a share cover it once.
func TestPiecesCoverAShare(t *testing.T) {
	for _, n := range []int{16, 24, 1000, 1 << 20, 5<<20 + 8} {
		for _, ways := range []int{1, 3, 16} {
			s := &Setting{chunk: 64 << 10, slices: 2}
			d := s.slicing(share{100, n}, ways, 8)
			covered := make([]byte, n)
			for loop := range d.loops() {
				for chunk := range ways {
					for i := range d.slices {
						m := d.piece(loop, chunk, i, 0)
						for b := range m.N {
							covered[m.At-100+b]++
						}
					}
				}
			}
			for b, times := range covered {
				if times != 1 {
					t.Fatalf("%d bytes, %d ways: byte %d is in %d pieces", n, ways, b, times)
				}
			}
		}
	}
}
