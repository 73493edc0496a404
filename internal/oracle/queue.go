package oracle

import "container/heap"

// phase orders what happens at the same instant.
type phase int

const (
	// arrivals: heads, tails and credits arrive, ports and buffers are freed,
	// and the endpoint learns what has happened by now.
	arrivals phase = iota
	// moves: packets begin to cross the I/O buses from the NICs to memory.
	moves
	// timers: the hosts wake.
	timers
	// fetches: packets begin to cross the I/O buses from memory to the NICs.
	fetches
	// injections: the NICs inject.
	injections
	// doorTasks: the routers do what there is to do for doors, see fabric.Doors.
	doorTasks
	// passes: the routers arbitrate.
	passes
	// links: the links take packets from the output buffers.
	links
)

// event is an action at an instant.
type event struct {
	time  int64 // ps
	phase phase
	place int    // number of the host, NIC or router
	seq   uint64 // order of creation: events of the same place and phase happen in this order
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
