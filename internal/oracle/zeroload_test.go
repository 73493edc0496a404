package oracle_test

import (
	"math/bits"
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// ps is the time, rounded down, in which n bytes go by at a rate in bytes/s.
func ps(n, rate int64) int64 {
	hi, lo := bits.Mul64(uint64(n), 1_000_000_000_000)
	quo, _ := bits.Div64(hi, lo, uint64(rate))
	return int64(quo)
}

// rates are some that leave fractions of picoseconds and some that do not.
var rates = rapid.Custom(func(t *rapid.T) int64 {
	if rapid.Bool().Draw(t, "whole") {
		return rapid.Int64Range(1, 10).Draw(t, "GB/s") * 1_000_000_000
	}
	return rapid.Int64Range(300_000_000, 9_000_000_000).Draw(t, "B/s")
})

// line draws a row of routers with ample buffers, through which one message
// goes from end to end.
func line(t *rapid.T) *experiments.Experiment {
	delay := rapid.Int64Range(0, 200_000)
	e := &experiments.Experiment{
		Dims: []int{rapid.IntRange(2, 9).Draw(t, "routers")},
		Wrap: []bool{false},
		NICs: 1,
		Link: fabric.Link{
			Bandwidth: units.Rate(rates.Draw(t, "link")),
			Latency:   units.Time(delay.Draw(t, "link latency") + 1),
		},
		HostLink: fabric.Link{
			Bandwidth: units.Rate(rates.Draw(t, "host link")),
			Latency:   units.Time(delay.Draw(t, "host link latency")),
		},
		Router: fabric.Router{
			Routing:          units.Time(delay.Draw(t, "RC")),
			VCAllocation:     units.Time(delay.Draw(t, "VA")),
			SwitchAllocation: units.Time(delay.Draw(t, "SA")),
			SwitchTraversal:  units.Time(delay.Draw(t, "ST")),
			Latency:          units.Time(delay.Draw(t, "router latency")),
			Bandwidth:        units.Rate(rates.Draw(t, "crossbar")),
			VCs:              rapid.IntRange(1, 4).Draw(t, "VCs"),
			Arbiter:          fabric.Arbiter(rapid.IntRange(0, 1).Draw(t, "arbiter")),
		},
		DMA: rates.Draw(t, "DMA"),
	}
	e.Packet.Flit = rapid.Int64Range(1, 64).Draw(t, "flit")
	e.Packet.MTU = e.Packet.Flit * rapid.Int64Range(2, 40).Draw(t, "flits")
	e.Packet.Header = rapid.Int64Range(0, e.Packet.Flit).Draw(t, "header")
	e.Router.Buffer = units.Bytes(1000 * e.Packet.MTU)
	return e
}

// send adds the message, which is posted at the time 1000 ps.
func send(e *experiments.Experiment, size int64) {
	e.Messages = append(e.Messages, experiments.Message{
		Src: 0, Dst: int32(e.Hosts() - 1), Size: size, Cause: experiments.AtStart, Delay: 1000,
	})
}

// head is the time a packet's head needs from NIC to NIC without waiting.
func head(e *experiments.Experiment) int64 {
	r := e.Router
	routers := int64(e.Hosts())
	return routers*(int64(r.Routing)+int64(r.VCAllocation)+int64(r.SwitchAllocation)+int64(r.SwitchTraversal)+int64(r.Latency)) +
		(routers-1)*int64(e.Link.Latency) + 2*int64(e.HostLink.Latency)
}

// latency runs the experiment and returns the time from Post to Delivered of
// its first message.
func latency(t rapid.TB, e *experiments.Experiment) int64 {
	t.Helper()
	outcome := run(t, e)
	return outcome.Fates[0].Delivered - outcome.Fates[0].Post
}

func run(t rapid.TB, e *experiments.Experiment) *experiments.Outcome {
	t.Helper()
	outcome, err := experiments.RunOracle(e)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// wires adds up the wire sizes of the packets of a message.
func wires(e *experiments.Experiment, size int64) (sum int64) {
	for n := e.Packet.Count(size); n > 1; n-- {
		sum += e.Packet.Wire(e.Packet.Payload())
		size -= e.Packet.Payload()
	}
	return sum + e.Packet.Wire(size)
}

// firstAndLast are the payloads of a message's first and last packet.
func firstAndLast(e *experiments.Experiment, size int64) (first, last int64) {
	return min(size, e.Packet.Payload()), size - (e.Packet.Count(size)-1)*e.Packet.Payload()
}

// TestZeroLoadOnePacket: at unequal rates the slowest place on the way decides
// how far the tail is behind the head.
func TestZeroLoadOnePacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkOnePacket(t, line(t))
	})
}

// checkOnePacket sends a packet of any size along an idle line.
func checkOnePacket(t *rapid.T, e *experiments.Experiment) {
	p := rapid.Int64Range(0, e.Packet.Payload()).Draw(t, "size")
	send(e, p)
	slowest := min(int64(e.Link.Bandwidth), int64(e.HostLink.Bandwidth), int64(e.Router.Bandwidth))
	want := head(e) + ps(e.Packet.Wire(p), slowest) + 2*ps(p, e.DMA)
	if got := latency(t, e); got != want {
		t.Fatalf("%d ps, want %d", got, want)
	}
}

// TestZeroLoadEqualLinks is the formula of docs/model.md as users read it.
func TestZeroLoadEqualLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.HostLink = e.Link
		e.Router.Bandwidth = e.Link.Bandwidth
		p := rapid.Int64Range(0, e.Packet.Payload()).Draw(t, "size")
		send(e, p)
		r, routers := e.Router, int64(e.Hosts())
		want := ps(p, e.DMA) +
			routers*(int64(r.Routing)+int64(r.VCAllocation)+int64(r.SwitchAllocation)+int64(r.SwitchTraversal)+int64(r.Latency)) +
			(routers+1)*int64(e.Link.Latency) + ps(e.Packet.Wire(p), int64(e.Link.Bandwidth)) +
			ps(p, e.DMA)
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}

// TestZeroLoadManyPackets: with a fast DMA the packets of a message follow each
// other without a gap at the slowest place, and not a picosecond is lost to
// rounding. A last packet that is short may have to wait for the move of the
// one before it.
func TestZeroLoadManyPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		slow := rates.Draw(t, "slowest rate")
		fast := slow * rapid.Int64Range(110, 400).Draw(t, "per cent of it elsewhere") / 100
		rate := units.Rate(slow)
		e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth, e.DMA = rate, rate, rate, fast
		switch rapid.IntRange(0, 3).Draw(t, "slow are") {
		case 1: // only NICs
			e.Link.Bandwidth, e.Router.Bandwidth = units.Rate(fast), units.Rate(fast)
		case 2: // only the crossbars
			e.Link.Bandwidth, e.HostLink.Bandwidth = units.Rate(fast), units.Rate(fast)
		case 3: // only the links between routers
			e.HostLink.Bandwidth, e.Router.Bandwidth = units.Rate(fast), units.Rate(fast)
			e.DMA = 2 * fast
		}
		size := rapid.Int64Range(0, 30*e.Packet.Payload()).Draw(t, "size")
		send(e, size)
		first, last := firstAndLast(e, size)
		want := ps(wires(e, size), slow) + ps(last, e.DMA)
		if e.Packet.Count(size) > 1 {
			want = max(want, ps(wires(e, size-last), slow)+ps(first+last, e.DMA))
		}
		want += ps(first, e.DMA) + head(e)
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}

// TestZeroLoadSlowDMA: when the DMA is the slowest place, the message is
// fetched without a gap, and the moves to memory follow one packet behind.
func TestZeroLoadSlowDMA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.Packet.Header = 0
		e.DMA = 1_000_000_000 // a byte takes whole picoseconds
		e.Link.Bandwidth = units.Rate(rapid.Int64Range(2_000_000_000, 9_000_000_000).Draw(t, "all links"))
		e.HostLink.Bandwidth, e.Router.Bandwidth = e.Link.Bandwidth, e.Link.Bandwidth
		size := rapid.Int64Range(e.Packet.Payload(), 30*e.Packet.Payload()).Draw(t, "size")
		send(e, size)
		first, _ := firstAndLast(e, size)
		want := ps(size+first, e.DMA) + head(e) + ps(e.Packet.Wire(first), int64(e.Link.Bandwidth))
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}
