package abstract

// event is the arrival of a message at a NIC, or the timer of a host.
type event struct {
	at    int64  // time (ps)
	order uint64 // order at the same instant; timer | number for a host
	id    uint32 // MsgID of the message, or ID of the host
}

// timer is the bit of event.order that is set for timers of hosts and clear for messages.
const timer = 1 << 63

// before reports whether e comes before f.
func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.order != f.order {
		return e.order < f.order
	}
	return e.id < f.id
}

// queue is a heap of events in which each node has four children. It has half the height of a
// binary heap, and the four children that are compared are in two cache lines.
type queue struct{ list []event }

const fanOut = 4

func (q *queue) push(e event) {
	q.list = append(q.list, e)
	i := len(q.list) - 1
	for i > 0 {
		up := (i - 1) / fanOut
		if !e.before(&q.list[up]) {
			break
		}
		q.list[i] = q.list[up]
		i = up
	}
	q.list[i] = e
}

// pop removes and returns the first event. The queue must not be empty.
func (q *queue) pop() event {
	first, last := q.list[0], len(q.list)-1
	e := q.list[last]
	q.list = q.list[:last]
	for i := 0; last > 0; {
		below := fanOut*i + 1
		if below >= last {
			q.list[i] = e
			break
		}
		least := below
		for j := below + 1; j < min(below+fanOut, last); j++ {
			if q.list[j].before(&q.list[least]) {
				least = j
			}
		}
		if !q.list[least].before(&e) {
			q.list[i] = e
			break
		}
		q.list[i] = q.list[least]
		i = least
	}
	return first
}
