package eventqueue

import (
	"slices"

	"fabricast/internal/snapshot"
)

// State visits the events of the queue (package snapshot), in no order.
func (q *Queue) State(v *snapshot.Visitor) {
	var list []Event
	if !v.Restores() {
		list = slices.Concat(q.now[q.next:], q.late)
		for i := range q.far {
			if q.used&(1<<i) != 0 {
				list = append(list, q.far[i]...)
			}
		}
	}
	instant := q.instant
	snapshot.Value(v, &instant)
	snapshot.List(v, &list)
	if !v.Restores() {
		return
	}
	*q = Queue{instant: instant}
	for _, e := range list {
		q.Push(e)
	}
}
