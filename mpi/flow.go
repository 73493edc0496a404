package mpi

import "fabricast/node"

// Flows executes calls of ranks in the background, for programs that implement [node.Program]
// themselves: a call that has to wait does not block its rank. The requests that a call starts are
// watched (see node.Ops.Watch), and the program resumes the call when all of them are complete.
//
// One Flows serves all ranks of a block, of which only one runs at a time.
type Flows struct {
	rank   Rank // the rank that runs now
	cursor cursor
}

// Flow is a call in progress in the background, such as a collective. The zero Flow has not begun.
type Flow struct {
	done    uint32 // its operations that have been emitted
	pending uint32 // its requests that are not complete
	emitted bool   // all of its operations have been emitted
	paused  bool   // it stopped because no more operations fit
}

// NewFlows makes a Flows for a world with the given number of ranks.
func NewFlows(ranks int) *Flows {
	f := &Flows{}
	f.rank.Comm = Comm{rank: &f.rank, group: &group{context: node.WorldContext, size: ranks}}
	return f
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
// of operations. word identifies the flow when its requests complete (see node.Ops.Watch).
func (f *Flows) Resume(ops *node.Ops, flow *Flow, word uint32, do func(r *Rank)) {
	r := f.Rank(ops)
	f.cursor = cursor{done: int(flow.done), flow: flow, word: word}
	r.cursor = &f.cursor
	do(r)
	r.cursor = nil
	flow.done, flow.emitted = uint32(f.cursor.done), f.cursor.at <= f.cursor.done
	flow.paused = f.cursor.paused
}

// Completed reports to the flow that one of its requests is complete.
func (f *Flow) Completed() { f.pending-- }

// Waits reports whether the flow waits for requests. A flow that neither waits nor has ended has
// more operations than fit.
func (f *Flow) Waits() bool { return f.pending > 0 && !f.paused }

// Ended reports whether the call has returned.
func (f *Flow) Ended() bool { return f.emitted && f.pending == 0 }

// started handles a request that has just been started. In a flow it watches the request and
// returns a zero Request; else it returns q.
func (r *Rank) started(q Request) Request {
	if r.cursor == nil || r.cursor.flow == nil {
		return q
	}
	r.cursor.watch(r.ops, q)
	return Request{}
}

// watch makes the flow wait for a request.
func (c *cursor) watch(ops *node.Ops, q Request) {
	if isReceive(q) || !ops.Settle(q) {
		ops.Watch(q, c.word)
		c.flow.pending++
	}
}

// isReceive reports whether a request is that of a receive.
func isReceive(q Request) bool { return q.ID&1 != 0 }

// flows reports whether the rank is in a flow. If so, it makes the flow wait for all requests that
// it has started.
func (r *Rank) flows() bool {
	c := r.cursor
	if c == nil || c.flow == nil {
		return false
	}
	if c.flow.pending > 0 {
		c.waits = true
	}
	return true
}
