package eventqueue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueOrder: the queue yields events in order, however they are added meanwhile: at the instant
// that is being processed, before others of that instant, or later.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		var list []Event // the events that the queue must hold, sorted
		now := int64(0)
		span := rapid.SampledFrom([]int64{1, 3, 1 << 12, 1 << 60}).Draw(t, "span")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(list) > 0 && rapid.Bool().Draw(t, "pop") {
				if q.Time() != list[0].At {
					t.Fatalf("the first event is at %d, not at %d", q.Time(), list[0].At)
				}
				if e := q.Pop(); e != list[0] {
					t.Fatalf("found %v, expected %v", e, list[0])
				}
				now, list = list[0].At, list[1:]
				continue
			}
			e := Event{
				now + rapid.Int64Range(0, span).Draw(t, "later"), rapid.Uint64Range(0, 5).Draw(t, "order"),
				rapid.Uint32Range(0, 2).Draw(t, "id"),
			}
			for range rapid.SampledFrom([]int{1, 1, few, 3 * few}).Draw(t, "equal") {
				q.Push(e)
				at, _ := slices.BinarySearchFunc(list, e, compareEvents)
				list = slices.Insert(list, at, e)
			}
		}
		if q.Empty() != (len(list) == 0) {
			t.Fatalf("empty: %v with %d events", q.Empty(), len(list))
		}
	})
}

func compareEvents(e, f Event) int {
	return cmp.Or(cmp.Compare(e.At, f.At), cmp.Compare(e.Order, f.Order), cmp.Compare(e.ID, f.ID))
}

// TestManyAtOnce: many events at one instant come in order, whichever bits of their orders and IDs
// differ, and the next instants have theirs.
func TestManyAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		orders, ids := rapid.Uint64().Draw(t, "orders"), rapid.Uint32().Draw(t, "ids")
		r := rand.New(rand.NewPCG(seed, 1))
		var q Queue
		var list []Event
		for range rapid.IntRange(1, 8*manySorted).Draw(t, "events") {
			e := Event{1 + r.Int64N(2), r.Uint64() & orders, r.Uint32() & ids}
			q.Push(e)
			list = append(list, e)
		}
		slices.SortFunc(list, compareEvents)
		for i, want := range list {
			if e := q.Pop(); e != want {
				t.Fatalf("event %d is %v, expected %v", i, e, want)
			}
		}
	})
}

// TestQueueMemory: where all events are added at one instant for another, again and again, the queue
// takes the memory of a few times all events, whatever the distances of the instants.
func TestQueueMemory(t *testing.T) {
	const n, rounds, most = 1 << 14, 200, 4
	var q Queue
	next := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		q.Push(Event{At: 1, ID: uint32(i)})
	}
	for range rounds {
		later := 1 + next.Int64N(1<<(1+next.IntN(40)))
		for range n {
			e := q.Pop()
			q.Push(Event{At: e.At + later, ID: e.ID})
		}
	}
	all := cap(q.now) + cap(q.late)
	for _, lists := range q.far.lists {
		for _, list := range lists {
			all += cap(list)
		}
	}
	for _, lists := range q.spare {
		for _, list := range lists {
			all += cap(list)
		}
	}
	if all > most*n {
		t.Errorf("memory of %d events, want at most %d", all, most*n)
	}
}
