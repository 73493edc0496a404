package node

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"fabricast/internal/histogram"
	"fabricast/internal/snapshot"
)

// Stateful is a Program whose state is a few numbers, so that it can be saved in the middle of a
// run and restored, also in a program made anew for the same rank.
type Stateful interface {
	Program
	// State goes over all that changes while the program runs.
	State(v *snapshot.Visitor)
}

// Finisher is a Program that leaves something behind for others when it ends. Finish is called, in
// place of all else, on a program made anew for a rank that had ended when a run goes on from a
// file.
type Finisher interface {
	Program
	Finish() error
}

// Placed is a Program that has to know its world before it goes on from a file.
type Placed interface {
	Program
	Restored(w *World)
}

// State goes over all that changes in the block during a run. The network's block calls it. No
// window may be under way, and Saveable must have returned nil at the beginning of the run.
func (b *Block) State(v *snapshot.Visitor) {
	snapshot.Values(v, b.ranks)
	b.requests.state(v)
	b.stats.state(v)
	snapshot.Values(v, b.times.by)
	snapshot.Values(v, b.outbox.boxes)
	b.schedule.state(v)
	b.programs.state(v, b)
	b.matching.unexpected.state(v)
	b.matching.tables.state(v)
	b.order.state(v)
	b.watching.state(v)
	snapshot.Values(v, b.processors.free)
	snapshot.List(v, &b.rendezvous.postings)
	snapshot.Value(v, &b.rendezvous.posts)
	snapshot.Values(v, b.peers.known)
	snapshot.Values(v, b.peers.count)
	b.rma.puts.state(v)
	b.rma.sums.state(v)
	if b.journal != nil {
		b.rma.locksState(v)
	}
	if err := b.unsaved(); err != nil && !v.Restores() {
		v.Fail(err)
	}
}

// unsaved returns what has come into the block's state that no walk goes over; nil if nothing has.
func (b *Block) unsaved() error {
	switch {
	case len(b.outbox.replies) > 0:
		return errors.New("a NIC has not handed over its answers")
	case b.journal != nil: // which tells of all else
	case len(b.requests.buffers.chunks) > 0:
		return errors.New("messages have contents")
	case b.rma.regions != nil:
		return errors.New("memory is open to other ranks")
	}
	return nil
}

// ErrStacks is why the state of a world whose programs are not Stateful can only be saved with a
// journal.
var ErrStacks = errors.New("its ranks keep their state on stacks or elsewhere, not in a few numbers")

// Saveable returns why the state of a world cannot be saved and restored; nil if it can. To find out
// it makes the program of a rank that is never run. Call it before the first window.
func (w *World) Saveable() error {
	if len(w.contexts.ranks) > 1 {
		return errors.New("ranks are in communicators that a program has made")
	}
	for _, b := range w.blocks.all() {
		switch {
		case b.logs.by != nil:
			return errors.New("what ranks do is logged")
		case b.clocks.tracer != nil || b.stats.tracer != nil:
			return errors.New("what ranks do is recorded")
		}
	}
	program := w.launch(len(w.hostOf))(0)
	if s, ok := program.(Stopper); ok {
		defer s.Stop()
	}
	if _, ok := program.(Stateful); !ok {
		return ErrStacks
	}
	return nil
}

// moves reports whether ranks can go on in another process: their state can be saved, and they leave
// nothing behind. The answer is that of the first call.
func (w *World) moves() bool {
	w.moving.once.Do(func() {
		program := w.launch(len(w.hostOf))(0)
		if s, ok := program.(Stopper); ok {
			defer s.Stop()
		}
		_, leaves := program.(Finisher)
		w.moving.can = !leaves && w.lasting == nil && w.Saveable() == nil
	})
	return w.moving.can
}

// state goes over the programs of the block's ranks.
func (p *programs) state(v *snapshot.Visitor, b *Block) {
	for slot := range p.running {
		r := &b.ranks[slot]
		runs := v.Flag(p.running[slot] != nil)
		if b.journal != nil {
			if runs != (p.running[slot] != nil) {
				v.Fail(errJournal)
			}
			continue
		}
		if !runs {
			p.running[slot] = nil
			if v.Fresh() && r.state == Exit {
				p.finishAgain(v, r)
			}
			continue
		}
		if p.running[slot] == nil {
			p.running[slot] = p.start(int(r.id))
		}
		s, ok := p.running[slot].(Stateful)
		if !ok {
			v.Fail(fmt.Errorf("programs of the type %T keep state of their own", p.running[slot]))
			return
		}
		s.State(v)
		if placed, ok := s.(Placed); ok && v.Fresh() {
			placed.Restored(p.world)
		}
	}
	finished := p.finished.Load()
	snapshot.Value(v, &finished)
	p.finished.Store(finished)
}

// finishAgain leaves behind what the program of a rank has left that had ended before the run went
// on.
func (p *programs) finishAgain(v *snapshot.Visitor, r *rank) {
	if f, ok := p.start(int(r.id)).(Finisher); ok {
		if err := f.Finish(); err != nil {
			v.Fail(err)
		}
	}
}

// state goes over the requests of the block's ranks.
func (p *requests) state(v *snapshot.Visitor) {
	p.sends.state(v)
	p.receives.state(v)
	p.wides.state(v)
}

// state goes over the matching queues that are not in their ranks' records.
func (t *tables) state(v *snapshot.Visitor) {
	n := v.Length(len(t.chunks))
	t.chunks = slices.Grow(t.chunks[:min(n, len(t.chunks))], max(0, n-len(t.chunks)))[:n]
	for i := range t.chunks {
		snapshot.List(v, &t.chunks[i])
	}
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
}

// state goes over the events of the block's hosts.
func (s *schedule) state(v *snapshot.Visitor) {
	s.events.state(v)
	snapshot.Value(v, &s.now)
	snapshot.Values(v, s.due)
	s.waking = nobody
}

// state goes over what has been counted of messages.
func (t *tally) state(v *snapshot.Visitor) {
	snapshot.Value(v, &t.messages)
	snapshot.Value(v, &t.bytes)
	snapshot.Value(v, &t.looks)
	snapshot.Value(v, &t.hash)
	sizes := t.latency.sizes[:]
	histogram.StateOf(v, &sizes)
	histogram.StateOf(v, &t.latency.distances)
	t.told.Store(t.messages)
}

// state goes over the requests that ranks watch.
func (h *watching) state(v *snapshot.Visitor) {
	snapshot.List(v, &h.watchers)
	if len(h.watchers) == 0 {
		h.watchers = nil
	}
	h.watched.state(v)
}

// state goes over the numbers of messages between two ranks.
func (o *order) state(v *snapshot.Visitor) {
	stateOf(v, &o.counts, o.sent)
	stateOf(v, &o.counts, o.taken)
	stateOf(v, &o.waits, o.early)
}

// numbered is an element of a map.
type numbered[K comparable, V any] struct {
	Key   K
	Value V
}

// raw returns the bytes of a value without pointers.
func raw[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// stateOf goes over a map, by way of a list in an order that does not depend on how the map came
// about.
func stateOf[K comparable, V any](v *snapshot.Visitor, list *[]numbered[K, V], m map[K]V) {
	*list = (*list)[:0]
	if !v.Restores() {
		for key, value := range m {
			*list = append(*list, numbered[K, V]{key, value})
		}
		slices.SortFunc(
			*list, func(a, b numbered[K, V]) int { return bytes.Compare(raw(&a.Key), raw(&b.Key)) },
		)
	}
	snapshot.List(v, list)
	if v.Restores() {
		clear(m)
		for _, e := range *list {
			m[e.Key] = e.Value
		}
	}
}
