package node

import (
	"iter"
	"slices"

	"fabricast/internal/cluster"
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/deadlock"
	"fabricast/node/internal/model"
	"fabricast/node/internal/onesided"
)

// unanswered holds the requests of blocked ranks that have arrived at another rank and are pending
// there.
type unanswered struct {
	sends map[core.SendOf]core.UnmetSend
	locks map[core.SendOf]onesided.AwaitedLock
	watch map[int32][]uint32
}

// Deadlock returns a *DeadlockError that explains why ranks are blocked, or nil if all ranks have
// ended. It must be called when no event is left.
func (w *World) Deadlock() error {
	e := &deadlock.DeadlockError{Ranks: len(w.shared.HostOf)}
	open := unanswered{w.unmetSends(), w.awaitedLocks(), w.openWatches()}
	if w.others != nil {
		open.share(w.others)
		w.shareWaits(open)
	}
	for id := range w.shared.HostOf {
		clock, state, explain, found := w.stand(int32(id), open)
		e.Since = max(e.Since, units.Time(clock))
		switch {
		case !found:
		case state == model.Exit:
			e.Finished++
		case w.stoppedFor(int32(id), state):
			if e.Stopped++; len(e.StoppedRanks) < deadlock.MaxWaits {
				e.StoppedRanks = append(e.StoppedRanks, id)
			}
		default:
			e.Blocked++
			if len(e.Waits) < deadlock.MaxWaits {
				e.Waits = append(e.Waits, explain())
			}
		}
	}
	if e.Blocked+e.Stopped == 0 {
		return nil
	}
	e.Cycle = w.cycle(open)
	return e
}

// stand returns the clock of a rank (ps), its state, and a function that explains what it waits
// for. found is false if this process does not run the rank.
func (w *World) stand(id int32, open unanswered) (clock int64, state model.Kind, explain func() deadlock.Wait, found bool) {
	if w.others != nil {
		x, found := w.others.waits[id]
		return x.Clock, x.State, func() deadlock.Wait { return x.Wait }, found
	}
	b, r := w.locate(id)
	if r == nil {
		return 0, model.Sync, nil, false
	}
	return r.Clock, r.State, func() deadlock.Wait { return b.explain(r, open) }, true
}

// locate returns a rank and its block; nil if no block of this process has the rank.
func (w *World) locate(id int32) (*Block, *core.Rank) {
	slot := w.shared.Slot(id)
	for _, b := range w.blocks.all() {
		if int(slot) < len(b.ranks) && b.ranks[slot].ID == id {
			return b, &b.ranks[slot]
		}
	}
	return nil, nil
}

// explain returns what a blocked rank waits for.
func (b *Block) explain(r *core.Rank, open unanswered) deadlock.Wait {
	wait := deadlock.Wait{Rank: int(r.ID), Time: units.Time(r.Clock), In: r.State}
	if p, ok := b.programs.running[b.shared.Slot(r.ID)].(Doer); ok {
		wait.Doing = p.Doing()
	}
	context := int32(0)
	if r.State == model.Probe || r.State == model.Iprobe {
		wait.For, context = model.Probe, r.Probe
		wait.Source, wait.Tag = int(r.Message.Source), int(r.Message.Tag)
	}
	for id := range b.waitedFor(r, open.watch) {
		q := b.requests.Of(id)
		switch {
		case q.Complete():
		case wait.For != model.Sync:
			wait.More++
		default:
			wait.For = q.Kind()
			if wait.For == model.Recv {
				q := b.requests.Receives.At(core.IndexOf(id))
				context, wait.Source, wait.Tag = q.Context, int(q.Source), int(q.Tag)
			} else if s, unmet := open.sends[core.SendOf{Rank: r.ID, Request: id}]; unmet {
				wait.Rendezvous = true
				context, wait.Source, wait.Tag = s.Context, int(s.To), int(s.Tag)
			} else if l, awaited := open.locks[core.SendOf{Rank: r.ID, Request: id}]; awaited {
				wait.Lock = true
				wait.Source, wait.Of = int(l.Holder), int(l.Of)
			}
		}
	}
	b.world.translate(&wait, context)
	return wait
}

// waitedFor yields the requests that a blocked rank waits for, and those that it watches.
func (b *Block) waitedFor(r *core.Rank, watched map[int32][]uint32) iter.Seq[uint32] {
	if r.State == model.WaitNext {
		return slices.Values(watched[r.ID])
	}
	return func(yield func(uint32) bool) {
		for id := r.Chain; id != 0 && yield(id); {
			id = b.requests.Of(id).Chain
		}
	}
}

// translate converts the source of a wait from a rank of the context's communicator to a world
// rank.
func (w *World) translate(wait *deadlock.Wait, context int32) {
	wait.Collective = context%core.ContextsOfEach == core.Collectives
	wait.Put = core.OfPuts(context)
	wait.Group = len(w.RanksOf(context))
	if wait.Group == 0 {
		wait.Group = len(w.shared.HostOf)
	}
	if wait.ForRank() {
		if !wait.Rendezvous && !wait.Lock {
			wait.Source = int(w.shared.Communicators.WorldRank(context, int32(wait.Source)))
		}
		if _, r := w.locate(int32(wait.Source)); r != nil {
			wait.Ended, wait.Stopped = r.State == model.Exit, w.stoppedFor(r.ID, r.State)
		}
	}
}

// next returns the rank that a blocked rank waits for first; -1 if it waits for no specific rank.
func (w *World) next(id int32, open unanswered) int32 {
	_, state, explain, found := w.stand(id, open)
	if !found || state == model.Exit || state == model.Failed || w.stoppedFor(id, state) {
		return -1
	}
	wait := explain()
	if !wait.ForRank() {
		return -1
	}
	return int32(wait.Source)
}

// cycle returns ranks that form a cyclic wait: each waits for the next. It searches from the lowest
// rank upwards.
func (w *World) cycle(open unanswered) []int {
	// by rank: 1 + the start of the search that has visited it
	seen := make([]int32, len(w.shared.HostOf))
	for start := range w.shared.HostOf {
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

// unmetSends returns the sends that have been announced to the receiver but not matched. No block
// may be running.
func (w *World) unmetSends() map[core.SendOf]core.UnmetSend {
	found := map[core.SendOf]core.UnmetSend{}
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			for id := range b.matching.UnexpectedOf(&b.ranks[i]) {
				u := b.matching.Unexpected.At(id)
				if u.Asks() {
					found[b.rendezvous.AskedBy(u)] = core.UnmetSend{To: b.ranks[i].ID, Tag: u.Tag, Context: u.Context}
				}
			}
		}
	}
	return found
}

// awaitedLocks returns the locks that have been requested but not granted, by request. No block may
// be running.
func (w *World) awaitedLocks() map[core.SendOf]onesided.AwaitedLock {
	found := map[core.SendOf]onesided.AwaitedLock{}
	for _, b := range w.blocks.all() {
		for slot, regions := range b.rma.Regions {
			for _, g := range regions {
				if g != nil {
					b.rma.Await(found, b.ranks[slot].ID, &g.Lock)
				}
			}
		}
	}
	return found
}

// blockedRank is a rank that has not ended, in the explanation of a deadlock, or a rank that has
// ended.
type blockedRank struct {
	Rank  int32
	Clock int64
	State model.Kind
	Wait  deadlock.Wait
}

// blockedRanks returns what the ranks of this process wait for.
func (w *World) blockedRanks(open unanswered) (list []blockedRank) {
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			r := &b.ranks[i]
			x := blockedRank{Rank: r.ID, Clock: r.Clock, State: r.State}
			if r.State != model.Exit && r.State != model.Failed {
				x.Wait = b.explain(r, open)
			}
			list = append(list, x)
		}
	}
	return list
}

// openRequests is the form in which unanswered is sent to other processes.
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
func (u *unanswered) share(e *others) {
	var own openRequests
	for k, s := range u.sends {
		own.Sends = append(own.Sends, openSend{k.Rank, k.Request, s.To, s.Tag, s.Context})
	}
	for k, l := range u.locks {
		own.Locks = append(own.Locks, openLock{k.Rank, k.Request, l.Of, l.Holder})
	}
	for _, of := range cluster.GatherValues(e.group, own) {
		for _, s := range of.Sends {
			u.sends[core.SendOf{Rank: s.Rank, Request: s.Request}] = core.UnmetSend{To: s.To, Tag: s.Tag, Context: s.Context}
		}
		for _, l := range of.Locks {
			u.locks[core.SendOf{Rank: l.Rank, Request: l.Request}] = onesided.AwaitedLock{Of: l.Of, Holder: l.Holder}
		}
	}
}

// shareWaits makes the waits of all ranks known to all processes.
func (w *World) shareWaits(open unanswered) {
	e := w.others
	e.waits = make(map[int32]blockedRank)
	for _, of := range cluster.GatherValues(e.group, w.blockedRanks(open)) {
		for _, x := range of {
			e.waits[x.Rank] = x
		}
	}
	for id, x := range e.waits {
		if x.Wait.ForRank() {
			state := e.waits[int32(x.Wait.Source)].State
			x.Wait.Ended, x.Wait.Stopped = state == model.Exit, w.stoppedFor(int32(x.Wait.Source), state)
			e.waits[id] = x
		}
	}
}
