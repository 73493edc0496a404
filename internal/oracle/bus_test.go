package oracle_test

import (
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// drawBus gives the hosts of a line an I/O bus, and returns the rate of a NIC's transfers
// and the latency of both ends' buses.
func drawBus(t *rapid.T, e *experiments.Experiment) (rate, latency int64) {
	e.IOBus = fabric.IOBus{
		Bandwidth: units.Rate(rates.Draw(t, "bus")),
		Latency:   units.Time(rapid.Int64Range(0, 400_000).Draw(t, "bus latency")),
	}
	return min(e.DMA, int64(e.IOBus.Bandwidth)), 2 * int64(e.IOBus.Latency)
}

// TestZeroLoadOnePacketWithBus: a bus that nobody else uses takes its latency at both
// ends, and its rate where that is below the DMA's.
func TestZeroLoadOnePacketWithBus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		rate, twice := drawBus(t, e)
		p := rapid.Int64Range(0, e.Packet.Payload()).Draw(t, "size")
		send(e, p)
		slowest := min(int64(e.Link.Bandwidth), int64(e.HostLink.Bandwidth), int64(e.Router.Bandwidth))
		want := head(e) + ps(e.Packet.Wire(p), slowest) + 2*ps(p, rate) + twice
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}

// TestZeroLoadManyPacketsWithBus: however great the latency, it counts once at each end.
func TestZeroLoadManyPacketsWithBus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		slow := rates.Draw(t, "links")
		link := units.Rate(slow)
		e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth = link, link, link
		_, twice := drawBus(t, e)
		rate := slow * rapid.Int64Range(110, 400).Draw(t, "per cent of it to memory") / 100
		e.DMA, e.IOBus.Bandwidth = rate, units.Rate(rate)
		other := rate * rapid.Int64Range(100, 300).Draw(t, "the faster one") / 100
		if rapid.Bool().Draw(t, "bus faster") {
			e.IOBus.Bandwidth = units.Rate(other)
		} else {
			e.DMA = other
		}
		size := rapid.Int64Range(0, 30*e.Packet.Payload()).Draw(t, "size")
		send(e, size)
		first, last := firstAndLast(e, size)
		want := ps(wires(e, size), slow) + ps(last, rate)
		if e.Packet.Count(size) > 1 {
			want = max(want, ps(wires(e, size-last), slow)+ps(first+last, rate))
		}
		want += ps(first, rate) + head(e) + twice
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}

// TestNICsShareTheBus: of packets that NICs have fetched at once the bus brings one after
// the other, in the order of the NICs, and not a picosecond is lost between them.
func TestNICsShareTheBus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		e.NICs = rapid.IntRange(2, 6).Draw(t, "NICs")
		e.IOBus = fabric.IOBus{
			Bandwidth: units.Rate(rates.Draw(t, "bus")),
			Latency:   units.Time(rapid.Int64Range(0, 100_000).Draw(t, "bus latency")),
		}
		e.DMA = int64(e.IOBus.Bandwidth) * rapid.Int64Range(100, 300).Draw(t, "per cent of it for DMA") / 100
		p := rapid.Int64Range(1, e.Packet.Payload()).Draw(t, "size")
		nics := int32(e.NICs)
		for nic := range nics {
			e.Messages = append(e.Messages, start(nic, nics+nic, p, 1000))
		}
		for i, fate := range run(t, e).Fates {
			if want := 1000 + int64(e.IOBus.Latency) + ps(int64(i+1)*p, int64(e.IOBus.Bandwidth)); fate.Fetched != want {
				t.Fatalf("NIC %d has its packet at %d ps, want %d", i, fate.Fetched, want)
			}
		}
	})
}

// shared are two hosts with several NICs each and a bus of 1000 ps a byte.
func shared(nics int) *experiments.Experiment {
	e := plain(2)
	e.NICs = nics
	e.IOBus = fabric.IOBus{Bandwidth: 1_000_000_000}
	return e
}

// TestBusServesWhoAskedFirst: of three NICs one asks while another's packet is on the bus, and
// a third, of a lower number, a little later.
func TestBusServesWhoAskedFirst(t *testing.T) {
	e := shared(3)
	e.Messages = []experiments.Message{
		start(1, 4, 100, 0),
		start(2, 5, 10, 50_000),
		start(0, 3, 10, 60_000),
		start(1, 4, 10, 70_000), // asks when its channel has brought the first, at 100,000 ps
	}
	for i, want := range []int64{100_000, 110_000, 120_000, 130_000} {
		if got := run(t, e).Fates[i].Fetched; got != want {
			t.Errorf("message %d is fetched at %d ps, want %d", i, got, want)
		}
	}
}

// TestBusIsFullDuplex: what comes in does not wait for what goes out.
func TestBusIsFullDuplex(t *testing.T) {
	e := shared(2)
	e.Messages = []experiments.Message{start(0, 2, 100, 0)}
	alone := run(t, e).Fates[0].Delivered
	for range 20 {
		e.Messages = append(e.Messages, start(3, 1, 100, 0))
	}
	if both := run(t, e).Fates[0].Delivered; both != alone {
		t.Errorf("delivered at %d ps, alone at %d", both, alone)
	}
}

// TestReceiveBufferIsFreeWhenTheBusHasTakenThePacket: with room for one packet at the receiving
// NIC, the next starts when the bus and not its latency is over.
func TestReceiveBufferIsFreeWhenTheBusHasTakenThePacket(t *testing.T) {
	e := shared(1)
	e.Router.Buffer = 100
	e.Link.Latency, e.HostLink.Latency = 1, 1_000_000
	e.DMA = 1_000_000_000
	e.Messages = []experiments.Message{start(0, 1, 100, 0), start(0, 1, 100, 0), start(0, 1, 100, 0)}
	for _, latency := range []int64{0, 777_777} {
		e.IOBus.Latency = units.Time(latency)
		fates := run(t, e).Fates
		// Link, way to the NIC, bus, way back of the credit.
		if got, want := fates[2].Delivered-fates[1].Delivered, int64(100_000+plainPost+1_000_000+100_000+1_000_000); got != want {
			t.Errorf("a bus latency of %d ps: a packet every %d ps, want %d", latency, got, want)
		}
	}
}
