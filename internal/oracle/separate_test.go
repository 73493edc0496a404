package oracle_test

import (
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/topology"
)

// TestAllocationAtZeroLoad: a packet that meets nobody takes the same time however virtual channels
// are allocated, and whatever comes between packets.
func TestAllocationAtZeroLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.Router.OutputBuffer = units.Bytes(
			e.Packet.MTU * rapid.Int64Range(0, 3).Draw(t, "output buffer in packets"),
		)
		e.Router.Arbiter = fabric.Arbiter(rapid.IntRange(0, len(fabric.Arbiters())-1).Draw(t, "arbiter"))
		e.Router.Allocation = fabric.SeparateAllocation
		if rapid.Bool().Draw(t, "separable") {
			e.Router.Allocator = fabric.SeparableAllocator
			e.Router.VCAllocation++
			e.Router.SwitchAllocation++
		}
		e.Router.Turnaround = units.Time(rapid.Int64Range(0, 100_000).Draw(t, "turnaround"))
		e.Router.Injection = fabric.Injection(rapid.IntRange(0, 1).Draw(t, "injection"))
		e.Link.Latency = units.Time(max(int64(e.Link.Latency), 2))
		checkOnePacket(t, e)
	})
}

// stream is the distance of the last two of many packets that follow one another over a line with
// one virtual channel, whose links take a flit in 10 ns.
func stream(t *testing.T, flits int64, change func(*fabric.Router)) int64 {
	t.Helper()
	e := plain(3)
	e.Packet.MTU = flits * e.Packet.Flit
	e.DMA = 1_000_000_000_000
	change(&e.Router)
	const packets = 50
	for range packets {
		e.Messages = append(e.Messages, start(0, 2, e.Packet.MTU, 0))
	}
	fates := run(t, e).Fates
	return fates[packets-1].Delivered - fates[packets-2].Delivered
}

// TestTurnaroundOfOneChannel: a single channel passes a packet in its time on the link and the
// turnaround.
func TestTurnaroundOfOneChannel(t *testing.T) {
	for flits := int64(1); flits <= 16; flits *= 2 {
		for _, turnaround := range []int64{0, 500, 10_000, 33_333} {
			if got, want := stream(t, flits, func(r *fabric.Router) { r.Turnaround = units.Time(turnaround) }), flits*10_000+turnaround; got != want {
				t.Errorf(
					"%d flits, turnaround %d ps: a packet every %d ps, expected %d",
					flits, turnaround, got, want,
				)
			}
		}
	}
}

// TestSeparateAllocationOfOneChannel: with separate allocation it passes one in that time and the
// time of switch allocation, in which the next packet gets the channel and asks for the crossbar: L
// flits in L + 1 cycles if that takes one.
func TestSeparateAllocationOfOneChannel(t *testing.T) {
	for flits := int64(1); flits <= 16; flits *= 2 {
		for _, allocation := range []int64{0, 5_000, 10_000, 20_000} {
			separate := func(r *fabric.Router) {
				r.Allocation, r.SwitchAllocation = fabric.SeparateAllocation, units.Time(allocation)
			}
			if got, want := stream(t, flits, separate), flits*10_000+allocation; got != want {
				t.Errorf(
					"%d flits, switch allocation of %d ps: a packet every %d ps, expected %d",
					flits, allocation, got, want,
				)
			}
		}
	}
}

// TestSeparableAllocatorsFindFewerPairs: of two packets that ask at once for one of two virtual
// channels of an output, both get one by default and follow each other without a gap. With
// separable allocators both request the same one, and who loses asks again a round later.
func TestSeparableAllocatorsFindFewerPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := plain()
		e.Shape = &experiments.Shape{
			Of:        topology.FullSpec{Routers: 1, Hosts: 3},
			Algorithm: "minimal by packet",
		}
		e.Router.VCs, e.Router.Allocation = 2, fabric.SeparateAllocation
		e.Router.VCAllocation = units.Time(rapid.Int64Range(1, 50_000).Draw(t, "VA"))
		flits := rapid.Int64Range(1, 4).Draw(t, "flits")
		e.Packet.MTU = flits * e.Packet.Flit
		e.Messages = append(e.Messages, start(0, 2, e.Packet.MTU, 0), start(1, 2, e.Packet.MTU, 0))
		for allocator, want := range []int64{flits * 10_000, max(flits*10_000, int64(e.Router.VCAllocation))} {
			e.Router.Allocator = fabric.Allocator(allocator)
			fates := run(t, e).Fates
			if got := fates[1].Delivered - fates[0].Delivered; got != want {
				t.Errorf(
					"allocator %d: the second packet comes %d ps after the first, expected %d",
					allocator, got, want,
				)
			}
		}
	})
}
