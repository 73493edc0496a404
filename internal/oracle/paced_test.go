package oracle_test

import (
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"
)

// TestZeroLoadPaced is the formula of docs/model.md for messages with a gap.
func TestZeroLoadPaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := line(t)
		slow := rates.Draw(t, "host link")
		fast := slow * rapid.Int64Range(110, 400).Draw(t, "per cent of it elsewhere") / 100
		e.HostLink.Bandwidth, e.DMA = units.Rate(slow), fast
		e.Link.Bandwidth, e.Router.Bandwidth = units.Rate(fast), units.Rate(fast)
		if rapid.Bool().Draw(t, "links alike") {
			e.Link.Bandwidth, e.Router.Bandwidth = units.Rate(slow), units.Rate(slow)
		}
		size := rapid.Int64Range(0, 30*e.Packet.Payload()).Draw(t, "size")
		gap := rapid.Int64Range(0, 5).Draw(t, "gap")
		send(e, size)
		e.Messages[0].Gap = gap
		first, last := firstAndLast(e, size)
		all, short := wires(e, size), e.Packet.Wire(last)
		want := ps((1+gap)*(all-short)+short, slow) + ps(last, e.DMA)
		if e.Packet.Count(size) > 1 {
			full := e.Packet.Wire(first)
			want = max(want, ps((1+gap)*(all-short-full)+full, slow)+ps(first+last, e.DMA))
		}
		want += ps(first, e.DMA) + head(e)
		if got := latency(t, e); got != want {
			t.Fatalf("%d ps, want %d", got, want)
		}
	})
}
