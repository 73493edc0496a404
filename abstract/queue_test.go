package abstract

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueOrder: the queue yields events in order, however they are added meanwhile: at the instant
// that is being processed, before others of that instant, or later.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var list []event // the events that the queue must hold, sorted
		now := int64(0)
		span := rapid.SampledFrom([]int64{1, 3, 1 << 12, 1 << 60}).Draw(t, "span")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(list) > 0 && rapid.Bool().Draw(t, "pop") {
				if q.time() != list[0].at {
					t.Fatalf("the first event is at %d, not at %d", q.time(), list[0].at)
				}
				if e := q.pop(); e != list[0] {
					t.Fatalf("found %v, expected %v", e, list[0])
				}
				now, list = list[0].at, list[1:]
				continue
			}
			e := event{
				now + rapid.Int64Range(0, span).Draw(t, "later"), rapid.Uint64Range(0, 5).Draw(t, "order"),
				rapid.Uint32Range(0, 2).Draw(t, "id"),
			}
			q.push(e)
			at, _ := slices.BinarySearchFunc(list, e, func(e, f event) int { return e.compare(&f) })
			list = slices.Insert(list, at, e)
		}
		if q.empty() != (len(list) == 0) {
			t.Fatalf("empty: %v with %d events", q.empty(), len(list))
		}
	})
}
