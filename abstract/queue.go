package abstract

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// event is the arrival of a message at a NIC, or the timer of a host.
type event struct {
	at    int64  // time (ps)
	order uint64 // order at the same instant; timer | number for a host
	id    uint32 // MsgID of the message, or ID of the host
}

// timer is the bit of event.order that is set for timers of hosts and clear for messages.
const timer = 1 << 63

// compare returns a negative number if e comes before f.
func (e *event) compare(f *event) int {
	if e.at != f.at {
		return cmp.Compare(e.at, f.at)
	}
	if e.order != f.order {
		return cmp.Compare(e.order, f.order)
	}
	return cmp.Compare(e.id, f.id)
}

// queue holds the events of a block in order: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, 1990) by
// time. Ranks that communicate in step have many events at the same instant, and the queue sorts
// those only once.
//
// Events at the instant that is being processed are in now, sorted; those that are added meanwhile
// and precede others there are in late. Later events are in far, by the highest bit in which
// their time differs from the instant.
type queue struct {
	instant int64 // ps
	now     []event
	next    int // place in now of the first event that has not been taken
	late    heap
	far     [64][]event
	first   [64]int64 // ps: earliest time in each element of far; undefined if that is empty
	used    uint64    // bits of the elements of far that are not empty
}

// empty reports whether there is no event.
func (q *queue) empty() bool { return q.next == len(q.now) && len(q.late) == 0 && q.used == 0 }

// time returns the time (ps) of the first event; math.MaxInt64 if there is none.
func (q *queue) time() int64 {
	switch {
	case q.lateFirst():
		return q.late[0].at
	case q.next < len(q.now):
		return q.now[q.next].at
	case q.used != 0:
		return q.first[bits.TrailingZeros64(q.used)]
	}
	return math.MaxInt64
}

// lateFirst reports whether the first event is in late.
func (q *queue) lateFirst() bool {
	return len(q.late) > 0 && (q.next == len(q.now) || q.late[0].compare(&q.now[q.next]) < 0)
}

// push adds an event.
func (q *queue) push(e event) {
	if e.at > q.instant {
		q.add(e)
		return
	}
	if n := len(q.now); n == 0 || q.now[n-1].compare(&e) <= 0 {
		q.now = append(q.now, e)
		return
	}
	q.late.push(e)
}

// add adds an event to far.
func (q *queue) add(e event) {
	i := bits.Len64(uint64(e.at^q.instant)) - 1
	if q.used&(1<<i) == 0 {
		q.used |= 1 << i
		q.first[i] = e.at
	}
	q.first[i] = min(q.first[i], e.at)
	q.far[i] = append(q.far[i], e)
}

// pop removes and returns the first event. The queue must not be empty.
func (q *queue) pop() event {
	if q.next == len(q.now) && len(q.late) == 0 {
		q.advance()
	}
	if q.lateFirst() {
		return q.late.pop()
	}
	q.next++
	return q.now[q.next-1]
}

// ahead returns an event of the current instant that probably is the one after n others; nil if it is
// not known.
func (q *queue) ahead(n int) *event {
	if q.next+n >= len(q.now) {
		return nil
	}
	return &q.now[q.next+n]
}

// advance moves to the next instant that has events.
func (q *queue) advance() {
	i := bits.TrailingZeros64(q.used)
	q.used &^= 1 << i
	list := q.far[i]
	q.far[i] = list[:0] // what follows adds only to elements below i
	q.instant, q.now, q.next = q.first[i], q.now[:0], 0
	for _, e := range list {
		if e.at == q.instant {
			q.now = append(q.now, e)
		} else {
			q.add(e)
		}
	}
	slices.SortFunc(q.now, func(e, f event) int { return e.compare(&f) })
}

// heap is a heap of events. Each node has four children: it has half the height
// of a binary heap, and the four children that are compared are in two cache lines.
type heap []event

const fanOut = 4

func (h *heap) push(e event) {
	*h = append(*h, e)
	list, i := *h, len(*h)-1
	for i > 0 {
		up := (i - 1) / fanOut
		if e.compare(&list[up]) >= 0 {
			break
		}
		list[i] = list[up]
		i = up
	}
	list[i] = e
}

// pop removes and returns the first event. The heap must not be empty.
func (h *heap) pop() event {
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
			if list[j].compare(&list[least]) < 0 {
				least = j
			}
		}
		if list[least].compare(&e) >= 0 {
			list[i] = e
			break
		}
		list[i] = list[least]
		i = least
	}
	return first
}
