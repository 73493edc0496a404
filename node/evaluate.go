package node

import (
	"cmp"
	"slices"

	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/wait"
)

// evaluate handles the operation for which the program has returned. If the program may continue,
// it returns true, with the outcome in ops; otherwise it blocks the rank.
func (b *Block) evaluate(r *core.Rank) bool {
	o := &b.ops
	switch o.last {
	case model.WaitAll:
		return b.waiting.BeginWaitAll(r, b.ops.waits)
	case model.WaitAny:
		return b.waiting.BeginWaitAny(r, b.ops.waits)
	case model.Test:
		b.waiting.On(r, model.Test, o.waits)
		r.Patience = o.patience
		return b.waiting.TestDone(r)
	case model.WaitNext:
		r.State = model.WaitNext
		return b.waiting.WaitNextDone(r)
	case model.TestNext:
		r.State, r.Patience = model.TestNext, 0
		return b.waiting.TestNextDone(r)
	case model.Probe, model.Iprobe:
		r.Probe, r.Message.Source, r.Message.Tag = o.probe.Context, o.probe.Source, o.probe.Tag
		r.State, r.Patience = o.last, o.patience
		return b.waiting.ProbeDone(r)
	case model.Paused:
		r.State = model.Paused
		return false
	case model.Exit:
		b.end(r)
		return false
	case model.Failed:
		b.failures.Fail(r, r.Clock, o.err)
		return false
	}
	return true
}

// Watch makes WaitNext and TestNext report the request once it is complete. They return `word`,
// which the program chooses, and free the request. No other operation may wait for it.
func (o *Ops) Watch(id model.Request, word uint32) {
	if j := o.journal; j.outermost() {
		j.watch(o, id, word)
		return
	}
	q := o.request(id)
	if q.Owner&(core.IsWaited|core.IsWatched) != 0 {
		panic(core.ErrTwice)
	}
	b := o.block
	if b.watching.Watchers == nil {
		b.watching.Watchers = make([]wait.Watcher, len(b.ranks))
	}
	w := &b.watching.Watchers[o.slot]
	index, e := b.watching.Watched.Alloc()
	e.ID, e.Word, e.Order = id.ID, word, w.Orders
	w.Orders++
	w.Open++
	q.Owner |= core.IsWatched
	q.Chain = index
	if q.Complete() {
		b.watching.Reported(q)
	}
}

// Timer starts a request that completes after d ps of computation. The rank itself continues at
// once.
func (o *Ops) Timer(d int64) model.Request {
	if j := o.journal; j.outermost() {
		return j.timer(o, d)
	}
	o.steps++
	b, r := o.block, o.rank
	index, q := b.requests.Sends.Alloc()
	q.Owner = o.owner(core.IsSend)
	if l := b.logs.Of(o.slot); l != nil {
		l.Timed(model.Request{ID: core.SendID(index)}, d)
	}
	d = b.clocks.Slowed(r.ID, d)
	if b.turns.Used() {
		o.addWork(model.Timed, core.SendID(index), d)
		return model.Request{ID: core.SendID(index)}
	}
	at := r.Clock + d
	if b.clocks.Noise != nil {
		at = b.clocks.Noise.Work(r.ID, r.Clock, d)
	}
	if uint64(at) > core.Latest {
		panic(core.ErrLate)
	}
	r.Counters.Compute += at - r.Clock
	q.CompleteAt(at)
	b.clocks.Tracer.Opened(core.SendID(index), observe.Cause{Kind: observe.CauseTimer, Peer: -1, From: r.Clock})
	return model.Request{ID: core.SendID(index)}
}

// WaitNext waits until one of the watched requests is complete. Word then returns that request's
// word. Of several complete requests it takes the one that completed first. Of receives that
// complete at the same time, a rank that is blocked takes the one whose message arrives first in
// the order of events, which does not depend on the number of workers; a rank that was busy takes
// the one that was watched first. If WaitNext returns false, the outcome is already known. At least
// one request must be watched.
func (o *Ops) WaitNext() (wait bool) {
	if j := o.journal; j.outermost() {
		return j.next(o, journal.CallWaitNext)
	}
	o.steps++
	if len(o.list) == 0 && o.block.waiting.NextDone(o.rank, o.slot, o.block.schedule.Now) {
		return false
	}
	o.last = model.WaitNext
	return true
}

// TestNext tests whether one of the watched requests has completed before the rank's clock. Flag
// then returns the result, and Word the word of the request that completed first. If TestNext
// returns false, the result is already known. The test costs no time. A completion at exactly the
// rank's clock does not count, because whether it were known would depend on the order of
// simultaneous events.
func (o *Ops) TestNext() (wait bool) {
	if j := o.journal; j.outermost() {
		return j.next(o, journal.CallTestNext)
	}
	o.steps++
	o.block.stats.Looks++
	if o.block.watching.Watchers == nil || o.block.watching.Watchers[o.slot].Empty() {
		o.block.waiting.Outcome.Flag = false
		return false
	}
	if len(o.list) == 0 &&
		o.block.waiting.NextDone(o.rank, o.slot, min(o.block.schedule.Now, o.rank.Clock-1)) {
		o.block.waiting.Outcome.Flag = true
		return false
	}
	o.last = model.TestNext
	return true
}

// Word returns the word of the request that ended a WaitNext or TestNext.
func (o *Ops) Word() uint32 {
	word := o.block.waiting.Outcome.Word
	if o.journal != nil {
		return uint32(o.journal.answer(journal.CallWord, int64(word)))
	}
	return word
}

// Patience makes the next Test or Iprobe stand for 2^doublings consecutive polls, but for at most 1
// ms of polling. If something arrives for the rank, the rank is woken at the time of the first poll
// after the arrival.
func (o *Ops) Patience(doublings int32) { o.patience = doublings }

// Roused reports whether a Test or Iprobe with Patience has ended early.
func (o *Ops) Roused() bool {
	roused := o.block.waiting.Outcome.Roused
	if o.journal != nil {
		return o.journal.answer(journal.CallRoused, journal.Truth(roused)) != 0
	}
	return roused
}

// openWatches returns the watched requests whose completion times are not known, by rank, in the
// order of the Watch calls. No block may be running.
func (w *World) openWatches() map[int32][]uint32 {
	open := map[int32][]uint32{}
	for _, b := range w.blocks.all() {
		if b.watching.Watchers == nil {
			continue
		}
		note := func(q *core.RequestState, id uint32) {
			if q.Watched() && !q.Complete() {
				rank := b.ranks[q.Slot()].ID
				open[rank] = append(open[rank], id)
			}
		}
		for i := range b.requests.Sends.Size() {
			note(b.requests.Sends.At(i), core.SendID(i))
		}
		for i := range b.requests.Receives.Size() {
			note(&b.requests.Receives.At(i).RequestState, core.ReceiveID(i))
		}
		for i := range b.ranks {
			order := func(id uint32) uint32 { return b.watching.Watched.At(b.requests.Of(id).Chain).Order }
			slices.SortFunc(
				open[b.ranks[i].ID],
				func(x, y uint32) int { return cmp.Compare(order(x), order(y)) },
			)
		}
	}
	return open
}

// A rank that need not wait runs ahead of its host's time: it posts messages and receives for times
// far in the future, and all of them take memory until then. So a program may pause, and continue
// when its host's time has reached the rank's clock. This changes no prediction: the clock stands
// still meanwhile, and messages that arrive before then match the same receives, whether these are
// posted before or after.

const (
	// mostEmitted is the number of operations that a rank emits ahead of its host's time before it
	// pauses. A lower number would take less memory, but each pause costs a wake.
	mostEmitted = 4
	// farAhead is how far (ps) the rank's clock must be ahead of the host's time before the rank
	// pauses.
	farAhead = 100_000
)

// Pause reports whether the program must return from Resume now, because its rank is far ahead of
// its host's time. The program is resumed later. A program that calls Pause must not depend on the
// order in which its receives complete. REQUIRES: the program has started no wait since it was
// resumed.
func (o *Ops) Pause() bool {
	b := o.block
	if b.matchesAhead {
		o.rank.Shapes |= core.IsPatient
	}
	if len(o.list) < mostEmitted || !b.pauses || o.journal != nil || o.rank.Clock <= b.schedule.Now+farAhead ||
		b.watching.Watchers != nil {
		return false
	}
	o.last = model.Paused
	return true
}

// continuePaused resumes a paused rank if the host's time has reached its clock. It reports whether
// it has done so.
func (b *Block) continuePaused(r *core.Rank, slot int32, now int64) bool {
	if r.State != model.Paused || r.Clock > now {
		return false
	}
	r.State = model.Sync
	b.run(r, slot)
	return true
}
