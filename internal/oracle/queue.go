package oracle

import "container/heap"

// phase is the order of events at the same instant.
type phase int

const (
	// arrivals: heads, tails and credits arrive, ports and buffers are freed, and the endpoint is
	// notified of past events.
	arrivals phase = iota
	// moves: packets start to cross the I/O buses from the NICs to memory.
	moves
	// timers: hosts wake.
	timers
	// fetches: packets start to cross the I/O buses from memory to the NICs.
	fetches
	// injections: NICs inject packets.
	injections
	// doorTasks: routers do their work for doors (see fabric.Doors).
	doorTasks
	// passes: routers arbitrate.
	passes
	// links: links take packets from output buffers.
	links
)

// event is an action at an instant.
type event struct {
	time  int64 // when it happens (ps)
	phase phase
	place int    // ID of the host, NIC or router
	seq   uint64 // order of creation: events of the same place and phase occur in this order
	do    func()
}

func (e *event) before(f *event) bool {
	switch {
	case e.time != f.time:
		return e.time < f.time
	case e.phase != f.phase:
		return e.phase < f.phase
	case e.place != f.place:
		return e.place < f.place
	}
	return e.seq < f.seq
}

// queue is the global event queue.
type queue struct {
	heap eventHeap
	made uint64
}

func (q *queue) add(time int64, ph phase, place int, do func()) {
	q.made++
	heap.Push(&q.heap, &event{time, ph, place, q.made, do})
}

func (q *queue) empty() bool { return len(q.heap) == 0 }

func (q *queue) next() *event { return heap.Pop(&q.heap).(*event) }

type eventHeap []*event

func (h eventHeap) Len() int           { return len(h) }
func (h eventHeap) Less(i, j int) bool { return h[i].before(h[j]) }
func (h eventHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)        { *h = append(*h, x.(*event)) }
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return e
}
