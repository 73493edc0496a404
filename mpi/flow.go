package mpi

import (
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// Flows executes calls of ranks in the background, for programs that implement [node.Program]
// themselves: a call that has to wait does not block its rank. The requests that a call starts are
// watched (see node.Ops.Watch) by words with the bit OfFlow. The program passes these to Completed,
// and resumes the call once it no longer waits.
//
// One Flows serves all ranks of a block, of which only one runs at a time.
type Flows struct {
	rank   Rank // the rank that runs now
	cursor cursor
	open   []flowRequest // requests of all flows that are not complete; number 0 is none
	free   uint32        // the first one that is not used
}

// OfFlow is the bit in the words of watched requests by which those of flows are known.
const OfFlow = 1 << 30

// flowRequest is a request of a flow that is not complete.
type flowRequest struct {
	next, prev uint32 // in the flow, in the order of its operations; the next free one
	word       uint32 // of the flow
	at         int    // the operation that has started it
	awaited    bool   // the flow waits for it
}

// Flow is a call in progress in the background, such as a collective. The zero Flow has not begun.
type Flow struct {
	done        uint32 // its operations that have been emitted
	waiting     uint32 // the requests that it waits for
	first, last uint32 // of its requests that are not complete
	emitted     bool   // all of its operations have been emitted
	paused      bool   // it stopped because no more operations fit
}

// NewFlows makes a Flows for a world with the given number of ranks.
func NewFlows(ranks int) *Flows {
	f := &Flows{open: make([]flowRequest, 1)}
	f.rank.Comm = Comm{rank: &f.rank, group: &group{context: node.WorldContext, size: ranks}}
	return f
}

// State goes over the requests of all flows. Each Flow is a value that its owner saves.
func (f *Flows) State(v *snapshot.Visitor) {
	snapshot.List(v, &f.open)
	snapshot.Value(v, &f.free)
}

// Rank returns the rank that ops belongs to. Its calls must not block.
func (f *Flows) Rank(ops *node.Ops) *Rank {
	f.rank.ops, f.rank.me, f.rank.cursor = ops, int32(ops.Rank()), nil
	return &f.rank
}

// Ready is the number of operations that must still fit (see node.Ops.Fits) before Resume may be
// called.
const Ready = blockingOps + longest

// Resume continues a call until it has to wait. do makes the call; it is run any number of times
// and must make the same calls each time. The restrictions of [Loop] apply, except for the number
// of operations. word, which is below OfFlow, identifies the flow (see Owner).
func (f *Flows) Resume(ops *node.Ops, flow *Flow, word uint32, do func(r *Rank)) {
	r := f.Rank(ops)
	f.cursor = cursor{done: int(flow.done), flows: f, flow: flow, word: word, request: flow.first}
	r.cursor = &f.cursor
	do(r)
	r.cursor = nil
	flow.done, flow.emitted = uint32(f.cursor.done), f.cursor.at <= f.cursor.done
	flow.paused = f.cursor.paused
}

// Owner returns the word of the flow that a watched request with the bit OfFlow belongs to.
func (f *Flows) Owner(word uint32) uint32 { return f.open[word&^OfFlow].word }

// Completed reports to a flow that one of its requests is complete, by the request's word.
func (f *Flows) Completed(flow *Flow, word uint32) {
	id := word &^ OfFlow
	q := f.open[id]
	if q.awaited {
		flow.waiting--
	}
	if q.prev == 0 {
		flow.first = q.next
	} else {
		f.open[q.prev].next = q.next
	}
	if q.next == 0 {
		flow.last = q.prev
	} else {
		f.open[q.next].prev = q.prev
	}
	f.open[id] = flowRequest{next: f.free}
	f.free = id
}

// Waits reports whether the flow waits for requests. A flow that neither waits nor has ended has
// more operations than fit.
func (f *Flow) Waits() bool { return !f.paused && (f.waiting > 0 || f.emitted && f.first != 0) }

// Ended reports whether the call has returned and all of its requests are complete.
func (f *Flow) Ended() bool { return f.emitted && f.first == 0 }

// started handles a request that has just been started. In a flow it watches the request, and
// returns the request's number among those of flows, 0 if it is complete already; else it returns
// q.
func (r *Rank) started(q Request) Request {
	if c := r.cursor; c != nil && c.flow != nil {
		return c.watch(r.ops, q)
	}
	return q
}

// watch adds a request to those of the flow.
func (c *cursor) watch(ops *node.Ops, q Request) Request {
	if !isReceive(q) && ops.Settle(q) {
		return Request{}
	}
	f := c.flows
	id := f.free
	if id == 0 {
		id = uint32(len(f.open))
		f.open = append(f.open, flowRequest{})
	}
	e := &f.open[id]
	f.free = e.next
	*e = flowRequest{prev: c.flow.last, word: c.word, at: c.at}
	if e.prev == 0 {
		c.flow.first = id
	} else {
		f.open[e.prev].next = id
	}
	c.flow.last = id
	ops.Watch(q, OfFlow|id)
	return Request{ID: id}
}

// pastOfFlow returns the request that an operation of the flow has started which is passed in a
// replay; a zero Request if it is complete.
func (c *cursor) pastOfFlow() Request {
	list := c.flows.open
	for c.request != 0 && list[c.request].at < c.at {
		c.request = list[c.request].next
	}
	if c.request == 0 || list[c.request].at != c.at {
		return Request{}
	}
	return Request{ID: c.request}
}

// isReceive reports whether a request is that of a receive.
func isReceive(q Request) bool { return q.ID&1 != 0 }

// flows reports whether the rank is in a flow. If so, it makes the flow wait for requests that it
// has started.
func (r *Rank) flows(requests ...Request) bool {
	c := r.cursor
	if c == nil || c.flow == nil {
		return false
	}
	for _, q := range requests {
		if q.ID != 0 {
			c.flows.open[q.ID].awaited = true
			c.flow.waiting++
		}
	}
	c.waits = c.waits || c.flow.waiting > 0
	return true
}
