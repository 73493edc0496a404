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

// precedes reports whether e comes before f.
func (e *Event) precedes(f *Event) bool {
	if e.At != f.At {
		return e.At < f.At
	}
	return e.Order < f.Order || e.Order == f.Order && e.ID < f.ID
}

// Queue holds events in order: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, 1990) by digits of the
// time, in base 64. Models that do much in step have many events at the same instant, and the queue
// sorts those only once. Where few events are close together, it sorts them without looking at
// further digits. The zero value is an empty queue.
//
// Events before the time until are in now, sorted, or in late, if they were added after now had been
// sorted and precede others there. Later events are in far.
type Queue struct {
	until int64 // ps
	now   []Event
	next  int // place in now of the first event that has not been taken
	late  heap
	far   far
	spare spare
}

// few is the number of events up to which those of different instants are sorted together.
const few = 48

// Empty reports whether there is no event.
func (q *Queue) Empty() bool { return q.next == len(q.now) && len(q.late) == 0 && q.far.used == 0 }

// Time returns the time (ps) of the first event; math.MaxInt64 if there is none.
func (q *Queue) Time() int64 {
	switch {
	case q.lateFirst():
		return q.late[0].At
	case q.next < len(q.now):
		return q.now[q.next].At
	case q.far.used != 0:
		return q.far.earliest()
	}
	return math.MaxInt64
}

// lateFirst reports whether the first event is in late.
func (q *Queue) lateFirst() bool {
	return len(q.late) > 0 && (q.next == len(q.now) || q.late[0].precedes(&q.now[q.next]))
}

// Push adds an event. Its time must not be before that of the last event popped.
func (q *Queue) Push(e Event) {
	if e.At >= q.until {
		q.far.add(e, &q.spare)
		return
	}
	if n := len(q.now); n == 0 || !e.precedes(&q.now[n-1]) {
		q.now = q.spare.append(q.now, e)
		return
	}
	q.late.push(e)
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

// Ahead returns an event that probably is the one after n others; nil if it is not known.
func (q *Queue) Ahead(n int) *Event {
	if q.next+n >= len(q.now) {
		return nil
	}
	return &q.now[q.next+n]
}

// advance moves the first events of far, which must not be empty, to now.
func (q *Queue) advance() {
	q.spare.give(q.now)
	for {
		list := q.far.take()
		first, last := span(list)
		q.far.base = first
		if first == last || len(list) <= few {
			q.now, q.next, q.until = list, 0, last+1
			q.sortNow()
			return
		}
		for _, e := range list {
			q.far.add(e, &q.spare)
		}
		q.spare.give(list)
	}
}

// span returns the first and the last time (ps) of events.
func span(list []Event) (first, last int64) {
	first, last = list[0].At, list[0].At
	for i := 1; i < len(list); i++ {
		first, last = min(first, list[i].At), max(last, list[i].At)
	}
	return first, last
}

// digitBits is the number of bits of a digit of a time.
const digitBits = 6

// far holds events by the highest digit in which their time differs from base, and by that digit.
// Events at base itself are with those that differ in the last digit.
type far struct {
	base   int64 // ps; no event is earlier
	lists  [(63 + digitBits - 1) / digitBits][1 << digitBits][]Event
	digits [(63 + digitBits - 1) / digitBits]uint64 // lists that are not empty, of each place
	used   uint32                                   // places with such lists
	// first is the time (ps) of the first event, if known is true.
	first int64
	known bool
}

// add adds an event.
func (f *far) add(e Event, s *spare) {
	place := uint(bits.Len64(uint64(e.At^f.base)|1)-1) / digitBits
	digit := uint64(e.At) >> (digitBits * place) % (1 << digitBits)
	list := &f.lists[place][digit]
	*list = s.append(*list, e)
	f.digits[place] |= 1 << digit
	f.used |= 1 << place
	f.first = min(f.first, e.At)
}

// firstList returns the list that holds the first event. There must be one.
func (f *far) firstList() (place, digit int) {
	place = bits.TrailingZeros32(f.used)
	return place, bits.TrailingZeros64(f.digits[place])
}

// take removes and returns the list that holds the first event.
func (f *far) take() []Event {
	place, digit := f.firstList()
	list := f.lists[place][digit]
	f.lists[place][digit] = nil
	if f.digits[place] &^= 1 << digit; f.digits[place] == 0 {
		f.used &^= 1 << place
	}
	f.known = false
	return list
}

// earliest returns the time (ps) of the first event. There must be one.
func (f *far) earliest() int64 {
	if !f.known {
		place, digit := f.firstList()
		f.first, _ = span(f.lists[place][digit])
		f.known = true
	}
	return f.first
}
