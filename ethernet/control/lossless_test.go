package control

import (
	"testing"

	"fabricast/fabric/model"
	"fabricast/internal/units"
	"fabricast/topology"
)

// twoHosts is a switch with 8 hosts, whose links carry a flit of 16 B in 1 ns and a full packet in 64.
func twoHosts() *model.Spec {
	g := &topology.Graph{Routers: 1, Hosts: 8, NICsPerHost: 1, PortBase: []int32{0, 8}}
	for nic := range int32(8) {
		g.Ports = append(g.Ports, topology.Port{Peer: topology.Unconnected, NIC: nic})
		g.NICPort = append(g.NICPort, nic)
	}
	return &model.Spec{
		Graph: g, Links: []model.Link{{Bandwidth: 16 * units.GBPerSecond}},
		Packet: model.Packet{MTU: 1024, Header: 64, Flit: 16}, Router: model.Router{Buffer: 8 * units.KiB},
	}
}

const ns = 1000 // ps

// waits is a view of a router in which so many flits wait for each port.
type waits int64

func (w waits) Queue(_, _ uint16) int64   { return 0 }
func (w waits) PortQueue(uint16) int64    { return 0 }
func (w waits) Waiting(_, _ uint16) int64 { return 0 }
func (w waits) Toward(uint16) int64       { return int64(w) }

// TestIBCCMarks: more must wait than the threshold, each third packet that is large enough is marked.
func TestIBCCMarks(t *testing.T) {
	c := MakeLossless(IBCCOptions{Threshold: 14, MarkingRate: 2, PacketSize: 256}, twoHosts())
	state := make([]uint64, c.Hooks.PortState)
	marks := func(flits int64, waiting waits) bool {
		s := model.Start{Flits: flits, State: state, RouterView: waiting}
		c.Hooks.Start(&s)
		return s.Meta == ibMark
	}
	for i := range 9 { // the threshold is an eighth of the buffer: 64 flits
		if marks(64, 64) || marks(15, 65) || marks(64, 65) != (i%3 == 2) {
			t.Errorf("packet %d", i)
		}
	}
}

// TestIBCCPauses: notifications raise the index, the timer lowers it, and the pause is the entry of the
// table in times of the packet.
func TestIBCCPauses(t *testing.T) {
	c := MakeLossless(IBCCOptions{Increase: 2, Limit: 8, Timer: 1000 * ns, Last: 16 * units.Whole}, twoHosts())
	f := model.Flow{Source: 1, Destination: 2, State: make([]uint64, c.Injector.FlowState)}
	sends := func(now, flits, next int64) {
		t.Helper()
		d := model.Departure{Now: now, Flits: flits}
		c.Injector.Sent(&f, &d)
		if got := c.Injector.Next(&f, &d); got != next {
			t.Errorf("at %d: next at %d, expected %d", now, got, next)
		}
	}
	sends(100*ns, 64, 164*ns)
	c.Injector.Feedback(&f, &model.Feedback{Now: 200 * ns, Value: ibMark})
	sends(300*ns, 64, 300*ns+64*ns+64*ns) // index 2: (2/8)^2 * 16
	c.Injector.Feedback(&f, &model.Feedback{Now: 400 * ns, Value: ibMark})
	sends(900*ns, 8, 900*ns+8*ns+4*8*ns) // index 4
	sends(2100*ns, 64, 2100*ns+2*64*ns)  // two beats later
	for range 9 {
		c.Injector.Feedback(&f, &model.Feedback{Now: 2200 * ns, Value: ibMark})
	}
	sends(2300*ns, 1, 2300*ns+17*ns) // the limit
	sends(90_000*ns, 1, 90_001*ns)
}

// TestSlingshotLikeShares: as soon as six have sent to a NIC whose link is busy, and packets wait for
// longer than the threshold, each is told the number, and how long to pause.
func TestSlingshotLikeShares(t *testing.T) {
	c := MakeLossless(SlingshotLikeOptions{}, twoHosts()) // the threshold is 1,024 ns
	n, flows := make([]uint64, c.Hooks.NICState), map[int32][]uint64{}
	arrives := func(now int64, from int32, sent int64) uint64 {
		if flows[from] == nil {
			flows[from] = make([]uint64, c.Hooks.FlowState)
		}
		e := model.Ejection{Now: now, Flits: 64, Meta: uint64(sent)}
		e.Flow = model.Flow{Source: from, Destination: 7, NIC: n, State: flows[from]}
		c.Hooks.Eject(&e)
		if len(e.Replies) == 0 {
			return 0
		}
		if len(e.Replies) > 1 || e.Replies[0].To != from {
			t.Fatalf("%+v", e.Replies)
		}
		return e.Replies[0].Value
	}
	now := int64(10_000 * ns)
	for round := range int64(4) {
		for from := range int32(6) {
			now += 64 * ns
			waits := round * 500 * ns
			got := arrives(now, from, now-300*ns-waits)
			want := uint64(0)
			if round == 3 {
				want = 6<<slingPause | uint64(waits)
			}
			if got != want {
				t.Errorf("round %d, from %d: told %x, expected %x", round, from, got, want)
			}
		}
	}
	five, told := make([]uint64, c.Hooks.NICState), uint64(0)
	n, flows = five, map[int32][]uint64{}
	for i := range int64(40) {
		now += 64 * ns
		told |= arrives(now, int32(i%5), now-300*ns-i/5*500*ns)
	}
	if told != 0 {
		t.Errorf("five senders are told %x", told)
	}
}

// TestSlingshotLikeSends: a limit is a pause, and then a share of the receiver's link until it ends.
func TestSlingshotLikeSends(t *testing.T) {
	c := MakeLossless(SlingshotLikeOptions{}, twoHosts())
	f := model.Flow{Source: 1, Destination: 7, State: make([]uint64, c.Injector.FlowState)}
	full := model.Departure{Now: 1000 * ns, Flits: 64}
	c.Injector.Sent(&f, &full)
	if full.Meta != 1_000_000 {
		t.Errorf("it left at %d", full.Meta)
	}
	next := func(want int64) {
		t.Helper()
		if got := c.Injector.Next(&f, &full); got > want || got < want && want > full.Now {
			t.Errorf("next at %d, expected %d", got, want)
		}
	}
	next(1000 * ns)
	c.Injector.Feedback(&f, &model.Feedback{Now: 1100 * ns, Value: 6<<slingPause | 2_000_000})
	next(3100 * ns)
	full.Now = 3100 * ns
	c.Injector.Sent(&f, &full)
	next(3100*ns + 6*64*ns)
	if small := (model.Departure{Flits: 1}); c.Injector.Next(&f, &small) != 0 {
		t.Error("a small packet waits")
	}
	full.Now = 24_000 * ns
	c.Injector.Sent(&f, &full)
	next(1100*ns + 8*6*64*ns + 20_000*ns) // the limit ends
	c.Injector.Feedback(&f, &model.Feedback{Now: 24_100 * ns, Value: 0})
	next(24_000 * ns)
}
