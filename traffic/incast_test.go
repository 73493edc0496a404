package traffic

import (
	"testing"

	"pgregory.net/rapid"
)

// TestIncastSenders: as many hosts as are asked for send in each incast, none of them to itself, and
// each finds the next incast in which it sends.
func TestIncastSenders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 200).Draw(t, "hosts")
		c, err := newIncasts(&Load{
			Concurrent: true, Seed: rapid.Uint64().Draw(t, "seed"),
			Incast: Incast{FanIn: rapid.IntRange(1, hosts-1).Draw(t, "senders"), Size: 1, Interval: 1000},
		}, hosts)
		if err != nil {
			t.Fatal(err)
		}
		number := rapid.Uint64Range(0, 1<<40).Draw(t, "number")
		senders := 0
		for place := range int32(hosts) {
			if c.sends(number, place) {
				if senders++; place == c.target(number) {
					t.Errorf("host %d sends to itself", place)
				}
			}
			end := number + rapid.Uint64Range(0, 300).Draw(t, "incasts")
			next := c.next(number, end, place)
			if next > end || next < end && !c.sends(next, place) {
				t.Fatalf("host %d sends in incast %d, from %d to %d", place, next, number, end)
			}
			for n := number; n < next; n++ {
				if c.sends(n, place) {
					t.Errorf("host %d sends in incast %d, before %d", place, n, next)
				}
			}
		}
		if senders != c.FanIn {
			t.Errorf("%d hosts send, want %d", senders, c.FanIn)
		}
	})
}

// TestIncastsBefore: the incasts before a time are those whose multiple of the interval is smaller.
func TestIncastsBefore(t *testing.T) {
	c := incasts{Incast: Incast{FanIn: 1, Interval: 10}}
	for time, want := range map[int64]uint64{-5: 0, 0: 0, 1: 1, 10: 1, 11: 2, 20: 2, 21: 3} {
		if got := c.before(time); got != want {
			t.Errorf("%d incasts before %d, want %d", got, time, want)
		}
	}
	if (&incasts{}).before(1000) != 0 {
		t.Error("there are incasts without senders")
	}
}

// TestWrongIncasts: incasts that cannot be are refused.
func TestWrongIncasts(t *testing.T) {
	for _, l := range []Load{
		{Concurrent: true, Incast: Incast{FanIn: 4, Size: 1, Interval: 1}},
		{Concurrent: true, Incast: Incast{FanIn: -1, Size: 1, Interval: 1}},
		{Concurrent: true, Incast: Incast{FanIn: 2, Size: 1}},
		{Concurrent: true, Window: 1, Incast: Incast{FanIn: 2, Size: 1, Interval: 1}},
		{Incast: Incast{FanIn: 2, Size: 1, Interval: 1}},
	} {
		if _, err := newIncasts(&l, 4); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}
