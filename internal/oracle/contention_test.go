package oracle_test

import (
	"slices"
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// plain is a network with delays that are easy to tell apart.
func plain(dims ...int) *experiments.Experiment {
	return &experiments.Experiment{
		Dims:     dims,
		Wrap:     make([]bool, len(dims)),
		NICs:     1,
		Link:     fabric.Link{Bandwidth: 1_000_000_000, Latency: 100_000},
		HostLink: fabric.Link{Bandwidth: 1_000_000_000, Latency: 10_000},
		Router: fabric.Router{
			Routing: 1000, VCAllocation: 2000, SwitchAllocation: 3000, SwitchTraversal: 4000, Latency: 50_000,
			Bandwidth: 1_000_000_000, VCs: 1, Buffer: 1 << 20,
		},
		Packet: fabric.Packet{MTU: 100, Flit: 10},
		DMA:    100_000_000_000,
	}
}

const (
	plainPre  = 6000   // ps: RC+VA+SA of plain
	plainPost = 54_000 // ps: ST+latency of plain
)

func start(src, dst int32, size, at int64) experiments.Message {
	return experiments.Message{Src: src, Dst: dst, Size: size, Cause: experiments.AtStart, Delay: at}
}

// TestCreditLimitedThroughput: with room for one packet only, a link waits for
// the credit of each packet before it takes the next.
func TestCreditLimitedThroughput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.DMA, e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth = 1e9, 1e9, 1e9, 1e9
		e.Router.Buffer = units.Bytes(e.Packet.MTU)
		const packets = 60
		for range packets {
			send(e, e.Packet.Payload())
		}
		r := e.Router
		pre := int64(r.Routing + r.VCAllocation + r.SwitchAllocation)
		post := int64(r.SwitchTraversal + r.Latency)
		wire, payload := ps(e.Packet.MTU, 1e9), ps(e.Packet.Payload(), e.DMA)
		period := max(
			wire+pre+2*int64(e.HostLink.Latency),          // NIC to router
			wire+pre+post+2*int64(e.Link.Latency),         // router to router
			wire+post+2*int64(e.HostLink.Latency)+payload, // router to NIC
		)
		fates := run(t, e).Fates
		if got := fates[packets-1].Delivered - fates[packets-2].Delivered; got != period {
			t.Fatalf("a packet every %d ps, want %d", got, period)
		}
	})
}

// TestTwoFlowsFillALink: two flows that meet keep their common link busy
// without a gap, at a rate of which no fraction is lost.
func TestTwoFlowsFillALink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := plain(3)
		rate := rates.Draw(t, "rate")
		all := units.Rate(rate)
		e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth, e.DMA = all, all, all, 2*rate
		e.Router.Arbiter = fabric.Arbiter(rapid.IntRange(0, 1).Draw(t, "arbiter"))
		packets := rapid.Int64Range(20, 60).Draw(t, "packets")
		size := packets * e.Packet.MTU
		// The far flow is there first, and not yet over when the near one joins it.
		e.Messages = []experiments.Message{start(0, 2, size, 0), start(1, 2, size, 180_000)}
		// the far flow starts at router 1
		first := ps(e.Packet.MTU, e.DMA) + 10_000 + 100_000 + 2*plainPre + plainPost
		want := first + ps(2*size, rate) + plainPost + 100_000 + plainPre + plainPost + 10_000 +
			ps(e.Packet.MTU, e.DMA)
		fates := run(t, e).Fates
		if got := max(fates[0].Delivered, fates[1].Delivered); got != want {
			t.Fatalf("the last byte comes at %d ps, want %d", got, want)
		}
	})
}

// TestArbitrationOrder sends to (1,2) through the router (1,1) of a 3x3 mesh.
// While a packet of that router's own host keeps the output busy, three more
// come to ask: first from (1,0) below, then from (0,1), last from (2,1).
func TestArbitrationOrder(t *testing.T) {
	const below, left, centre, right, top = 1, 3, 4, 5, 7
	f := func(arbiter fabric.Arbiter, want []int32) {
		t.Helper()
		e := plain(3, 3)
		e.Router.Arbiter = arbiter
		e.Packet.MTU = 1000
		e.Messages = []experiments.Message{
			start(centre, top, 1000, 0),
			start(below, top, 100, -100_000-plainPre-plainPost+200_000),
			start(left, top, 100, -100_000-plainPre-plainPost+200_001),
			start(right, top, 100, -100_000-plainPre-plainPost+200_002),
		}
		fates := run(t, e).Fates
		order := []int{0, 1, 2, 3}
		slices.SortFunc(order, func(i, j int) int { return int(fates[i].Delivered - fates[j].Delivered) })
		var got []int32
		for _, i := range order {
			got = append(got, e.Messages[i].Src)
		}
		if !slices.Equal(got, want) {
			t.Errorf("arbiter %d delivers from %v, want %v", arbiter, got, want)
		}
	}
	f(fabric.FCFS, []int32{centre, below, left, right})
	// The ports are +x, -x, +y, -y, NIC: after the NIC it is the turn of +x,
	// where the packet from the right comes in.
	f(fabric.RoundRobin, []int32{centre, right, left, below})
}

// TestSameInstant: FCFS takes packets that ask at the same instant in the order
// of their inputs.
func TestSameInstant(t *testing.T) {
	e := plain(3, 3)
	e.Messages = []experiments.Message{start(1, 7, 100, 0), start(3, 7, 100, 0), start(5, 7, 100, 0)}
	fates := run(t, e).Fates
	if !(fates[2].Delivered < fates[1].Delivered && fates[1].Delivered < fates[0].Delivered) {
		t.Errorf("want the packet from +x first, then -x, then -y: %+v", fates)
	}
}

// TestHolder: a packet that waits for credit keeps smaller ones, for which the
// credit would do, from going before it.
func TestHolder(t *testing.T) {
	e := plain(3)
	e.Router.Buffer = 100
	e.Messages = []experiments.Message{
		start(1, 2, 60, 0),                           // leaves a credit of 40
		start(0, 2, 100, 0),                          // asks at 170 ns + its fetch
		start(1, 2, 20, 200_000),                     // asks later, and would fit
		{Src: 1, Dst: 0, Cause: experiments.AtStart}, // goes the other way, unhindered
	}
	fates := run(t, e).Fates
	asked := ps(60, e.DMA) + 10_000 + plainPre
	credited := asked + plainPost + 100_000 + plainPre + 60_000 + 100_000
	want := credited + 100_000 + 2*plainPost + plainPre + 100_000 + 10_000 + ps(100, e.DMA)
	if got := fates[1].Delivered; got != want {
		t.Errorf("the holder is delivered at %d ps, want %d", got, want)
	}
	if fates[2].Delivered <= fates[1].Delivered {
		t.Errorf("the small packet overtook the holder: %+v", fates)
	}
}

// TestOneNICOneAfterTheOther: of two messages posted at once on one NIC the second
// follows the first without a gap.
func TestOneNICOneAfterTheOther(t *testing.T) {
	e := plain(2)
	e.Messages = []experiments.Message{start(0, 1, 250, 0), start(0, 1, 100, 0)}
	fates := run(t, e).Fates
	if got := fates[1].Delivered - fates[0].Delivered; got != 100_000+ps(100, e.DMA)-ps(50, e.DMA) {
		t.Errorf("the second message comes %d ps after the first", got)
	}
	if fates[1].Fetched != 200_000+ps(100, e.DMA)+ps(100, e.DMA) {
		t.Errorf("the second message is fetched at %d ps: the NIC has room for two packets", fates[1].Fetched)
	}
}
