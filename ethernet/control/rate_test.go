package control

import (
	"math"
	"testing"

	"fabricast/internal/units"
)

const line = 12.5e9 // bytes/s, of path

func (d *driven) notify(at int64) { d.Notified(d.s, d.p, &Now{At: at}) }

// timer calls the timer, which must be due at a time.
func (d *driven) timer(t *testing.T, at int64) {
	t.Helper()
	if due := d.Due(d.s); due != at {
		t.Fatalf("the timer is due at %d ps, expected %d", due, at)
	}
	d.Timer(d.s, d.p, &Now{At: at})
}

func TestDCQCNPaper(t *testing.T) {
	d := drive(DCQCNOptions{}, path())
	d.wants(t, "begin", Unlimited, 0)
	if d.Due(d.s) != Forever {
		t.Error("a timer runs before the first notification")
	}
	d.notify(100 * us)
	d.wants(t, "alpha is 1", Unlimited, line/2)
	d.timer(t, 155*us)
	d.wants(t, "fast recovery", Unlimited, line*3/4)
	d.timer(t, 210*us)
	d.wants(t, "fast recovery", Unlimited, line*7/8)
	d.notify(220 * us)
	alpha := math.Pow(255.0/256, 2)
	rate, target := line*7/8*(1-alpha/2), line*7/8
	d.wants(t, "alpha fell twice", Unlimited, rate)
	up := func(when string, more float64) {
		t.Helper()
		target = min(target+more, line)
		rate = (rate + target) / 2
		d.wants(t, when, Unlimited, rate)
	}
	for i := range int64(4) {
		d.timer(t, (275+55*i)*us)
		up("fast recovery", 0)
	}
	d.timer(t, 495*us)
	up("additive increase", line/1000)
	for range 5 {
		d.Sent(d.s, d.p, &Now{}, 6_000_000)
		d.wants(t, "6 MB are too few", Unlimited, rate)
		d.Sent(d.s, d.p, &Now{}, 4_000_000)
		up("additive increase by bytes", line/1000)
	}
	d.timer(t, 550*us)
	up("additive, as bytes have raised it only five times", line/1000)
	d.Sent(d.s, d.p, &Now{}, 10_000_000)
	up("hyper increase", line/200)
	d.timer(t, 605*us)
	up("as the least of both is still 6", line/200)
	d.Sent(d.s, d.p, &Now{}, 10_000_000)
	up("twice that with 7", 2*line/200)
}

func TestDCQCNEnds(t *testing.T) {
	for _, o := range []DCQCNOptions{{}, {Form: DCQCNVendor}} {
		d := drive(o, path())
		d.notify(100 * us)
		calls := 0
		for due := d.Due(d.s); due != Forever; due = d.Due(d.s) {
			d.Timer(d.s, d.p, &Now{At: due})
			if calls++; calls > 100 {
				t.Fatalf("%+v: timers do not end", o)
			}
		}
		d.wants(t, "the rate of the link", Unlimited, 0)
		d.notify(1000 * us)
		if d.Due(d.s) == Forever {
			t.Error("a later notification starts no timer")
		}
	}
}

func TestDCQCNVendor(t *testing.T) {
	d := drive(DCQCNOptions{Form: DCQCNVendor}, path())
	d.notify(100 * us)
	d.wants(t, "the timer lowers the rate", Unlimited, 0)
	d.timer(t, 104*us+1000)
	alpha := math.Pow(255.0/256, 4)
	rate := line * (1 - alpha/2)
	d.wants(t, "alpha fell four times", Unlimited, rate)
	d.timer(t, 404*us+1000)
	rate = (rate + line) / 2
	d.wants(t, "fast recovery", Unlimited, rate)
	d.notify(500 * us)
	d.notify(500*us + 500)
	alpha = math.Pow(255.0/256, 400)
	target := rate
	rate *= 1 - alpha/2
	d.timer(t, 500*us+1000)
	d.wants(t, "the target is the rate before", Unlimited, rate)
	d.timer(t, 800*us+1000)
	rate = (rate + target) / 2
	d.wants(t, "fast recovery", Unlimited, rate)
	d.timer(t, 1100*us+1000)
	target += line / 5000
	rate = (rate + target) / 2
	d.wants(t, "additive increase", Unlimited, rate)
	d.timer(t, 1400*us+1000)
	target += line / 500
	rate = (rate + target) / 2
	d.wants(t, "hyper increase", Unlimited, rate)
}

func TestDCQCNWindows(t *testing.T) {
	d := drive(DCQCNOptions{Window: DCQCNFixedWindow}, path())
	d.notify(100 * us)
	d.wants(t, "fixed", 150_000, line/2)
	d = drive(DCQCNOptions{Window: DCQCNRateWindow}, path())
	d.notify(100 * us)
	d.wants(t, "by rate", 75_000, line/2)
	d = drive(DCQCNOptions{Min: 10 * units.GBPerSecond}, path())
	d.notify(100 * us)
	d.wants(t, "the least rate", Unlimited, 10e9)
}

func TestIB(t *testing.T) {
	d := drive(IBOptions{Limit: 3}, path())
	for i, want := range []float64{line / 2, line / 3, line / 4, line / 4} {
		d.notify(int64(i) * us)
		d.wants(t, "a gap more", Unlimited, want)
	}
	timer := int64(153_600_000)
	d.timer(t, timer)
	d.wants(t, "a gap less", Unlimited, line/3)
	d.timer(t, 2*timer)
	d.timer(t, 3*timer)
	d.wants(t, "none", Unlimited, 0)
	if d.Due(d.s) != Forever {
		t.Error("the timer runs on")
	}
	d = drive(IBOptions{Min: 1, Step: units.Whole / 2, Increase: 2}, path())
	d.wants(t, "the least index", Unlimited, line/1.5)
	d.notify(us)
	d.wants(t, "an index of 3", Unlimited, line/2.5)
}

func TestHPCC(t *testing.T) {
	d := drive(HPCCOptions{}, path())
	var sent uint64
	ack := func(at int64, port, queue int64, bytes uint64, upto, next int64) {
		sent += bytes
		d.Ack(d.s, d.p, &Ack{
			Now: Now{At: at, Next: next}, Sent: at - 12*us, Bytes: 4150, Upto: upto,
			Hops: []Hop{
				{Port: 1, At: at - 4*us, Queue: 0, Bytes: sent / 2, Rate: d.p.Rate},
				{Port: port, At: at - 2*us, Queue: queue, Bytes: sent, Rate: d.p.Rate},
			},
		})
	}
	ack(20*us, 2, 30_000, 1000, 4086, 150_000)
	d.wants(t, "first records", 150_000, 0)
	// 150,000 bytes in 12 us are the rate of the link; 15,000 of 150,000 bytes wait: use 1.1
	ack(32*us, 2, 15_000, 150_000, 160_000, 300_000)
	rate := line/(1.1/0.95) + line/2500
	d.wants(t, "an update", int64(rate*12e-6), rate)
	for i := range int64(2) { // the same use again
		ack((44+12*i)*us, 2, 15_000, 150_000, 200_000, 350_000)
		fast := rate/(1.1/0.95) + line/2500
		d.wants(t, "reactions within a round trip have one reference", int64(fast*12e-6), fast)
	}
	ack(60*us, 3, 0, 150_000, 200_000, 350_000)
	fast := rate/(1.1/0.95) + line/2500
	d.wants(t, "another way is recorded only", int64(fast*12e-6), fast)
	// a load of 0.9 for half a round trip: use (1.1 + 0.9) / 2 = 1
	ack(66*us, 3, 0, 67_500, 310_000, 400_000)
	less := rate*0.95 + line/2500
	d.wants(t, "uses are averaged", int64(less*12e-6), less)
	ack(72*us, 3, 0, 1, 410_000, 500_000)
	d.wants(t, "never above the link's rate", 150_000, 0)
}

func TestHPCCStages(t *testing.T) {
	d := drive(HPCCOptions{Stages: 1, AI: units.GBPerSecond, Min: 2 * units.GBPerSecond}, path())
	var sent uint64
	next := int64(0)
	ack := func(at int64, queue int64, bytes uint64) {
		sent, next = sent+bytes, next+10_000
		d.Ack(d.s, d.p, &Ack{
			Now: Now{At: at, Next: next}, Bytes: 4150, Upto: next - 5000,
			Hops: []Hop{{Port: 1, At: at, Queue: queue, Bytes: sent, Rate: d.p.Rate}},
		})
	}
	ack(12*us, 3_000_000, 0)
	ack(24*us, 3_000_000, 150_000)
	d.wants(t, "a use of 21: the least rate", 24_000, 2e9)
	ack(36*us, 0, 75_000)
	d.wants(t, "additive: a use of 0.5", 36_000, 3e9)
	ack(48*us, 0, 75_000)
	d.wants(t, "then multiplicative", int64((3e9*1.9+1e9)*12e-6), 3e9*1.9+1e9)
}

func TestTimely(t *testing.T) {
	d := drive(TimelyOptions{}, path())
	next := int64(0)
	ack := func(rtt int64) {
		next += 10_000
		d.Ack(d.s, d.p, &Ack{Now: Now{At: 5000 * us, Next: next}, Sent: 5000*us - rtt, Bytes: 4150, Upto: next - 5000})
	}
	ack(2000 * us)
	d.wants(t, "the first is recorded", Unlimited, 0)
	ack(1000 * us)
	d.wants(t, "too long: 1 - 0.8 * (1 - 0.5)", Unlimited, line*0.6)
	ack(100 * us)
	d.wants(t, "a falling round trip", Unlimited, line*0.601)
	// differences: -875, -896.875, and 0.875 * 150 + 0.125 * -896.875 = 19.140625 us
	ack(250 * us)
	rate := line * 0.601 * (1 - 0.8*19.140625/20)
	d.wants(t, "a rising one", Unlimited, rate)
	for i := range 7 {
		ack(40 * us)
		rate += line / 1000
		if i >= 5 {
			rate += 4 * line / 1000
		}
		d.wants(t, "a short one", Unlimited, rate)
	}
	d.Ack(d.s, d.p, &Ack{Now: Now{At: 5000 * us, Next: next}, Sent: 0, Bytes: 4150, Upto: next})
	d.wants(t, "not twice a round trip", Unlimited, rate)
	ack(300 * us)
	d.wants(t, "the least rate", Unlimited, line/1000)
}
