package ethernet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/units"
	"fabricast/topology"
)

// drawTopology returns a small network of some family.
func drawTopology(t testing.TB, r *rand.Rand) topology.Topology {
	t.Helper()
	specs := []topology.Spec{
		topology.FatTreeSpec{Radix: 4, Levels: 2 + r.IntN(2), Hosts: 2},
		topology.TorusSpec{Dims: []int{2 + r.IntN(3), 1 + r.IntN(4)}, Hosts: 1 + r.IntN(2)},
		topology.DragonflySpec{A: 2, P: 2, H: 1, G: 3, Arrangement: topology.Absolute},
	}
	top, err := specs[r.IntN(len(specs))].Build(1 + r.IntN(2))
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// drawErrors gives the links of some networks bit errors.
func drawErrors(s *Spec) {
	if s.Seed%4 != 0 {
		return
	}
	r, most := rand.New(rand.NewPCG(s.Seed, 4)), math.MaxUint64/(16*uint64(s.Packet.MTU))
	for range s.Graph.Ports {
		s.BitErrors = append(s.BitErrors, r.Uint64N(most)>>r.IntN(10))
	}
}

// drawSpec returns a network with settings of every kind.
func drawSpec(t testing.TB, r *rand.Rand) Spec {
	t.Helper()
	top := drawTopology(t, r)
	s := Spec{Graph: top.Graph(), Seed: r.Uint64()}
	for range top.LinkClasses() {
		s.Links = append(s.Links, fabric.Link{
			Bandwidth: units.Rate(1+r.Int64N(8)) * 1_000_000_000 / units.Rate(1+r.Int64N(3)),
			Latency:   units.Time(1 + r.Int64N(1<<r.IntN(20))),
		})
	}
	header := 1 + r.Int64N(64)
	s.Packet = Packet{MTU: header + 1 + r.Int64N(1000), Header: header, Control: 1 + r.Int64N(64)}
	packets := 1 + r.Int64N(12)
	s.Switch = Switch{
		Latency: r.Int64N(2) * r.Int64N(1_000_000), Queue: packets * s.Packet.MTU, Headers: (1 + r.Int64N(40)) * 64, Trims: r.IntN(2) == 0,
		HeadersInRow: r.Uint32N(12),
	}
	if r.IntN(2) == 0 {
		low := r.Int64N(packets * s.Packet.MTU)
		s.Switch.ECN = ECN{
			On: true, Min: low, Max: low + 1 + r.Int64N(packets*s.Packet.MTU), Most: r.Float64(),
			Dequeue: r.IntN(2) == 0, LastHop: r.IntN(2) == 0,
		}
	}
	drawClasses(&s)
	drawErrors(&s)
	if r.IntN(2) == 0 {
		drawShared(r, &s)
	} else {
		s.Switch.Scaled = s.Seed%3 != 0
	}
	kinds, choices := control.EthernetKinds(), paths.Kinds()
	kind, choice := kinds[r.IntN(len(kinds))], choices[r.IntN(len(choices))]
	s.NIC = NIC{
		Control: control.Make(kind.Spec(kind.New())), Paths: paths.Make(choice.Spec(choice.New())),
		Timeout: 1_000_000 + r.Int64N(100_000_000), AckEvery: 1 + r.Int64N(4*s.Packet.MTU),
		QueuePairs: 1 + r.IntN(3), DataRatio: 2 * r.IntN(7),
		Credit: Credit{
			Quantum: 1 + r.Int64N(256), Grant: 1 + r.Int64N(4*s.Packet.MTU), Share: 0.5 + r.Float64()/2,
			Initial: r.Int64N(2) * (1 + r.Int64N(10_000)),
		},
	}
	if r.IntN(3) == 0 {
		s.NIC.Retransmission, s.Switch.Trims = GoBackN, false
		s.NIC.NackEvery = r.Int64N(10_000_000)
	}
	if s.Pauses() && !s.Switch.Trims && s.NIC.Retransmission == Selective && s.Seed%3 == 0 && s.BitErrors == nil { // nothing is sent again, and nothing may be lost
		s.NIC.Timeout, s.Switch.Headers = -1, 1<<40
	}
	drawFaults(&s)
	return s
}

// drawClasses adds classes, of some priorities, to some networks. It leaves what else is drawn as it
// is, so that what once failed stays what it was.
func drawClasses(s *Spec) {
	r := rand.New(rand.NewPCG(s.Seed, 4))
	if r.IntN(2) == 0 {
		return
	}
	s.Switch.Classes = make([]Class, 1+r.IntN(MostClasses))
	for i := range s.Switch.Classes {
		c := &s.Switch.Classes[i]
		c.Priority = r.IntN(3) - 1
		c.Quantum = 1 + r.Int64N(3*s.Packet.MTU)
		if r.IntN(3) == 0 {
			c.Queue = (1 + r.Int64N(6)) * s.Packet.MTU
		}
		if r.IntN(3) == 0 {
			c.Alpha = units.Whole >> r.IntN(4)
		}
		if r.IntN(3) == 0 {
			c.MarkMin = r.Int64N(6 * s.Packet.MTU)
			c.MarkMax, c.MarkMost = c.MarkMin+1+r.Int64N(6*s.Packet.MTU), r.Float64()
		}
	}
}

// drawShared adds a buffer that ports share.
func drawShared(r *rand.Rand, s *Spec) {
	degree := int64(0)
	for router := range s.Graph.Routers {
		degree = max(degree, int64(s.Graph.PortBase[router+1]-s.Graph.PortBase[router]))
	}
	b := &Shared{
		Reserve: r.Int64N(3) * s.Packet.MTU, Alpha: units.Whole >> r.IntN(4), Pauses: r.IntN(2) == 0, Resume: r.Int64N(2 * s.Packet.MTU),
	}
	headroom := 3 * s.Packet.MTU
	for _, l := range s.Links { // what comes in while a pause frame and the last packet are on their way
		headroom = max(headroom, 3*s.Packet.MTU+s.Packet.Control+int64(float64(l.Bandwidth)*float64(2*int64(l.Latency)+s.Switch.Latency)/1e12))
	}
	b.Size = degree*int64(max(1, len(s.Switch.Classes)))*(b.Reserve+headroom) + (1+r.Int64N(20))*s.Packet.MTU
	s.Switch.Shared = b
	if b.Pauses {
		s.Switch.Queue = 0
		for i := range s.Switch.Classes {
			s.Switch.Classes[i].Queue = 0
		}
	}
}

// drawFlows returns flows between hosts of a network, some at once and toward few.
func drawFlows(r *rand.Rand, s *Spec) []flow {
	nics := int32(len(s.Graph.NICPort))
	flows := make([]flow, 1+r.IntN(40))
	few := 1 + r.Int32N(nics)
	classes := rand.New(rand.NewPCG(s.Seed, 5))
	for i := range flows {
		f := &flows[i]
		for f.src == f.dst {
			f.src, f.dst = r.Int32N(nics), r.Int32N(few)
		}
		f.size = r.Int64N(20 * s.Packet.Payload())
		f.start = r.Int64N(2) * r.Int64N(5_000_000)
		f.class = uint8(classes.IntN(2 + len(s.Switch.Classes)))
	}
	return flows
}

// TestDivisionIntoBlocks: the times of all flows and all counts are the same for any division of the
// routers into blocks, in networks drawn over all settings; nothing is lost uncounted (Verify).
func TestDivisionIntoBlocks(t *testing.T) {
	for seed := range draws.Seeds(60, 20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		spec := drawSpec(t, r)
		flows := drawFlows(r, &spec)
		one, ended, got := simulate(t, spec, flows, 1)
		if c := one.Counts(); spec.Pauses() && c.Dropped > 0 {
			t.Fatalf("seed %d: a network that pauses dropped %d packets", seed, c.Dropped)
		}
		blocks := min(2+r.IntN(3), spec.Graph.Routers)
		spec.Cut = func(blocks int) []int32 {
			cut := make([]int32, spec.Graph.Routers)
			for i := range cut {
				cut[i] = int32(r.IntN(blocks))
				if i < blocks {
					cut[i] = int32(i)
				}
			}
			return cut
		}
		several, ended2, got2 := simulate(t, spec, flows, blocks)
		if ended == nil && ended2 == nil {
			continue // which block fails first does not matter
		}
		if !slices.Equal(ended, ended2) || !slices.Equal(got, got2) || one.Counts() != several.Counts() ||
			!slices.Equal(one.ByClass(), several.ByClass()) {
			t.Fatalf("seed %d: %d blocks differ from one:\n%v\n%v\n%+v\n%+v", seed, blocks, ended, ended2,
				one.Counts(), several.Counts())
		}
	}
}
