package control

import (
	"testing"

	"fabricast/internal/units"
)

func TestSwift(t *testing.T) {
	d := drive(SwiftOptions{}, path())
	d.wants(t, "begin", 150_000, 0)
	// the target is 20 + 6 * 20 / 6.55 us and 2.17 us for a window of 36 packets
	d.ack(40*us, 40*us, 4150, false)
	d.wants(t, "4150 * 4150 / 150,000 more", 150_114, 0)
	d.ack(80*us, 80*us, 4150, false)
	// 1 - 0.8 * (80 - 40.485) / 80
	d.wants(t, "less in proportion to the excess", 90_796, 0)
	d.ack(81*us, 80*us, 4150, false)
	d.wants(t, "once a round trip", 90_796, 0)
	d.ack(400*us, 400*us, 4150, false)
	d.wants(t, "at most half", 45_398, 0)
	d.Nack(d.s, d.p, &Nack{Now: Now{At: 401 * us}, Bytes: 4150})
	d.wants(t, "once a round trip", 45_398, 0)
	d.Nack(d.s, d.p, &Nack{Now: Now{At: 600 * us}, Bytes: 4150})
	d.wants(t, "half of it for a missing packet", 22_699, 0)
	for range 5 {
		d.Lost(d.s, d.p, &Now{At: 601 * us}, 4150)
	}
	if l := d.limits(); l.Window != 4150 || l.Rate == 0 {
		t.Errorf("five timeouts: %+v", l)
	}
}

func TestSwiftPaces(t *testing.T) {
	d := drive(SwiftOptions{Initial: 2075}, path())
	d.wants(t, "half a packet in 12 us", 4150, 2075/12e-6)
	d.ack(16*us, 16*us, 64, false) // the smoothed round trip is 12.5 us
	d.wants(t, "a byte for each", 4150, 2139/12.5e-6)
	d = drive(SwiftOptions{Initial: units.GB, Target: 10 * units.Microsecond, Hop: 1, Range: 5 * units.Microsecond}, path())
	d.wants(t, "what the link carries in 15 us", 187_500, 0)
}

func TestDCTCP(t *testing.T) {
	d := drive(DCTCPOptions{}, path())
	ack := func(upto, next int64, ecn bool) {
		d.Ack(d.s, d.p, &Ack{Now: Now{At: us, Next: next}, Bytes: 4150, Upto: upto, ECN: ecn})
	}
	ack(4086, 100_000, false)
	d.wants(t, "4150 * 4150 / 150,000 more; alpha is 15/16", 150_114, 0)
	ack(8172, 110_000, true)
	d.wants(t, "15/32 less", 79_748, 0)
	ack(12_258, 110_000, true)
	d.wants(t, "once a window", 79_748, 0)
	ack(104_000, 210_000, false) // 2 of 3 were marked: alpha is 15/16 * 15/16 + 1/16 * 2/3
	d.wants(t, "more again", 79_964, 0)
	ack(110_001, 220_000, true)
	d.wants(t, "79,964 * (1 - 0.9206 / 2)", 43_157, 0)
	d.Nack(d.s, d.p, &Nack{Now: Now{At: us, Next: 220_000}, Bytes: 4150})
	d.wants(t, "once a window", 43_157, 0)
	d.Nack(d.s, d.p, &Nack{Now: Now{At: us, Next: 220_001}, Bytes: 4150})
	d.wants(t, "half for a missing packet", 21_578, 0)
	d.Lost(d.s, d.p, &Now{At: us, Next: 220_001}, 4150)
	d.wants(t, "a packet after a timeout", 4150, 0)
}
