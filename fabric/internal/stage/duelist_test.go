package stage

import (
	"slices"
	"testing"

	"fabricast/fabric/internal/core"

	"pgregory.net/rapid"
)

// TestDueListIsInOrder: timers come out by time and then by number, those put in on the
// way too, and nothing is left.
func TestDueListIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l eventList
		for range rapid.IntRange(1, 3).Draw(t, "windows") {
			length := rapid.Int64Range(1, 1<<40).Draw(t, "length")
			l.N, l.Next = 0, 0
			var want []uint64
			put := func(from int64, insert func(since int64, timer uint32)) {
				since := rapid.Int64Range(from, length-1).Draw(t, "since")
				timer := uint32(rapid.IntRange(0, 1<<core.EventShift-1).Draw(t, "timer"))
				insert(since, timer)
				want = append(want, uint64(since)<<core.EventShift|uint64(timer))
			}
			for range rapid.IntRange(0, 200).Draw(t, "timers") {
				put(0, l.add)
			}
			l.sort()
			for len(want) > 0 {
				slices.Sort(want)
				now := l.Upcoming()
				if first := want[0] >> core.EventShift; now != first {
					t.Fatalf("next at %d, want %d", now, first)
				}
				timer, ok := l.Take(now)
				if !ok || now<<core.EventShift|uint64(timer) != want[0] {
					t.Fatalf("timer %d at %d, want %#x", timer, now, want[0])
				}
				want = want[1:]
				if len(want) < 300 && rapid.IntRange(0, 9).Draw(t, "more") == 0 {
					put(int64(now), l.Insert)
				}
			}
			if l.Upcoming() != Never {
				t.Fatal("something is left")
			}
		}
	})
}
