package control

import (
	"testing"

	"fabricast/internal/units"
)

// The path of the tests has the reference's BDP and round trip. So A = 1, the target is 9 us, the
// proportional increase 4 * 4086 / 12 us = 0.001362 bytes/ps, the fair one 20,430 bytes, eta 612.9.

func TestNSCCIncreases(t *testing.T) {
	d := drive(NSCCOptions{Initial: 100_000}, path())
	// no delay: 0.001362 * 4150 * 9 us = 50,870,700 of each, divided by the window, and eta
	d.ack(12*us, 12*us, 4150, false)
	d.wants(t, "the increase is not applied before a round trip is over", 100_000, 0)
	d.ack(12*us+us/2, 12*us, 4150, false)
	d.wants(t, "proportional: 1,017 and 612", 101_629, 0)

	d = drive(NSCCOptions{Initial: 100_000}, path())
	d.ack(22*us, 22*us, 4150, false)
	d.wants(t, "fair: 20430 * 4150 / 100,000 = 847, and 612", 101_459, 0)

	d = drive(NSCCOptions{Initial: 100_000}, path())
	d.ack(13*us, 13*us, 4150, true)
	d.wants(t, "a mark without much delay: eta alone", 100_612, 0)

	d = drive(NSCCOptions{Initial: 100_000}, path())
	d.ack(13*us, 12*us, 60_000, false)
	d.wants(t, "proportional: 7,354 and 612", 107_966, 0)
	d.ack(14*us, 12*us, 60_000, false)
	d.wants(t, "fast, as 120,000 bytes came without delay: a quarter", 122_966, 0)
	d.ack(15*us, 12*us, 4150, false)
	d.wants(t, "still fast", 124_003, 0)
	d.ack(16*us, 14*us, 4150, false)
	d.ack(17*us, 12*us, 4150, false)
	d.wants(t, "no longer, after a delay", 124_003, 0)
}

func TestNSCCScales(t *testing.T) {
	p := path()
	p.Rate, p.RTT, p.NetworkRTT = 50*units.GBPerSecond, 24*us, 24*us // A = 8
	d := drive(NSCCOptions{Initial: 1_000_000}, p)
	d.ack(44*us, 44*us, 4150, false)
	d.wants(t, "fair: 8 * 20430 * 4150 / 1,000,000 = 678, and 8 * 612.9", 1_005_581, 0)
	d = drive(NSCCOptions{}, p)
	d.wants(t, "1.5 BDP", 1_800_000, 0)
	p.Trims = false
	d = drive(NSCCOptions{Initial: 1_000_000}, p)
	d.ack(46*us, 46*us, 4150, false)
	// the target is 24 us: 4 * 4086 * 8 * 2 / 24 us * 4150 * 2 us / 1,000,000 = 90
	d.wants(t, "proportional, as the target is 24 us without trimming", 1_000_000+90+4903, 0)
}

func TestNSCCDecreases(t *testing.T) {
	d := drive(NSCCOptions{Initial: 100_000}, path())
	for i := range int64(7) {
		d.ack((112+i)*us, 112*us, 4150, true)
		d.wants(t, "the average delay is below 9 us", 100_612, 0)
	}
	d.ack(119*us, 112*us, 4150, true)
	// average 100 us * (1 - 0.9875^8) = 9.573 us: 1 - 0.8 * 0.573 / 9.573
	d.wants(t, "multiplicative decrease", 95_792, 0)
	d.ack(120*us, 112*us, 4150, true)
	d.wants(t, "once a base round trip", 95_792, 0)
}

func TestNSCCQuickAdapt(t *testing.T) {
	d := drive(NSCCOptions{Initial: 100_000}, path())
	cut := func(at int64, last bool) {
		d.Nack(d.s, d.p, &Nack{Now: Now{At: at, Flying: 50_000}, Sent: at - 12*us, Bytes: 4150, Last: last})
	}
	cut(12*us, false)
	d.wants(t, "a cut packet before the first period is over", 95_850, 0)
	d.ack(20*us, 12*us, 8300, false)
	d.wants(t, "proportional: 1,061 and 612", 97_523, 0)
	cut(34*us, false)
	d.wants(t, "what has arrived", 8300, 0)
	for i := range int64(13) { // 54,150 bytes: those under way and the packet that was cut
		d.ack((35+i)*us/2+20*us, 112*us, 4150, true)
		d.wants(t, "marks are ignored", 8300, 0)
	}
	d.ack(45*us, 13*us, 4150, true)
	d.wants(t, "no longer: eta", 8912, 0)
}

func TestNSCCOtherLosses(t *testing.T) {
	d := drive(NSCCOptions{Initial: 100_000, Credit: true}, path())
	cut := func(last bool) {
		d.Nack(d.s, d.p, &Nack{Now: Now{At: 12 * us, Flying: 50_000}, Sent: -1, Bytes: 4150, Last: last})
	}
	cut(true)
	d.wants(t, "receivers answer for what the last switch cuts", 100_000, 0)
	cut(false)
	d.wants(t, "not for others", 95_850, 0)
	d.Lost(d.s, d.p, &Now{At: 13 * us}, 10_000)
	d.wants(t, "a timeout", 85_850, 0)
	d.Lost(d.s, d.p, &Now{At: 13 * us}, 1_000_000)
	d.wants(t, "never below a packet", 4150, 0)
	d = drive(NSCCOptions{}, path())
	d.wants(t, "1.5 BDP", 225_000, 0)
	d.ack(6*us, 6*us, 4150, false)
	d.wants(t, "1.5 BDP of the least round trip", 112_500, 0)
}
