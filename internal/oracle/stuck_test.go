package oracle_test

import (
	"errors"
	"testing"

	"fabricast/internal/units"

	"fabricast/fabric"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/topology"
)

// roundTheRing sends everything upward round a ring, on one virtual channel;
// its header is the number of hops left.
type roundTheRing struct{ length int32 }

func (roundTheRing) Name() string { return "round the ring" }

func (r roundTheRing) Start(src, dst int32) (uint64, uint8) {
	return uint64((dst - src + r.length) % r.length), 0
}

func (roundTheRing) Next(_ int32, hops uint64) (port, vc uint16, next uint64) {
	if hops == 0 {
		return 2, 0, 0
	}
	return 0, 0, hops - 1
}

// ring builds a ring of four without a dateline, all of whose hosts send the
// given number of packets half the way round at once.
func ring(t *testing.T, packets int64) (fabric.Spec, *experiments.Experiment) {
	t.Helper()
	e := plain(4)
	torus, err := topology.NewTorus([]int{4}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	e.Router.Buffer = units.Bytes(e.Packet.MTU)
	for src := range int32(4) {
		e.Messages = append(e.Messages, start(src, (src+2)%4, packets*e.Packet.MTU, 0))
	}
	return fabric.Spec{
		Graph: torus.Graph(), Routing: roundTheRing{4},
		Links: []fabric.Link{e.Link, e.HostLink}, Router: e.Router, Packet: e.Packet, DMA: units.Rate(e.DMA),
	}, e
}

// TestStuckNetworkIsAnError: packets that wait for each other in a circle are
// reported, not waited for.
func TestStuckNetworkIsAnError(t *testing.T) {
	spec, e := ring(t, 3)
	script := experiments.NewScript(e, fabric.HostRange(0, 4), experiments.NewOutcome(e))
	o, err := oracle.New(spec, script)
	if err != nil {
		t.Fatal(err)
	}
	script.Start(o)
	if err := o.Run(); !errors.Is(err, oracle.ErrStuck) {
		t.Errorf("the run ends with %v", err)
	}
}

// TestAnyRoutingFunction: the oracle knows no topology; routing that is not
// the torus's own works as well.
func TestAnyRoutingFunction(t *testing.T) {
	spec, e := ring(t, 1)
	e.Messages = e.Messages[:1]
	outcome := experiments.NewOutcome(e)
	script := experiments.NewScript(e, fabric.HostRange(0, 4), outcome)
	o, err := oracle.New(spec, script)
	if err != nil {
		t.Fatal(err)
	}
	script.Start(o)
	if err := o.Run(); err != nil {
		t.Fatal(err)
	}
	want := 3*int64(plainPre+plainPost) + 2*100_000 + 2*10_000 + 100_000 + 2*ps(100, e.DMA)
	if got := outcome.Fates[0].Delivered; got != want {
		t.Errorf("delivered at %d ps, want %d", got, want)
	}
	if o.Totals().PacketHops != 2 || o.Totals().Packets != 1 ||
		o.Traffic()[0] != (oracle.Traffic{Packets: 1, Bytes: 100}) {
		t.Errorf("totals %+v, traffic %+v", o.Totals(), o.Traffic())
	}
}

func TestRefusedSpecs(t *testing.T) {
	f := func(what string, change func(*fabric.Spec)) {
		t.Helper()
		spec, _ := ring(t, 1)
		change(&spec)
		if _, err := oracle.New(spec, nil); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	f("no virtual channel", func(s *fabric.Spec) { s.Router.VCs = 0 })
	f("no payload", func(s *fabric.Spec) { s.Packet.Header = s.Packet.MTU })
	f("small buffer", func(s *fabric.Spec) { s.Router.Buffer = units.Bytes(s.Packet.MTU - 1) })
	f("negative delay", func(s *fabric.Spec) { s.Router.VCAllocation = -1 })
	f("no DMA", func(s *fabric.Spec) { s.DMA = 0 })
	f("no bandwidth", func(s *fabric.Spec) { s.Links[0].Bandwidth = 0 })
	f("negative latency", func(s *fabric.Spec) { s.Links[1].Latency = -1 })
	f("packets that take no time", func(s *fabric.Spec) { s.Links[0].Bandwidth = 1 << 60 })
	f("no time to the next router", func(s *fabric.Spec) {
		s.Router = fabric.Router{Bandwidth: 1, VCs: 1, Buffer: 100}
		s.Links[0].Latency = 0
	})
}
