package schedule

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Schedule holds the future events of a block's hosts: events and arrivals, linked from the ranks'
// records, and the timers by which the fabric wakes the hosts for them.
type Schedule struct {
	World     *core.Shared
	Transport fabric.Transport
	Clocks    *Clocks
	Outbox    *Outbox
	Turns     *Turns
	Ranks     []core.Rank // by slot
	// each message for a host is in memory after those announced before it: the host has one NIC, and
	// messages do not overtake one another
	InOrder bool
	Events  core.Pool[Event]
	Now     int64   // ps: the time of the latest Wake
	Waking  int32   // the host whose timer is set when its Wake returns, or nobody
	Due     []int64 // ps, by slot: when a rank needs to be woken; only if the outbox is used
}

// Nobody is a host number that no host has.
const Nobody int32 = -1

// setTimer sets the host's timer to its next event. During a wake it does nothing, because the end
// of the wake sets the timer.
func (s *Schedule) setTimer(r *core.Rank) {
	switch {
	case s.Outbox.Used():
		s.Refresh(r, s.World.Slot(r.ID))
		if s.Waking != r.Host {
			s.setHostTimer(r.Host)
		}
	case s.Waking != r.Host:
		s.Transport.SetTimer(r.Host, s.DueAlone(r))
	}
}

// DueAlone returns when a rank that is alone on its host must be woken next (ps).
func (s *Schedule) DueAlone(r *core.Rank) int64 {
	if r.State == model.Paused { // what arrives until then waits
		return r.Clock
	}
	at := s.First(r)
	if r.Arrivals != 0 {
		at = min(at, r.ArrivesAt)
	}
	if r.AsksForPresent() {
		at = min(at, s.LooksAgain(r))
	}
	return at
}

// LooksAgain returns when the rank's Test or Iprobe ends with the answer no (ps).
func (s *Schedule) LooksAgain(r *core.Rank) int64 {
	if r.State == model.TestNext {
		return r.Clock
	}
	if r.Patience <= 0 {
		return r.Clock + 1
	}
	if r.Patience >= Endless {
		return fabric.Forever
	}
	return r.Clock + looks(s.Clocks.PollCost(), r.Patience)
}

// Refresh records when a rank that shares its host must be woken next.
func (s *Schedule) Refresh(r *core.Rank, slot int32) {
	at := s.First(r)
	if r.AsksForPresent() {
		at = min(at, s.LooksAgain(r))
	}
	s.Due[slot] = at
}

// hostDue returns when anything is due next at a host (ps).
func (s *Schedule) hostDue(host int32) int64 {
	first, end := s.World.Slots(host)
	at := int64(fabric.Forever)
	if keeper := &s.Ranks[first]; keeper.Arrivals != 0 {
		at = keeper.ArrivesAt
	}
	for slot := first; slot < end; slot++ {
		at = min(at, s.Due[slot], s.Outbox.Boxes[slot].post)
	}
	return at
}

// Rouse ends the patience of a rank for which something has arrived.
func (s *Schedule) Rouse(r *core.Rank) {
	if r.Patience <= 0 || !r.AsksForPresent() {
		return
	}
	r.Patience = -1
	s.setTimer(r)
}

// SleepShared does what sleep does, for a host whose messages wait in the outbox.
func (s *Schedule) SleepShared(host int32) {
	s.Waking = Nobody
	if s.Turns.Used() {
		s.SetTimerInTurn(host)
	} else if at := s.hostDue(host); at != fabric.Forever {
		s.Transport.SetTimer(host, at)
	}
}

// setHostTimer sets the timer of a host that is not awake to its next event.
func (s *Schedule) setHostTimer(host int32) {
	if s.Turns.Used() {
		s.SetTimerInTurn(host)
		return
	}
	s.Transport.SetTimer(host, s.hostDue(host))
}

// Sleep sets the host's timer for its next wake, if its rank needs one.
func (s *Schedule) Sleep(host int32, r *core.Rank) {
	s.Waking = Nobody
	if at := s.DueAlone(r); at != fabric.Forever {
		s.Transport.SetTimer(host, at)
	}
}

// State goes over the events of the block's hosts.
func (s *Schedule) State(v *snapshot.Visitor) {
	s.Events.State(v)
	snapshot.Value(v, &s.Now)
	snapshot.Values(v, s.Due)
	s.Waking = Nobody
}

// looks returns the time (ps) of 2^doublings polls of a cost (ps), or of fewer polls if that is
// longer than longestPatience.
func looks(cost int64, doublings int32) int64 {
	if most := max(1, longestPatience/cost); most < 1<<doublings {
		return most * cost
	}
	return cost << doublings
}

// longestPatience is the longest time that a rank polls (ps), unless Endless.
const longestPatience = 1_000_000_000

// Endless is the number of doublings that makes a Test or Iprobe wait for an arrival for the rank
// without limit, so that a run in which nothing can arrive any more ends.
const Endless = 50
