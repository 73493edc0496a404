package eventqueue

import (
	"math/bits"
	"slices"

	"fabricast/internal/snapshot"
)

// State visits the events of the queue (package snapshot), in no order.
func (q *Queue) State(v *snapshot.Visitor) {
	var list []Event
	if !v.Restores() {
		list = slices.Concat(q.now[q.next:], q.late)
		list = q.far.appendAll(list)
	}
	snapshot.List(v, &list)
	if !v.Restores() {
		return
	}
	*q = Queue{}
	for _, e := range list {
		q.Push(e)
	}
}

// appendAll appends all events.
func (f *far) appendAll(list []Event) []Event {
	for used := f.used; used != 0; used &= used - 1 {
		for _, events := range f.lists[bits.TrailingZeros32(used)] {
			list = append(list, events...)
		}
	}
	return list
}
