package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
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

// TestOutageTable: times are drawn from each line of a table, whatever it is, with the same probability,
// so that their means are those of the table; a time in repair goes with its time in service.
func TestOutageTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lifetime {
			ns := rapid.IntRange(1, 1_000_000)
			return lifetime{units.Time(ns.Draw(t, "service")) * 1000, units.Time(ns.Draw(t, "repair")) * 1000}
		}), 1, 40).Draw(t, "table")
		repairOf := map[units.Time][]units.Time{}
		var mean, meanRepair, spread, spreadRepair float64
		for _, l := range table {
			repairOf[l.service] = append(repairOf[l.service], l.repair)
			mean += float64(l.service) / float64(len(table))
			meanRepair += float64(l.repair) / float64(len(table))
		}
		for _, l := range table {
			spread += math.Pow(float64(l.service)-mean, 2) / float64(len(table))
			spreadRepair += math.Pow(float64(l.repair)-meanRepair, 2) / float64(len(table))
		}
		const n = 4000
		law := outageLaw{&experiment.RandomFaults{}, table, rapid.Uint64().Draw(t, "seed")}
		var sum, sumRepair float64
		for range n {
			service, repair := law.draw()
			if !slices.Contains(repairOf[service], repair) {
				t.Fatalf("%v in service, %v in repair: no line of %v", service, repair, table)
			}
			sum, sumRepair = sum+float64(service), sumRepair+float64(repair)
		}
		// six standard deviations of the mean
		if within := 6*math.Sqrt(spread/n) + 1; math.Abs(sum/n-mean) > within {
			t.Errorf("mean time in service %v, want %v within %v", sum/n, mean, within)
		}
		if within := 6*math.Sqrt(spreadRepair/n) + 1; math.Abs(sumRepair/n-meanRepair) > within {
			t.Errorf("mean time to repair %v, want %v within %v", sumRepair/n, meanRepair, within)
		}
	})
}

// TestOutagesOfATable: a link is in service and in repair in turn, for the times of a table; where that has no
// times to repair, these have the mean of the experiment.
func TestOutagesOfATable(t *testing.T) {
	for _, c := range []struct {
		text   string
		repair units.Time
	}{
		{"3us 40ns\n", 0}, {"3us # always\n", 40 * units.Nanosecond},
	} {
		e := onTorus(t, 0, 0)
		e.Faults.Random = experiment.RandomFaults{File: written(t, c.text), Repair: c.repair, Until: 1200 * units.Microsecond}
		outages, err := drawOutages(e, topologyOf(t, e))
		if err != nil || len(outages) < 1400 {
			t.Fatalf("%d outages, %v", len(outages), err)
		}
		back, repair := map[int32]units.Time{}, units.Time(0) // by port: links of two routers have one name
		for _, o := range outages {
			if o.From != back[o.ports[0]]+3*units.Microsecond {
				t.Errorf("%s %s after %v", o.Name, o.period(), back[o.ports[0]])
			}
			back[o.ports[0]] = o.To
			repair += o.To - o.From
		}
		mean := repair / units.Time(len(outages))
		if c.repair == 0 && mean != 40*units.Nanosecond || mean < 36*units.Nanosecond || mean > 44*units.Nanosecond {
			t.Errorf("%q: mean time to repair %v", c.text, mean)
		}
	}
}
