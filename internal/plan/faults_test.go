package plan

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// TestPortEvents: after each event, a port is as the outages say at every ns, also where they overlap.
func TestPortEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const full = 8_000_000_000
		var outages []*Outage
		for range rapid.IntRange(1, 5).Draw(t, "outages") {
			from := units.Time(rapid.IntRange(0, 20).Draw(t, "from")) * units.Nanosecond
			o := &Outage{From: from, To: never, Rate: units.Fraction(rapid.IntRange(0, 3).Draw(t, "quarters")) * units.Whole / 4}
			if rapid.Bool().Draw(t, "ends") {
				o.To = from + units.Time(rapid.IntRange(1, 20).Draw(t, "lasts"))*units.Nanosecond
			}
			outages = append(outages, o)
		}
		events := appendChanges(nil, fabric.Event{}, outages, full)
		for i := range max(0, len(events)-1) {
			if events[i].At >= events[i+1].At {
				t.Fatalf("events out of order, or two at once: %+v", events)
			}
		}
		for at := units.Time(0); at <= 41*units.Nanosecond; at += units.Nanosecond {
			down, rate := false, units.Rate(0)
			for _, e := range events {
				switch {
				case e.At > at:
				case e.Kind == fabric.SetRate:
					rate = e.Rate
				default:
					down = e.Kind == fabric.Down
				}
			}
			wantDown, want := false, units.Whole
			for _, o := range outages {
				switch {
				case !o.active(at):
				case o.Rate == 0:
					wantDown = true
				default:
					want = min(want, o.Rate)
				}
			}
			wantRate := units.Rate(0)
			if want < units.Whole {
				wantRate = full * units.Rate(want) / units.Rate(units.Whole)
			}
			if down != wantDown || !down && rate != wantRate {
				t.Fatalf("at %v: down %v, rate %v; want %v, %v: %+v", at, down, rate, wantDown, wantRate, events)
			}
		}
	})
}

// TestExponential: the mean of many times, and their bounds.
func TestExponential(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	const n, mean = 20_000, 3 * units.Millisecond
	sum := units.Time(0)
	for range n {
		x := exponential(d.Uint64()|1, mean, units.Whole/2)
		if x < units.Nanosecond || x%units.Nanosecond != 0 {
			t.Fatalf("%v ps", int64(x))
		}
		sum += x / n
	}
	if sum < 2*mean*97/100 || sum > 2*mean*103/100 {
		t.Errorf("mean %v, want %v", sum, 2*mean)
	}
	if least := exponential(1<<64-1, mean, units.Whole); least != units.Nanosecond {
		t.Errorf("the shortest time is %v", least)
	}
	for _, rate := range []units.Fraction{1, units.Whole} {
		if x := exponential(1, month, rate); x <= 0 {
			t.Errorf("the longest time overflows: %v", int64(x))
		}
	}
}
