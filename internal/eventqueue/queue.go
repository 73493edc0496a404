// Package eventqueue has the queue of the events of one block of a network, in the order in which
// they are processed.
package eventqueue

import (
	"math"
	"math/bits"
)

// Event is something that happens at a time. Events at the same time are ordered by Order, then by
// ID.
type Event struct {
	At    int64  // time (ps), not negative
	Order uint64 // order at the same instant
	ID    uint32
}

// Queue holds events in order: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, 1990) by time. Models
// that do much in step have many events at the same instant, and the queue sorts those only once.
// The zero value is an empty queue.
//
// Events at the instant that is being processed are in now, sorted; those that are added meanwhile
// and precede others there are in late. Later events are in far, by the highest bit in which
// their time differs from the instant.
type Queue struct {
	instant int64 // ps
	now     []Event
	next    int // place in now of the first event that has not been taken
	late    heap
	far     [64][]Event
	first   [64]int64 // ps: earliest time in each element of far; undefined if that is empty
	used    uint64    // bits of the elements of far that are not empty
	// spare holds the memory of lists that have become empty. If each list kept its own, models that
	// do much in step would need the memory of all their events many times.
	spare [][]Event
}

// few is the number of events up to which a list keeps its memory.
const few = 64

// Empty reports whether there is no event.
func (q *Queue) Empty() bool { return q.next == len(q.now) && len(q.late) == 0 && q.used == 0 }

// Time returns the time (ps) of the first event; math.MaxInt64 if there is none.
func (q *Queue) Time() int64 {
	switch {
	case q.lateFirst():
		return q.late[0].At
	case q.next < len(q.now):
		return q.now[q.next].At
	case q.used != 0:
		return q.first[bits.TrailingZeros64(q.used)]
	}
	return math.MaxInt64
}

// lateFirst reports whether the first event is in late.
func (q *Queue) lateFirst() bool {
	return len(q.late) > 0 && (q.next == len(q.now) || q.late[0].precedes(&q.now[q.next]))
}

// Push adds an event. Its time must not be before that of the last event popped.
func (q *Queue) Push(e Event) {
	if e.At > q.instant {
		q.add(e)
		return
	}
	if n := len(q.now); n == 0 || !e.precedes(&q.now[n-1]) {
		q.now = append(q.now, e)
		return
	}
	q.late.push(e)
}

// add adds an event to far.
func (q *Queue) add(e Event) {
	i := bits.Len64(uint64(e.At^q.instant)) - 1
	if q.used&(1<<i) == 0 {
		q.used |= 1 << i
		q.first[i] = e.At
	}
	q.first[i] = min(q.first[i], e.At)
	if list := q.far[i]; len(list) == cap(list) && len(list) >= few {
		q.enlarge(&q.far[i])
	}
	q.far[i] = append(q.far[i], e)
}

// enlarge gives a full list the least spare memory that is at least half as large again as its own, if
// there is any.
func (q *Queue) enlarge(list *[]Event) {
	best, least := -1, math.MaxInt
	for i, s := range q.spare {
		if size := cap(s); size >= cap(*list)+cap(*list)/2 && size < least {
			best, least = i, size
		}
	}
	if best >= 0 {
		old := *list
		*list = append(q.spare[best], old...)
		q.spare[best] = old[:0]
	}
}

// save keeps the memory of a list for others, unless it is short. It returns what the list itself
// keeps.
func (q *Queue) save(list []Event) []Event {
	if cap(list) <= few {
		return list[:0]
	}
	q.spare = append(q.spare, list[:0])
	return nil
}

// Pop removes and returns the first event. The queue must not be empty.
func (q *Queue) Pop() Event {
	if q.next == len(q.now) && len(q.late) == 0 {
		q.advance()
	}
	if q.lateFirst() {
		return q.late.pop()
	}
	q.next++
	return q.now[q.next-1]
}

// Ahead returns an event of the current instant that probably is the one after n others; nil if it is
// not known.
func (q *Queue) Ahead(n int) *Event {
	if q.next+n >= len(q.now) {
		return nil
	}
	return &q.now[q.next+n]
}

// advance moves to the next instant that has events.
func (q *Queue) advance() {
	i := bits.TrailingZeros64(q.used)
	q.used &^= 1 << i
	list := q.far[i]
	q.instant, q.far[i], q.next = q.first[i], q.save(q.now), 0
	n := 0
	for _, e := range list {
		if e.At == q.instant {
			list[n] = e
			n++
		} else {
			q.add(e) // to an element below i
		}
	}
	q.now = list[:n]
	q.sortNow()
}

// heap is a heap of events of one instant. Each node has four children: it has half the height
// of a binary heap, and the four children that are compared are in two cache lines.
type heap []Event

const fanOut = 4

func (h *heap) push(e Event) {
	*h = append(*h, e)
	list, i := *h, len(*h)-1
	for i > 0 {
		up := (i - 1) / fanOut
		if !e.precedes(&list[up]) {
			break
		}
		list[i] = list[up]
		i = up
	}
	list[i] = e
}

// pop removes and returns the first event. The heap must not be empty.
func (h *heap) pop() Event {
	list := *h
	first, last := list[0], len(list)-1
	e := list[last]
	list = list[:last]
	*h = list
	for i := 0; last > 0; {
		below := fanOut*i + 1
		if below >= last {
			list[i] = e
			break
		}
		least := below
		for j := below + 1; j < min(below+fanOut, last); j++ {
			if list[j].precedes(&list[least]) {
				least = j
			}
		}
		if !list[least].precedes(&e) {
			list[i] = e
			break
		}
		list[i] = list[least]
		i = least
	}
	return first
}
