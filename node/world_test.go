package node

import (
	"strings"
	"testing"
)

func TestWorldRefusesWrongSpecs(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Hosts: 2, NICsPerHost: 1, Memory: 1}, "at least one rank"},
		{Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, HostOf: []int32{0, 2}}, "rank 1 is on host 2"},
		{Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, HostOf: []int32{1, 1}}, "ranks 0 and 1 are both on host 1"},
		{Spec{Hosts: 2, Memory: 1, HostOf: []int32{1}}, "0 NICs a host"},
		{Spec{Hosts: 2, NICsPerHost: 1, HostOf: []int32{1}}, "memory bandwidth"},
		{Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, Overhead: -1, HostOf: []int32{1}}, "overhead of -1 ps"},
	} {
		if _, err := NewWorld(c.spec, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
}

func TestCopyTime(t *testing.T) {
	for _, c := range []struct{ size, rate, want int64 }{
		{0, 1, 0}, {1, 10e9, 100}, {3, 7, 428571428571}, {1 << 40, 10e9, 109951162777600}, {1 << 62, 1, 1<<62 - 1},
	} {
		w := &World{spec: Spec{Memory: c.rate}}
		if got := w.copyTime(c.size); got != c.want {
			t.Errorf("%d bytes at %d bytes/s: %d ps, want %d", c.size, c.rate, got, c.want)
		}
	}
}

func TestEventsHappenInOrder(t *testing.T) {
	b := bare(t, 1)
	r := &b.ranks[0]
	b.waking = r
	in := []event{
		{at: 5, kind: recheck},
		{at: 3, kind: networkArrival, nic: 1, ref: 1},
		{at: 3, kind: networkArrival, ref: 2},
		{at: 5, kind: selfArrival, ref: 3},
		{at: 3, kind: networkArrival, nic: 1, ref: 4},
		{at: 9, ref: 5},
		{at: 1, ref: 6},
	}
	for _, e := range in {
		b.schedule(r, e)
	}
	for _, want := range []int{6, 2, 1, 4, 3, 0} {
		if e, ok := b.takeDue(r, 5); !ok || e.ref != uint32(want) {
			t.Fatalf("event %+v, want %d", e, want)
		}
	}
	if _, ok := b.takeDue(r, 8); ok || b.due(r) != 9 {
		t.Error("an event happened too early")
	}
}

func TestMessageHashDependsOnEverything(t *testing.T) {
	base := [6]int64{1, 2, 3, 4, 5, 6}
	hash := func(v [6]int64) [2]uint64 {
		a, b := messageHash(int32(v[0]), int32(v[1]), int32(v[2]), v[3], v[4], v[5])
		return [2]uint64{a, b}
	}
	seen := map[uint64]bool{}
	for i := range base {
		for d := range int64(50) {
			v := base
			v[i] += 1000 * (d + 1)
			h := hash(v)
			if seen[h[0]] || seen[h[1]] {
				t.Fatalf("%v collides", v)
			}
			seen[h[0]], seen[h[1]] = true, true
		}
	}
}
