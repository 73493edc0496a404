package oracle_test

import (
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
)

// TestGeneralSwitchAtZeroLoad: a packet that meets nobody takes the same time
// through whatever switch.
func TestGeneralSwitchAtZeroLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.Router.OutputBuffer = units.Bytes(
			e.Packet.MTU * rapid.Int64Range(0, 3).Draw(t, "output buffer in packets"),
		)
		e.Router.Queues = fabric.Queues(rapid.IntRange(0, 1).Draw(t, "queues"))
		e.Router.Arbiter = fabric.Arbiter(rapid.IntRange(0, 4).Draw(t, "arbiter"))
		e.Route = rapid.SampledFrom([]experiments.Route{experiments.Plain, experiments.Random, experiments.Adaptive}).
			Draw(t, "routing")
		checkOnePacket(t, e)
	})
}

// TestOutputBuffers: a packet that waits for credit in an output buffer does not
// hold up the one behind it, for another output; in an input buffer it does.
func TestOutputBuffers(t *testing.T) {
	f := func(outputBuffer int64, held bool) {
		t.Helper()
		e := plain(3, 3)
		e.Router.OutputBuffer, e.Router.Buffer = units.Bytes(outputBuffer), 100
		const left, centre, right, top = 3, 4, 5, 7
		e.Messages = []experiments.Message{
			start(centre, right, 1000, 0), // ten packets, one in each round trip of a credit
			start(left, right, 100, 0),
			start(left, top, 100, 0),
		}
		fates := run(t, e).Fates
		if got := fates[2].Delivered > fates[1].Delivered; got != held {
			t.Errorf("output buffer of %d B: the second packet is held up: %v", outputBuffer, got)
		}
	}
	f(0, true)
	f(1000, false)
}

// TestSpeedUp: packets in one input buffer go to different outputs at the rate of
// the crossbar, not of the links.
func TestSpeedUp(t *testing.T) {
	f := func(crossbar, want int64) {
		t.Helper()
		e := plain(2, 3)
		e.Router.OutputBuffer, e.Router.Bandwidth = 1000, units.Rate(crossbar)
		e.HostLink.Bandwidth = 100_000_000_000
		e.DMA = 1_000_000_000_000
		e.Messages = []experiments.Message{start(2, 3, 100, 0), start(2, 0, 100, 0)}
		fates := run(t, e).Fates
		if got := fates[1].Delivered - fates[0].Delivered; got != want {
			t.Errorf(
				"crossbar of %d B/s: the second packet comes %d ps after the first, want %d",
				crossbar, got, want,
			)
		}
	}
	f(1_000_000_000, 100_000)
	f(2_000_000_000, 50_000)
	f(4_000_000_000, 25_000)
}

// TestVirtualOutputQueues: a packet whose output is free does not wait for one
// before it in the same buffer whose output is not.
func TestVirtualOutputQueues(t *testing.T) {
	e := plain(3, 3)
	e.Packet.MTU = 1000
	const left, centre, right, top = 3, 4, 5, 7
	e.Messages = []experiments.Message{
		start(centre, top, 1000, 150_000),
		start(left, top, 100, 0),
		start(left, right, 100, 0),
	}
	blocked := run(t, e).Fates
	e.Router.Queues = fabric.VirtualOutputQueues
	free := run(t, e).Fates
	if blocked[2].Delivered <= blocked[1].Delivered {
		t.Errorf("input queues let the second packet go first: %+v", blocked)
	}
	alone := 2*ps(100, e.DMA) + 3*(plainPre+plainPost) + 2*100_000 + 2*10_000 + 100_000
	if got, want := free[2].Delivered, ps(100, e.DMA)+100_000+alone; got > want {
		t.Errorf("the second packet is delivered at %d ps, want at most %d", got, want)
	}
	if free[1] != blocked[1] {
		t.Errorf("the first packet has the fate %+v, want %+v", free[1], blocked[1])
	}
}

// TestPriorityAndAge: two packets wait for an output that three packets of a
// third source keep busy; the one that asks later is older, or of a higher class.
func TestPriorityAndAge(t *testing.T) {
	f := func(arbiter fabric.Arbiter, laterFirst bool) {
		t.Helper()
		e := plain(3, 3)
		e.Packet.MTU = 1000
		e.Router.Arbiter = arbiter
		const left, centre, right, top = 3, 4, 5, 7
		e.Messages = []experiments.Message{
			start(centre, top, 3000, 0),
			start(left, 0, 1000, 0), // goes another way, but before the next one
			start(left, top, 100, 0),
			start(right, top, 100, 900_000),
		}
		e.Messages[2].Class = 1
		fates := run(t, e).Fates
		if got := fates[2].Delivered < fates[3].Delivered; got != laterFirst {
			t.Errorf("arbiter %d: the packet that asks later is first: %v", arbiter, got)
		}
	}
	f(fabric.FCFS, false)
	f(fabric.Age, true)
	f(fabric.Priority, true)
}

// TestLeastRecentlyGranted: an input that has been served has to wait until the
// others have been, although in a round it would come before them.
func TestLeastRecentlyGranted(t *testing.T) {
	const below, left, centre, right, top = 1, 3, 4, 5, 7
	f := func(arbiter fabric.Arbiter, leftFirst bool) {
		t.Helper()
		e := plain(3, 3)
		e.Packet.MTU = 1000
		e.Router.Arbiter = arbiter
		e.Messages = []experiments.Message{
			start(right, top, 100, 0),       // granted first
			start(below, top, 100, 200_000), // granted second: in a round it is +x's turn again
			start(centre, top, 1000, 700_000),
			start(right, top, 100, 900_000),
			start(left, top, 100, 900_000),
		}
		fates := run(t, e).Fates
		if got := fates[4].Delivered < fates[3].Delivered; got != leftFirst {
			t.Errorf("arbiter %d: the one that was never served is first: %v", arbiter, got)
		}
	}
	f(fabric.RoundRobin, false)
	f(fabric.Matrix, true)
}

// either goes round a ring of four the way that has the shorter queue.
type either struct{}

func (either) Name() string { return "either way" }

func (either) StartPacket(_, dst int32, _ uint64) (header uint64, vc uint8) { return uint64(dst), 0 }

func (either) Candidates(
	router int32,
	dst uint64,
	v routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	switch (uint64(4-router) + dst) % 4 {
	case 0:
		return append(to, routing.Candidate{Port: 2, Header: dst})
	case 1:
		return append(to, routing.Candidate{Port: 0, Header: dst})
	case 3:
		return append(to, routing.Candidate{Port: 1, Header: dst})
	}
	return append(to,
		routing.Candidate{Port: 0, Cost: v.PortQueue(0), Header: dst},
		routing.Candidate{Port: 1, Cost: v.Queue(1, 0), Header: dst})
}

// TestAdaptiveSeesItsQueues: packets take turns between two ways as long as
// the credit of those before them is not back; the first way among equals.
func TestAdaptiveSeesItsQueues(t *testing.T) {
	f := func(late int64, up, down int64) {
		t.Helper()
		spec, e := ring(t, 1)
		spec.Routing, spec.Adaptive = nil, either{}
		spec.Router.Buffer = 1000
		e.Messages = []experiments.Message{start(0, 2, 300, 0), start(0, 2, 100, late)}
		script := experiments.NewScript(e, fabric.HostRange(0, 4), experiments.NewOutcome(e))
		o, err := oracle.New(spec, script)
		if err != nil {
			t.Fatal(err)
		}
		script.Start(o)
		if err := o.Run(); err != nil {
			t.Fatal(err)
		}
		got := o.Traffic()
		if got[0].Packets != up || got[1].Packets != down {
			t.Errorf("%d packets up and %d down, want %d and %d", got[0].Packets, got[1].Packets, up, down)
		}
	}
	f(0, 2, 2)
	f(10_000_000, 3, 1)
}
