package wait

import (
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/match"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/schedule"
)

// Waiter decides what ends the waits of a block's ranks, and charges the ranks.
type Waiter struct {
	World      *core.Shared
	Requests   *core.Requests
	Matching   *match.Matcher
	Clocks     *schedule.Clocks
	Schedule   *schedule.Schedule
	Processors *schedule.Processors
	Watching   *Watching
	Times      *observe.WaitTimes
	Logs       *observe.Logs
	Outcome    outcome // result of the latest wait of the running program
}

// outcome is the result of the operation that a program has waited for.
type outcome struct {
	Completed model.Request // of a WaitAny, a Test or a TestAny
	Flag      bool          // of a Test, TestAny, TestNext or Iprobe: the result
	Word      uint32        // of a WaitNext or a TestNext
	Roused    bool          // a Test or Iprobe has ended early
}

// Settle charges the rank for a request of its WaitAll, once the completion time is known.
//
// Receives are charged one by one in the order of arrival. Those that are complete when the wait
// starts have arrived before the others. Sends only delay the end of the wait, so only the latest
// of them counts.
func (w *Waiter) Settle(r *core.Rank, id uint32, q *core.RequestState) {
	if !q.Send() {
		w.SettleReceive(r, core.IndexOf(id), w.Requests.Receives.At(core.IndexOf(id)))
		return
	}
	if q.Done > r.SendsDone {
		r.SendsDone = q.Done
		if w.Clocks.Tracer != nil {
			w.Clocks.Tracer.Delays(q.Slot(), id, q.Done)
		}
	}
	if core.IsReceiveID(id) {
		r.Message = model.Envelope{Size: units.Bytes(w.Requests.Size(w.Requests.Receives.At(core.IndexOf(id))))}
	}
}

// SettleReceive charges the rank for a completed receive.
func (w *Waiter) SettleReceive(r *core.Rank, index uint32, q *core.ReceiveState) {
	if w.Logs.By != nil {
		w.Logs.Received(r, q, w.Requests.Size(q))
	}
	// the processor model has charged the receive
	taken := w.Processors.TakePart() && q.Owner&core.IsAccess == 0 && !core.OfPuts(q.Context)
	if w.Clocks.Tracer != nil && !taken {
		w.Clocks.Tracer.Receives(q)
	}
	w.Clocks.Tracer.Completes(core.ReceiveID(index), q.Done)
	if since := r.Clock; q.Done > since {
		w.Clocks.Advance(r, q.Done)
		if w.Times.By != nil {
			w.Times.Divide(r, since, w.Requests.Size(q))
		}
	}
	if taken {
		r.Message = w.Requests.Envelope(q)
		return
	}
	// puts are not copied
	copied := w.World.Spec.OneCopy != q.Otherwise() && !core.OfPuts(q.Context)
	w.Clocks.Charge(r, w.Clocks.CallCost(q.Context, q.Tag, w.Requests.Size(q), copied))
	r.Message = w.Requests.Envelope(q)
}

// On blocks the rank on the requests ids, and marks them.
func (w *Waiter) On(r *core.Rank, state model.Kind, ids []uint32) {
	r.State = state
	r.Chain = 0
	for i := len(ids) - 1; i >= 0; i-- {
		w.Requests.Of(ids[i]).Chain = r.Chain
		r.Chain = ids[i]
	}
}

// end clears the list of requests that the rank waited for.
func (w *Waiter) end(r *core.Rank) {
	r.State = model.Sync
	for id := r.Chain; id != 0; {
		q := w.Requests.Of(id)
		q.Owner &^= core.IsWaited
		id, q.Chain = q.Chain, 0
	}
	r.Chain = 0
}

// BeginWaitAll starts a WaitAll for ids, the requests that were not settled when the program called
// it.
func (w *Waiter) BeginWaitAll(r *core.Rank, ids []uint32) bool {
	left, end := int32(0), &r.Chain
	for _, id := range ids {
		q := w.Requests.Of(id)
		switch {
		case q.Foreseen(r):
			w.Schedule.Add(r, schedule.Event{At: q.Done, Kind: schedule.Foreseen, Ref: core.IndexOf(id)})
		case q.Complete(): // operations that have just been executed may have completed it
			w.Settle(r, id, q)
			w.Requests.Release(id)
			continue
		}
		left++
		*end, end = id, &q.Chain
	}
	*end = 0
	r.State, r.Waiting = model.WaitAll, left
	return w.waitAllDone(r)
}

// waitAllDone ends a WaitAll if all of its requests are settled. It returns false if some are not.
func (w *Waiter) waitAllDone(r *core.Rank) bool {
	if r.Waiting > 0 || w.Processors.TakePart() && w.Processors.StillSending(r) {
		return false
	}
	w.finish(r)
	if w.Clocks.Tracer != nil {
		w.Clocks.Tracer.SendsComplete(w.World.Slot(r.ID))
	}
	w.Clocks.Advance(r, r.SendsDone)
	return true
}

// finish frees the requests that a WaitAll waited for.
func (w *Waiter) finish(r *core.Rank) {
	r.State = model.Sync
	for id := r.Chain; id != 0; {
		index := core.IndexOf(id)
		if core.IsReceiveID(id) {
			q := w.Requests.Receives.At(index)
			id = q.Chain
			w.Requests.ReleaseReceive(index, q)
		} else {
			q := w.Requests.Sends.At(index)
			id = q.Chain
			w.Requests.Sends.Put(index, q)
		}
	}
	r.Chain = 0
}

// BeginWaitAny starts a WaitAny for the requests ids. The wait ends no later than the first completion
// that is known. An event for each would stay in the rank's list beyond the wait: threads that wait in
// turn for many timers would pass many times as many events.
func (w *Waiter) BeginWaitAny(r *core.Rank, ids []uint32) bool {
	w.On(r, model.WaitAny, ids)
	if w.waitAnyDone(r) {
		return true
	}
	first := int64(fabric.Forever)
	for _, id := range ids {
		if q := w.Requests.Of(id); q.Complete() {
			first = min(first, q.Done)
		}
	}
	if first < fabric.Forever {
		w.Schedule.Add(r, schedule.Event{At: first, Kind: schedule.Recheck})
	}
	return false
}

// firstDone returns the request that completed first, no later than time `at` (ps), among those
// that the rank waits for; 0 if none has completed. Of simultaneous completions, receives precede
// sends, and then the order in the program's list decides.
func (w *Waiter) firstDone(r *core.Rank, at int64) (first uint32) {
	for id := r.Chain; id != 0; id = w.Requests.Of(id).Chain {
		q := w.Requests.Of(id)
		if q.Complete() && q.Done <= at && (first == 0 || q.CompletesBefore(w.Requests.Of(first))) {
			first = id
		}
	}
	return first
}

// waitAnyDone ends a WaitAny if one of its requests is complete.
func (w *Waiter) waitAnyDone(r *core.Rank) bool {
	first := w.firstDone(r, w.Processors.Present(r))
	if first == 0 {
		return false
	}
	w.end(r)
	w.Outcome.Completed = model.Request{ID: first}
	w.Logs.WaitedFor(r, first)
	w.Account(r, first)
	return true
}

// Account charges the rank for a single completed request.
func (w *Waiter) Account(r *core.Rank, id uint32) {
	if q := w.Requests.Of(id); q.Send() {
		w.Clocks.Tracer.Completes(id, q.Done)
		w.Clocks.Advance(r, q.Done)
	} else {
		w.SettleReceive(r, core.IndexOf(id), w.Requests.Receives.At(core.IndexOf(id)))
	}
}

// TestDone ends a Test if one of its requests has completed by the rank's clock.
func (w *Waiter) TestDone(r *core.Rank) bool {
	first := w.firstDone(r, r.Clock)
	if first == 0 {
		return false
	}
	w.end(r)
	w.Outcome.Completed = model.Request{ID: first}
	w.Logs.WaitedFor(r, first)
	w.Account(r, first)
	w.Outcome.Flag = true
	return true
}

// ProbeDone ends a Probe or Iprobe if there is a matching message.
func (w *Waiter) ProbeDone(r *core.Rank) bool {
	id := w.Matching.FindUnexpected(r, core.Key{Rank: w.World.Slot(r.ID), Context: r.Probe, Source: r.Message.Source, Tag: r.Message.Tag})
	if id == 0 {
		return false
	}
	u := w.Matching.Unexpected.At(id)
	w.Outcome.Flag = true
	w.Logs.Probed(r, r.Message)
	r.Message = model.Envelope{Source: u.Source, Tag: u.Tag, Size: units.Bytes(u.Size)}
	w.Clocks.Tracer.Finds(id)
	w.Clocks.Tracer.TakesArriving(u.At)
	w.Clocks.Advance(r, u.At)
	if r.State == model.Iprobe {
		w.Logs.Spent(r, w.Clocks.PollCost()-int64(w.World.Spec.Overhead))
		w.Clocks.Charge(r, w.Clocks.PollCost())
	} else {
		w.Clocks.Charge(r, int64(w.World.Spec.Overhead))
	}
	r.State = model.Sync
	return true
}

// Recheck reports whether a blocked rank can continue now that time has passed.
func (w *Waiter) Recheck(r *core.Rank) bool {
	switch r.State {
	case model.WaitAll:
		return w.waitAllDone(r)
	case model.WaitAny:
		return w.waitAnyDone(r)
	case model.Test:
		if w.TestDone(r) {
			return true
		}
		w.Schedule.Rouse(r)
	case model.WaitNext:
		return w.WaitNextDone(r)
	case model.TestNext:
		return w.TestNextDone(r)
	}
	return false
}

// Completes records the completion time (ps) of a send or a one-sided operation. It reports whether
// the rank waits for it and may be able to continue.
func (w *Waiter) Completes(r *core.Rank, id uint32, q *core.RequestState, at int64) bool {
	q.CompleteAt(at)
	if q.Watched() {
		w.Watching.Reported(q)
		return r.State == model.WaitNext || r.State == model.TestNext
	}
	if !q.Waited() || r.State == model.Sync {
		w.Schedule.Rouse(r)
		return false // the rank is not blocked on it
	}
	if r.State == model.WaitAll {
		w.Settle(r, id, q)
		r.Waiting--
		return r.Waiting == 0
	}
	return true
}

// AnswerNo ends a Test or Iprobe with a negative result, once the host's time has passed the rank's
// clock: messages that have not arrived by then are too late.
func (w *Waiter) AnswerNo(r *core.Rank) {
	if r.State == model.TestNext {
		w.answerNext(r)
		return
	}
	w.end(r)
	cost := w.Clocks.PollCost()
	d := max(1, (w.Schedule.Now-r.Clock+cost-1)/cost) * cost
	w.Logs.Spent(r, d)
	w.Clocks.Tracer.Polls()
	w.Clocks.Charge(r, d)
	w.Outcome.Flag, w.Outcome.Roused = false, r.Patience < 0
	r.Patience = 0
}

// answerNext ends a TestNext once the host's time has reached the rank's clock.
func (w *Waiter) answerNext(r *core.Rank) {
	w.Outcome.Flag = w.NextDone(r, w.World.Slot(r.ID), r.Clock-1)
	r.State = model.Sync
}
