package node

import (
	"iter"
	"slices"

	"fabricast/internal/processes"
	"fabricast/internal/units"
)

// unanswered holds the requests of blocked ranks that have reached another rank and wait there.
type unanswered struct {
	sends map[sendOf]unmetSend
	locks map[sendOf]awaitedLock
	watch map[int32][]uint32
}

// Deadlock returns an explanation of what keeps ranks from ending, a *DeadlockError; nil if all
// have ended. Call it when no event is left.
func (w *World) Deadlock() error {
	e := &DeadlockError{Ranks: len(w.shared.hostOf)}
	open := unanswered{w.unmetSends(), w.awaitedLocks(), w.openWatches()}
	if w.elsewhere != nil {
		open.share(w.elsewhere)
		w.shareWaits(open)
	}
	for id := range w.shared.hostOf {
		clock, state, explain, found := w.stand(int32(id), open)
		e.Since = max(e.Since, units.Time(clock))
		switch {
		case !found:
		case state == Exit:
			e.Finished++
		default:
			e.Blocked++
			if len(e.Waits) < maxWaits {
				e.Waits = append(e.Waits, explain())
			}
		}
	}
	if e.Blocked == 0 {
		return nil
	}
	e.Cycle = w.cycle(open)
	return e
}

// stand returns where a rank stands: its clock (ps), its state, and what it waits for. found is
// false if it has no host.
func (w *World) stand(id int32, open unanswered) (clock int64, state Kind, explain func() Wait, found bool) {
	if w.elsewhere != nil {
		x, found := w.elsewhere.waits[id]
		return x.Clock, x.State, func() Wait { return x.Wait }, found
	}
	b, r := w.locate(id)
	if r == nil {
		return 0, Sync, nil, false
	}
	return r.clock, r.state, func() Wait { return b.explain(r, open) }, true
}

// locate returns a rank and its block; nil if none of the blocks has it.
func (w *World) locate(id int32) (*Block, *rank) {
	slot := w.shared.slot(id)
	for _, b := range w.blocks.all() {
		if int(slot) < len(b.ranks) && b.ranks[slot].id == id {
			return b, &b.ranks[slot]
		}
	}
	return nil, nil
}

// explain returns what a blocked rank waits for.
func (b *Block) explain(r *rank, open unanswered) Wait {
	wait := Wait{Rank: int(r.id), Time: units.Time(r.clock), In: r.state}
	if p, ok := b.programs.running[b.shared.slot(r.id)].(Doer); ok {
		wait.Doing = p.Doing()
	}
	context := int32(0)
	if r.state == Probe || r.state == Iprobe {
		wait.For, context = Probe, r.probe
		wait.Source, wait.Tag = int(r.message.Source), int(r.message.Tag)
	}
	for id := range b.waitedFor(r, open.watch) {
		q := b.requests.of(id)
		switch {
		case q.complete():
		case wait.For != Sync:
			wait.More++
		default:
			wait.For = q.kind()
			if wait.For == Recv {
				q := b.requests.receives.at(indexOf(id))
				context, wait.Source, wait.Tag = q.context, int(q.source), int(q.tag)
			} else if s, unmet := open.sends[sendOf{r.id, id}]; unmet {
				wait.Rendezvous = true
				context, wait.Source, wait.Tag = s.context, int(s.to), int(s.tag)
			} else if l, awaited := open.locks[sendOf{r.id, id}]; awaited {
				wait.Lock = true
				wait.Source, wait.Of = int(l.holder), int(l.of)
			}
		}
	}
	b.world.translate(&wait, context)
	return wait
}

// waitedFor yields the requests that a blocked rank waits for, and those that it watches.
func (b *Block) waitedFor(r *rank, watched map[int32][]uint32) iter.Seq[uint32] {
	if r.state == WaitNext {
		return slices.Values(watched[r.id])
	}
	return func(yield func(uint32) bool) {
		for id := r.chain; id != 0 && yield(id); {
			id = b.requests.of(id).chain
		}
	}
}

// translate turns a wait's source from the communicator's numbering into the world's.
func (w *World) translate(wait *Wait, context int32) {
	wait.Collective = context%contextsOfEach == Collectives
	wait.Put = ofPuts(context)
	wait.Group = len(w.RanksOf(context))
	if wait.Group == 0 {
		wait.Group = len(w.shared.hostOf)
	}
	if wait.forRank() {
		if !wait.Rendezvous && !wait.Lock {
			wait.Source = int(w.shared.communicators.worldRank(context, int32(wait.Source)))
		}
		_, r := w.locate(int32(wait.Source))
		wait.Ended = r != nil && r.state == Exit
	}
}

// next returns the rank that a blocked rank waits for first; -1 if it waits for no particular one.
func (w *World) next(id int32, open unanswered) int32 {
	_, state, explain, found := w.stand(id, open)
	if !found || state == Exit || state == failed {
		return -1
	}
	wait := explain()
	if !wait.forRank() {
		return -1
	}
	return int32(wait.Source)
}

// cycle returns ranks that wait for one another in a cycle, beginning with the lowest rank that
// leads to one.
func (w *World) cycle(open unanswered) []int {
	seen := make([]int32, len(w.shared.hostOf)) // by rank: the walk that came by, plus 1
	for start := range w.shared.hostOf {
		id := int32(start)
		for id >= 0 && seen[id] == 0 {
			seen[id] = int32(start) + 1
			id = w.next(id, open)
		}
		if id >= 0 && seen[id] == int32(start)+1 {
			cycle := []int{int(id)}
			for at := w.next(id, open); at != id; at = w.next(at, open) {
				cycle = append(cycle, int(at))
			}
			return cycle
		}
	}
	return nil
}

// unmetSends returns the sends whose requests no receive has met. No block may be running.
func (w *World) unmetSends() map[sendOf]unmetSend {
	found := map[sendOf]unmetSend{}
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			for id := range b.matching.unexpectedOf(&b.ranks[i]) {
				u := b.matching.unexpected.at(id)
				if u.asks() {
					found[b.rendezvous.askedBy(u)] = unmetSend{b.ranks[i].id, u.tag, u.context}
				}
			}
		}
	}
	return found
}

// awaitedLocks returns the locks that have been requested and not granted, by request. No block may
// be running.
func (w *World) awaitedLocks() map[sendOf]awaitedLock {
	found := map[sendOf]awaitedLock{}
	for _, b := range w.blocks.all() {
		for slot, regions := range b.rma.regions {
			for _, g := range regions {
				if g != nil {
					b.rma.await(found, b.ranks[slot].id, &g.lock)
				}
			}
		}
	}
	return found
}

// blockedRank is a rank that has not ended, or the end of one, in an explanation of a deadlock.
type blockedRank struct {
	Rank  int32
	Clock int64
	State Kind
	Wait  Wait
}

// blockedRanks returns what the ranks of this process wait for.
func (w *World) blockedRanks(open unanswered) (list []blockedRank) {
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			r := &b.ranks[i]
			x := blockedRank{Rank: r.id, Clock: r.clock, State: r.state}
			if r.state != Exit && r.state != failed {
				x.Wait = b.explain(r, open)
			}
			list = append(list, x)
		}
	}
	return list
}

// openRequests is unanswered in a form for other processes.
type openRequests struct {
	Sends []openSend
	Locks []openLock
}

type openSend struct {
	Rank             int32
	Request          uint32
	To, Tag, Context int32
}

type openLock struct {
	Rank       int32
	Request    uint32
	Of, Holder int32
}

// share adds the unanswered requests of other processes.
func (u *unanswered) share(e *elsewhere) {
	var own openRequests
	for k, s := range u.sends {
		own.Sends = append(own.Sends, openSend{k.rank, k.request, s.to, s.tag, s.context})
	}
	for k, l := range u.locks {
		own.Locks = append(own.Locks, openLock{k.rank, k.request, l.of, l.holder})
	}
	for _, of := range processes.GatherValues(e.group, own) {
		for _, s := range of.Sends {
			u.sends[sendOf{s.Rank, s.Request}] = unmetSend{s.To, s.Tag, s.Context}
		}
		for _, l := range of.Locks {
			u.locks[sendOf{l.Rank, l.Request}] = awaitedLock{l.Of, l.Holder}
		}
	}
}

// shareWaits makes known to all processes what all ranks wait for.
func (w *World) shareWaits(open unanswered) {
	e := w.elsewhere
	e.waits = make(map[int32]blockedRank)
	for _, of := range processes.GatherValues(e.group, w.blockedRanks(open)) {
		for _, x := range of {
			e.waits[x.Rank] = x
		}
	}
	for id, x := range e.waits {
		if x.Wait.forRank() {
			x.Wait.Ended = e.waits[int32(x.Wait.Source)].State == Exit
			e.waits[id] = x
		}
	}
}
