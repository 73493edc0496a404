package polling_test

import (
	"testing"

	"fabricast/cmpi/internal/polling"
	"fabricast/node"
)

// TestPatience demands that polls wait longer the more of them miss, without end at last, and that a hit makes
// the next one free again.
func TestPatience(t *testing.T) {
	var p polling.Polls
	for _, test := range []struct {
		misses int // in all
		want   int32
	}{{0, 0}, {999, 0}, {1000, 1}, {1511, 1}, {1512, 2}, {3999, 6}, {4000, node.Endless}} {
		p.Hit()
		for range test.misses {
			p.Miss()
		}
		if found := p.Patience(1 << 20); found != test.want {
			t.Errorf("after %d misses: found %d, expected %d", test.misses, found, test.want)
		}
	}
	if found := p.Patience(4); found != 6 {
		t.Errorf("among 4 ranks: found %d, expected 6", found)
	}
	p.Hit()
	if found := p.Patience(1 << 20); found != 0 {
		t.Errorf("after a hit: found %d, expected 0", found)
	}
}

// TestReadClock demands that reads of an unchanged clock take time after many of them, and more and more.
func TestReadClock(t *testing.T) {
	const many, first = 10_000, 1_000_000
	var p polling.Polls
	now, cost := int64(5), int64(0)
	for range many {
		cost += p.ReadClock(now)
	}
	if cost != 0 {
		t.Errorf("found %d ps for the first reads, expected 0", cost)
	}
	for i := range 2 * many {
		want := int64(first)
		if i >= many-1 {
			want *= 2
		}
		if i >= 2*many-1 {
			want *= 2
		}
		if cost = p.ReadClock(now); cost != want {
			t.Fatalf("read %d: found %d ps, expected %d", many+i, cost, want)
		}
		now += cost
	}
	if cost = p.ReadClock(now + 1); cost != 0 {
		t.Errorf("found %d ps for a read at another time, expected 0", cost)
	}
}
