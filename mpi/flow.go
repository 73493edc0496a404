package mpi

import (
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// Flows executes calls of ranks in the background, for programs that implement [node.Program]
// themselves: a call that has to wait does not block its rank. Such a call is a [Flow]. The
// requests that it starts are watched (see node.Ops.Watch), under words that have the bit OfFlow
// set. The program passes these words to Completed, and resumes the flow once it no longer waits.
//
// One Flows serves all ranks of a partition block. Only one of these ranks runs at a time.
type Flows struct {
	rank   Rank // the rank that runs at present
	cursor cursor
	open   []flowRequest // incomplete requests of all flows, by ID; ID 0 means none
	free   uint32        // ID of the first unused entry of open; 0 if there is none
}

// OfFlow is the bit that is set in the words of watched requests that flows have started.
const OfFlow = 1 << 30

// flowRequest is an incomplete request of a flow.
type flowRequest struct {
	// IDs of its neighbors among the flow's requests, in program order; next of an unused entry is
	// the next unused one
	next, prev uint32
	word       uint32 // identifies the flow
	at         int    // index in the flow of the operation that started the request
	awaited    bool   // the flow waits for it
}

// Flow is a call in progress in the background, such as a collective. The zero Flow has not
// started.
type Flow struct {
	done        uint32 // number of its operations that have been emitted
	waiting     uint32 // number of requests that it waits for
	first, last uint32 // IDs of its first and last incomplete request
	emitted     bool   // all of its operations have been emitted
	paused      bool   // it has stopped because there is no capacity for more operations
}

// NewFlows makes a Flows for a world with the given number of ranks.
func NewFlows(ranks int) *Flows {
	f := &Flows{open: make([]flowRequest, 1)}
	f.rank.Comm = Comm{rank: &f.rank, group: &group{context: node.WorldContext, size: ranks}}
	return f
}

// State saves or restores the requests of all flows. The Flow values are saved by their owners.
func (f *Flows) State(v *snapshot.Visitor) {
	snapshot.List(v, &f.open)
	snapshot.Value(v, &f.free)
}

// Rank returns the rank that emits into ops. Calls on the returned rank must not block.
func (f *Flows) Rank(ops *node.Ops) *Rank {
	f.rank.ops, f.rank.me, f.rank.cursor = ops, int32(ops.Rank()), nil
	return &f.rank
}

// Ready is the free capacity for operations (see node.Ops.Fits) that Resume requires.
const Ready = blockingOps + longest

// Resume continues the call of a flow until it has to wait. do makes the call; Resume may run it
// any number of times, and it must make the same calls each time. The restrictions of [Loop] apply,
// except for the limit on operations. word identifies the flow and must be less than OfFlow (see
// Owner).
func (f *Flows) Resume(ops *node.Ops, flow *Flow, word uint32, do func(r *Rank)) {
	r := f.Rank(ops)
	f.cursor = cursor{done: int(flow.done), flows: f, flow: flow, word: word, request: flow.first}
	r.cursor = &f.cursor
	do(r)
	r.cursor = nil
	flow.done, flow.emitted = uint32(f.cursor.done), f.cursor.at <= f.cursor.done
	flow.paused = f.cursor.paused
}

// Owner returns the word of the flow that has started a request. word is the word under which the
// request is watched; it has the bit OfFlow set.
func (f *Flows) Owner(word uint32) uint32 { return f.open[word&^OfFlow].word }

// Completed notifies a flow that one of its requests is complete. word is the word under which the
// request is watched.
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
// been paused because there was no capacity for its operations.
func (f *Flow) Waits() bool { return !f.paused && (f.waiting > 0 || f.emitted && f.first != 0) }

// Ended reports whether the call has returned and all of its requests are complete.
func (f *Flow) Ended() bool { return f.emitted && f.first == 0 }

// started handles a request that has just been started. In a flow it watches the request, and
// returns the request's ID within Flows, or a zero Request if it is already complete. Outside of a
// flow it returns q.
func (r *Rank) started(q Request) Request {
	if c := r.cursor; c != nil && c.flow != nil {
		return c.watch(r.ops, q)
	}
	return q
}

// watch adds q to the flow's incomplete requests and returns its ID within Flows; a zero Request if
// q is a send that is already complete.
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

// pastOfFlow returns the request that the current, skipped operation of a flow started when it was
// emitted; a zero Request if the request is complete.
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

// flows reports whether the rank executes a flow. If so, the flow waits for the given requests,
// which it has started.
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
