package control

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/units"
)

const us = 1_000_000 // ps

// path is that of the reference of NSCC: 100 Gb/s, 12 us, full packets of 4,150 bytes. Its BDP is
// 150,000 bytes.
func path() *Path {
	return &Path{
		Rate: 12_500 * units.MBPerSecond, RTT: 12 * us, NetworkRTT: 12 * us, Hops: 6, MTU: 4150, Header: 64,
		Queue: 150_000, Trims: true,
	}
}

// driven is an algorithm with the state of one flow.
type driven struct {
	Algorithm
	s []uint64
	p *Path
}

func drive(s Spec, p *Path) driven {
	a := Make(s)
	d := driven{a, make([]uint64, a.Words()), p}
	a.Start(d.s, p)
	return d
}

func (d *driven) limits() Limits { return d.Limits(d.s, d.p) }

// ack reports bytes that were sent one round trip (ps) before.
func (d *driven) ack(at, rtt, bytes int64, ecn bool) {
	d.Ack(d.s, d.p, &Ack{Now: Now{At: at, Flying: 50_000}, Sent: at - rtt, Bytes: bytes, ECN: ecn})
}

// wants compares the limits of the flow.
func (d *driven) wants(t *testing.T, when string, window int64, rate float64) {
	t.Helper()
	got := d.limits()
	if got.Window != window || math.Abs(got.Rate-rate) > 1e-9*rate {
		t.Errorf("%s: %+v, expected {Window:%d Rate:%v}", when, got, window, rate)
	}
}

func TestConstantAlgorithms(t *testing.T) {
	for _, c := range []struct {
		spec   Spec
		window int64
	}{
		{NoneOptions{}, Unlimited},
		{RCCCOptions{}, Unlimited},
		{WindowOptions{}, 150_000},
		{WindowOptions{Size: 64 * units.KiB}, 65536},
		{WindowOptions{Size: 1}, 4150},
	} {
		d := drive(c.spec, path())
		d.wants(t, c.spec.Name(), c.window, 0)
		d.ack(12*us, 40*us, 4150, true)
		d.wants(t, c.spec.Name(), c.window, 0)
	}
}

func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want Needs
	}{
		{RCCCOptions{}, Needs{Credit: true}},
		{NSCCOptions{}, Needs{}},
		{NSCCOptions{Credit: true}, Needs{Credit: true}},
		{DCQCNOptions{}, Needs{Notify: 50 * us, Marks: true}},
		{DCQCNOptions{Form: DCQCNVendor}, Needs{Notify: 4 * us, Marks: true}},
		{DCQCNOptions{CNP: units.Microsecond}, Needs{Notify: us, Marks: true}},
		{IBOptions{}, Needs{Notify: 1, Marks: true}},
		{HPCCOptions{}, Needs{Measures: true}},
		{DCTCPOptions{}, Needs{Marks: true}},
	} {
		if got := Make(c.spec).(Requirer).Needs(); got != c.want {
			t.Errorf("%+v: %+v", c.spec, got)
		}
	}
}

func TestBytesInAreExact(t *testing.T) {
	if got := bytesIn(12_500*units.MBPerSecond, 12*us); got != 150_000 {
		t.Error(got)
	}
	// more than 2^63 before the division
	if got := bytesIn(1_000*units.GBPerSecond, 1_000_000*us); got != 1_000_000_000_000 {
		t.Error(got)
	}
}

// TestLimitsHold drives every algorithm with all its examples by random events: windows and rates
// stay within bounds, timers are never due in the past, and the same events give the same state.
func TestLimitsHold(t *testing.T) {
	for _, k := range EthernetKinds() {
		for _, spec := range specs(t, k) {
			rapid.Check(t, func(t *rapid.T) {
				p := randomPath(t)
				one, other := drive(spec, p), drive(spec, p)
				w := world{now: p.RTT}
				for range rapid.IntRange(1, 60).Draw(t, "events") {
					e := w.event(t, p)
					for _, d := range []driven{one, other} {
						e(&d)
					}
					if due := one.Due(one.s); due < w.now {
						t.Fatalf("%+v: due at %d, it is %d", spec, due, w.now)
					}
					checkLimits(t, spec, one.limits(), p)
				}
				if !slices.Equal(one.s, other.s) {
					t.Fatalf("%+v: two flows with the same events differ", spec)
				}
			})
		}
	}
}

func checkLimits(t *rapid.T, spec Spec, l Limits, p *Path) {
	switch {
	case l.Window < p.MTU:
		t.Fatalf("%+v: a window of %d bytes lets no packet leave", spec, l.Window)
	case l.Window > Unlimited || l.Window > 1<<40 && l.Window != Unlimited:
		t.Fatalf("%+v: a window of %d bytes", spec, l.Window)
	case math.IsNaN(l.Rate) || l.Rate < 0 || l.Rate >= float64(p.Rate):
		t.Fatalf("%+v: a rate of %v", spec, l.Rate)
	case l.Rate != 0 && l.Rate < float64(p.Rate)/1e7:
		t.Fatalf("%+v: a rate of %v on a link of %d", spec, l.Rate, p.Rate)
	}
}

func randomPath(t *rapid.T) *Path {
	rtt := rapid.Int64Range(us/2, 50*us).Draw(t, "rtt")
	return &Path{
		Rate: units.Rate(rapid.Int64Range(1e9, 100e9).Draw(t, "rate")), RTT: rtt,
		NetworkRTT: rtt + rapid.Int64Range(0, 20*us).Draw(t, "longer"), Hops: rapid.IntRange(2, 12).Draw(t, "hops"),
		MTU: rapid.Int64Range(256, 9000).Draw(t, "mtu"), Header: 64, Queue: 150_000, Trims: rapid.Bool().Draw(t, "trims"),
	}
}

// world is what happens to a flow.
type world struct {
	now, sent, arrived int64
	bytes              [3]uint64 // sent by ports
}

// event draws what happens next.
func (w *world) event(t *rapid.T, p *Path) func(d *driven) {
	w.now += rapid.Int64Range(0, 100*us).Draw(t, "pause")
	w.sent += rapid.Int64Range(0, 100_000).Draw(t, "sent")
	w.arrived = rapid.Int64Range(w.arrived, w.sent).Draw(t, "arrived")
	n := Now{At: w.now, Flying: rapid.Int64Range(0, 300_000).Draw(t, "flying"), Next: w.sent}
	bytes := rapid.Int64Range(64, 40_000).Draw(t, "bytes")
	left := w.now - p.RTT - rapid.SampledFrom([]int64{0, 1, us, 30 * us, 900 * us}).Draw(t, "delay")
	if rapid.IntRange(0, 9).Draw(t, "known") == 0 {
		left = -1
	}
	var hops []Hop
	for i := range w.bytes {
		w.bytes[i] += rapid.Uint64Range(0, 100_000).Draw(t, "load")
		hops = append(hops, Hop{
			Port: int64(i), At: w.now - int64(4-i)*us/2, Queue: rapid.Int64Range(0, 200_000).Draw(t, "queue"),
			Bytes: w.bytes[i], Rate: p.Rate,
		})
	}
	ecn := rapid.Bool().Draw(t, "ecn")
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	return func(d *driven) {
		for due := d.Due(d.s); due <= w.now; due = d.Due(d.s) {
			d.Timer(d.s, d.p, &Now{At: due, Flying: n.Flying, Next: n.Next})
		}
		switch kind {
		case 0:
			d.Nack(d.s, d.p, &Nack{Now: n, Sent: left, Bytes: bytes, ECN: ecn, Last: ecn})
		case 1:
			d.Lost(d.s, d.p, &n, bytes)
		case 2:
			d.Notified(d.s, d.p, &n)
		case 3:
			d.Sent(d.s, d.p, &n, bytes)
		default:
			d.Ack(d.s, d.p, &Ack{Now: n, Sent: left, Bytes: bytes, Upto: w.arrived, ECN: ecn, Hops: hops})
		}
	}
}
