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
	// InOrder: messages for a host come into memory in the order in which they are announced,
	// because the host has one NIC and messages do not overtake one another.
	InOrder bool
	Events  core.Pool[Event]
	Now     int64   // ps: the time of the latest Wake
	Waking  int32   // the host being woken, whose timer is set when its Wake returns; or Nobody
	Due     []int64 // ps, by slot: when the rank must be woken; only if the outbox is used
}

// Nobody is a host ID that no host has.
const Nobody int32 = -1

// setTimer sets the host's timer to its next event. During a wake it does nothing, because the
// timer is set at the end of the wake.
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

// DueAlone returns the time (ps) at which a rank that is alone on its host must be woken next.
func (s *Schedule) DueAlone(r *core.Rank) int64 {
	if r.State == model.Paused { // arrivals before that time are handled then
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

// LooksAgain returns the time (ps) at which the rank's Test or Iprobe ends with a negative result.
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

// Refresh records the time at which a rank that shares its host must be woken next.
func (s *Schedule) Refresh(r *core.Rank, slot int32) {
	at := s.First(r)
	if r.AsksForPresent() {
		at = min(at, s.LooksAgain(r))
	}
	s.Due[slot] = at
}

// hostDue returns the time (ps) of the next event at a host.
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

// Rouse ends the repeated polling of a rank (see Ops.Patience) because something has arrived for
// it.
func (s *Schedule) Rouse(r *core.Rank) {
	if r.Patience <= 0 || !r.AsksForPresent() {
		return
	}
	r.Patience = -1
	s.setTimer(r)
}

// SleepShared is like Sleep for a host whose messages wait in the outbox.
func (s *Schedule) SleepShared(host int32) {
	s.Waking = Nobody
	if s.Turns.Used() {
		s.SetTimerInTurn(host)
	} else if at := s.hostDue(host); at != fabric.Forever {
		s.Transport.SetTimer(host, at)
	}
}

// setHostTimer sets the timer of a host that is not being woken to its next event.
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

// State saves or restores the events of the block's hosts.
func (s *Schedule) State(v *snapshot.Visitor) {
	s.Events.State(v)
	snapshot.Value(v, &s.Now)
	snapshot.Values(v, s.Due)
	s.Waking = Nobody
}

// looks returns the duration (ps) of 2^doublings polls that cost `cost` ps each, or of fewer polls
// if that would exceed longestPatience.
func looks(cost int64, doublings int32) int64 {
	if most := max(1, longestPatience/cost); most < 1<<doublings {
		return most * cost
	}
	return cost << doublings
}

// longestPatience is the maximum time (ps) for which a rank polls, unless Endless.
const longestPatience = 1_000_000_000

// Endless is the number of doublings that makes a Test or Iprobe wait without limit for an arrival.
// So a run in which nothing can arrive any more ends.
const Endless = 50
