package node

import "fabricast/internal/snapshot"

// A rank with many open requests watches them instead of naming them in every wait: each is
// reported to it as it completes, at a cost that does not depend on how many are open.
//
// Watched requests whose completion time is known are in one heap for each rank, in the order of
// WaitAny: by time, receives before sends, then in the order in which the program named them.

// watcher is the state of one rank's watched requests.
type watcher struct {
	alarm  int64  // ps: the latest recheck that is scheduled for the rank's heap
	root   uint32 // of the heap, 0 if it is empty
	open   uint32 // how many are watched whose completion is not known
	orders uint32 // how many have been watched (wraps around)
}

// watched is a watched request: an element of a pairing heap (Fredman, Sedgewick, Sleator and
// Tarjan, 1986) once its completion is known.
type watched struct {
	next  uint32 // sibling in the heap, or the pool's
	child uint32 // the first one
	id    uint32 // of the request
	word  uint32 // the program's
	order uint32
	send  bool
	at    int64 // ps: completion
}

// before reports whether w completes before v.
func (w *watched) before(v *watched) bool {
	switch {
	case w.at != v.at:
		return w.at < v.at
	case w.send != v.send:
		return v.send
	}
	return int32(w.order-v.order) < 0
}

// empty reports whether nothing is watched.
func (w *watcher) empty() bool { return w.root == 0 && w.open == 0 }

// watching holds the watched requests of a block's ranks.
type watching struct {
	watchers []watcher // by slot; nil if nothing has ever been watched
	watched  pool[watched]
}

// reported puts a watched request whose completion time is known into its rank's heap.
func (h *watching) reported(q *request) {
	w := &h.watchers[q.slot()]
	w.open--
	h.watched.at(q.chain).at = q.done
	w.root = h.meld(w.root, q.chain)
}

// take removes and returns the first completion in the heap of the rank in a slot, if it is not
// after the time `at` (ps).
func (h *watching) take(slot int32, at int64) (first watched, ok bool) {
	if h.watchers == nil {
		return first, false
	}
	w := &h.watchers[slot]
	if w.root == 0 || h.watched.at(w.root).at > at {
		return first, false
	}
	index := w.root
	first = *h.watched.at(index)
	w.root = h.meldAll(first.child)
	h.watched.release(index)
	return first, true
}

// alarm returns when the rank must be woken for its first completion, if that is in the future
// (ps). ok is false if there is none, or if that wake is already set.
func (h *watching) alarm(slot int32, now int64) (at int64, ok bool) {
	if h.watchers == nil {
		return 0, false
	}
	w := &h.watchers[slot]
	if w.root == 0 {
		return 0, false
	}
	at = h.watched.at(w.root).at
	if w.alarm > now && at >= w.alarm {
		return 0, false
	}
	w.alarm = at
	return at, true
}

// meld merges two heaps and returns the new root.
func (h *watching) meld(i, j uint32) uint32 {
	if i == 0 || j == 0 {
		return i | j
	}
	p, q := h.watched.at(i), h.watched.at(j)
	if q.before(p) {
		i, j, p, q = j, i, q, p
	}
	q.next, p.child = p.child, j
	return i
}

// meldAll merges the heaps of a list of siblings: first in pairs from the first on, then all pairs
// from the last one back.
func (h *watching) meldAll(first uint32) (root uint32) {
	pairs := uint32(0)
	for first != 0 {
		i := first
		j := h.watched.at(i).next
		first = 0
		if j != 0 {
			first = h.watched.at(j).next
			h.watched.at(j).next = 0
		}
		h.watched.at(i).next = 0
		pair := h.meld(i, j)
		h.watched.at(pair).next, pairs = pairs, pair
	}
	for pairs != 0 {
		i := pairs
		pairs = h.watched.at(i).next
		h.watched.at(i).next = 0
		root = h.meld(root, i)
	}
	return root
}

// nextDone accounts for the first of the rank's watched requests if it has completed by the time
// `at` (ps), and reports whether there was one.
func (w *waiting) nextDone(r *rank, slot int32, at int64) bool {
	e, ok := w.watching.take(slot, at)
	if !ok {
		return false
	}
	w.requests.of(e.id).chain = 0
	w.logs.waitedFor(r, e.id)
	w.account(r, e.id)
	w.requests.release(e.id)
	w.outcome.word = e.word
	return true
}

// waitNextDone ends a WaitNext if a watched request is complete by now. Otherwise it makes sure
// that the rank is woken at the earliest known completion.
func (w *waiting) waitNextDone(r *rank) bool {
	slot := w.world.slot(r.id)
	if w.nextDone(r, slot, w.processors.present(r)) {
		r.state = Sync
		return true
	}
	if at, ok := w.watching.alarm(slot, w.schedule.now); ok {
		w.schedule.add(r, event{at: at, kind: recheck})
	}
	return false
}

// testNextDone ends a TestNext if a watched request is known to have completed before the rank's
// clock.
func (w *waiting) testNextDone(r *rank) bool {
	if !w.nextDone(r, w.world.slot(r.id), min(w.schedule.now, r.clock-1)) {
		return false
	}
	r.state, w.outcome.flag = Sync, true
	return true
}

// state goes over the requests that ranks watch.
func (h *watching) state(v *snapshot.Visitor) {
	snapshot.List(v, &h.watchers)
	if len(h.watchers) == 0 {
		h.watchers = nil
	}
	h.watched.state(v)
}
