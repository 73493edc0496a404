package nodetest

import "fabricast/fabric"

// kind orders simultaneous events.
type kind uint8

const (
	delivered kind = iota
	fetched
	timer
	posted
)

// entry is a future event.
type entry struct {
	at    int64 // ps
	order int64 // the order in which messages were posted; for delivered: in which NICs started them
	host  int32
	id    fabric.MsgID // for fetched: the request
	kind  kind
}

func (e *entry) before(f *entry) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.kind != f.kind {
		return e.kind < f.kind
	}
	if e.host != f.host {
		return e.host < f.host
	}
	if e.order != f.order {
		return e.order < f.order
	}
	return e.id < f.id
}

// queue is a binary heap.
type queue []entry

func (q *queue) push(e entry) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 && e.before(&h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() entry {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	for i := 0; len(h) > 0; {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if child >= len(h) || !h[child].before(&last) {
			h[i] = last
			break
		}
		h[i] = h[child]
		i = child
	}
	return top
}
