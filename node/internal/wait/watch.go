package wait

import (
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/schedule"
)

// A rank with many open requests watches them instead of passing them to every wait: each request
// is reported to the rank as it completes, at a cost that does not depend on the number of open
// requests.
//
// The watched requests of a rank whose completion times are known are in a heap, in the order of
// WaitAny: by time, receives before sends, then in the order of the Watch calls.

// Watcher is the state of one rank's watched requests.
type Watcher struct {
	alarm  int64  // ps: latest wake that has been scheduled for the rank's heap
	Root   uint32 // root of the heap; 0 if it is empty
	Open   uint32 // number of watched requests whose completion time is not known
	Orders uint32 // number of requests that have been watched (wraps around)
}

// watched is a watched request. Once its completion time is known, it is an element of a pairing
// heap (Fredman, Sedgewick, Sleator and Tarjan, 1986). It is small, because ranks that execute tasks
// watch many requests; the time is in the request.
type watched struct {
	next  uint32 // next sibling in the heap; also used by the pool
	child uint32 // first child in the heap
	ID    uint32 // the request's ID
	Word  uint32 // chosen by the program
	Order uint32
}

// before reports whether w completes before v.
func (h *Watching) before(w, v *watched) bool {
	p, q := h.Requests.Of(w.ID), h.Requests.Of(v.ID)
	switch {
	case p.Done != q.Done:
		return p.Done < q.Done
	case p.Send() != q.Send():
		return q.Send()
	}
	return int32(w.Order-v.Order) < 0
}

// Empty reports whether no request is watched.
func (w *Watcher) Empty() bool { return w.Root == 0 && w.Open == 0 }

// Watching holds the requests of a block's ranks whose completion is to be reported.
type Watching struct {
	Requests *core.Requests
	Watchers []Watcher // by slot; nil if no request has ever been watched
	Watched  core.Pool[watched]
}

// Reported adds a watched request whose completion time is known to its rank's heap.
func (h *Watching) Reported(q *core.RequestState) {
	w := &h.Watchers[q.Slot()]
	w.Open--
	w.Root = h.meld(w.Root, q.Chain)
}

// first returns the time (ps) of the first completion in a rank's heap.
func (h *Watching) first(w *Watcher) int64 { return h.Requests.Of(h.Watched.At(w.Root).ID).Done }

// take removes and returns the first completion in the heap of the rank in a slot, if it is no
// later than time `at` (ps).
func (h *Watching) take(slot int32, at int64) (first watched, ok bool) {
	if h.Watchers == nil {
		return first, false
	}
	w := &h.Watchers[slot]
	if w.Root == 0 || h.first(w) > at {
		return first, false
	}
	index := w.Root
	first = *h.Watched.At(index)
	w.Root = h.meldAll(first.child)
	h.Watched.Release(index)
	return first, true
}

// alarm returns the time (ps) at which the rank must be woken for its first completion, if that is
// in the future. ok is false if there is none, or if that wake has already been scheduled.
func (h *Watching) alarm(slot int32, now int64) (at int64, ok bool) {
	if h.Watchers == nil {
		return 0, false
	}
	w := &h.Watchers[slot]
	if w.Root == 0 {
		return 0, false
	}
	at = h.first(w)
	if w.alarm > now && at >= w.alarm {
		return 0, false
	}
	w.alarm = at
	return at, true
}

// meld merges two heaps and returns the new root.
func (h *Watching) meld(i, j uint32) uint32 {
	if i == 0 || j == 0 {
		return i | j
	}
	p, q := h.Watched.At(i), h.Watched.At(j)
	if h.before(q, p) {
		i, j, p, q = j, i, q, p
	}
	q.next, p.child = p.child, j
	return i
}

// meldAll merges the heaps of a list of siblings: first in pairs from front to back, then the pairs
// from back to front.
func (h *Watching) meldAll(first uint32) (root uint32) {
	pairs := uint32(0)
	for first != 0 {
		i := first
		j := h.Watched.At(i).next
		first = 0
		if j != 0 {
			first = h.Watched.At(j).next
			h.Watched.At(j).next = 0
		}
		h.Watched.At(i).next = 0
		pair := h.meld(i, j)
		h.Watched.At(pair).next, pairs = pairs, pair
	}
	for pairs != 0 {
		i := pairs
		pairs = h.Watched.At(i).next
		h.Watched.At(i).next = 0
		root = h.meld(root, i)
	}
	return root
}

// NextDone charges the rank for the first of its watched requests, if that has completed by time
// `at` (ps), and reports whether it has.
func (w *Waiter) NextDone(r *core.Rank, slot int32, at int64) bool {
	e, ok := w.Watching.take(slot, at)
	if !ok {
		return false
	}
	w.Requests.Of(e.ID).Chain = 0
	w.Logs.WaitedFor(r, e.ID)
	w.Account(r, e.ID)
	w.Requests.Release(e.ID)
	w.Outcome.Word = e.Word
	return true
}

// WaitNextDone ends a WaitNext if a watched request is complete. Otherwise it makes sure that the
// rank is woken at the earliest known completion.
func (w *Waiter) WaitNextDone(r *core.Rank) bool {
	slot := w.World.Slot(r.ID)
	if w.NextDone(r, slot, w.Processors.Present(r)) {
		r.State = model.Sync
		return true
	}
	if at, ok := w.Watching.alarm(slot, w.Schedule.Now); ok {
		w.Schedule.Add(r, schedule.Event{At: at, Kind: schedule.Recheck})
	}
	return false
}

// TestNextDone ends a TestNext if a watched request is known to have completed before the rank's
// clock.
func (w *Waiter) TestNextDone(r *core.Rank) bool {
	if !w.NextDone(r, w.World.Slot(r.ID), min(w.Schedule.Now, r.Clock-1)) {
		return false
	}
	r.State, w.Outcome.Flag = model.Sync, true
	return true
}

// State saves or restores the requests that ranks watch.
func (h *Watching) State(v *snapshot.Visitor) {
	snapshot.List(v, &h.Watchers)
	if len(h.Watchers) == 0 {
		h.Watchers = nil
	}
	h.Watched.State(v)
}
