package node

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// schedule holds the future events of a block's hosts: events and arrivals, linked from the ranks'
// records, and the timers by which the fabric wakes the hosts for them.
type schedule struct {
	world     *shared
	transport fabric.Transport
	clocks    *clocks
	outbox    *outbox
	ready     *ready
	ranks     []rank // by slot
	// each message for a host is in memory after those announced before it: the host has one NIC, and
	// messages do not overtake one another
	inOrder bool
	events  pool[event]
	now     int64   // ps: the time of the latest Wake
	waking  int32   // the host whose timer is set when its Wake returns, or nobody
	due     []int64 // ps, by slot: when a rank needs to be woken; only if the outbox is used
}

// nobody is a host number that no host has.
const nobody int32 = -1

// setTimer sets the host's timer to its next event. During a wake it does nothing, because the end
// of the wake sets the timer.
func (s *schedule) setTimer(r *rank) {
	switch {
	case s.outbox.used():
		s.refresh(r, s.world.slot(r.id))
		if s.waking != r.host {
			s.setHostTimer(r.host)
		}
	case s.waking != r.host:
		s.transport.SetTimer(r.host, s.dueAlone(r))
	}
}

// dueAlone returns when a rank that is alone on its host must be woken next (ps).
func (s *schedule) dueAlone(r *rank) int64 {
	if r.state == paused { // what arrives until then waits
		return r.clock
	}
	at := s.first(r)
	if r.arrivals != 0 {
		at = min(at, r.arrivesAt)
	}
	if r.asksForPresent() {
		at = min(at, s.looksAgain(r))
	}
	return at
}

// looksAgain returns when the rank's Test or Iprobe ends with the answer no (ps).
func (s *schedule) looksAgain(r *rank) int64 {
	if r.state == TestNext {
		return r.clock
	}
	if r.patience <= 0 {
		return r.clock + 1
	}
	if r.patience >= Endless {
		return fabric.Forever
	}
	return r.clock + looks(s.clocks.pollCost(), r.patience)
}

// refresh records when a rank that shares its host must be woken next.
func (s *schedule) refresh(r *rank, slot int32) {
	at := s.first(r)
	if r.asksForPresent() {
		at = min(at, s.looksAgain(r))
	}
	s.due[slot] = at
}

// hostDue returns when anything is due next at a host (ps).
func (s *schedule) hostDue(host int32) int64 {
	first, end := s.world.slots(host)
	at := int64(fabric.Forever)
	if keeper := &s.ranks[first]; keeper.arrivals != 0 {
		at = keeper.arrivesAt
	}
	for slot := first; slot < end; slot++ {
		at = min(at, s.due[slot], s.outbox.boxes[slot].post)
	}
	return at
}

// rouse ends the patience of a rank for which something has arrived.
func (s *schedule) rouse(r *rank) {
	if r.patience <= 0 || !r.asksForPresent() {
		return
	}
	r.patience = -1
	s.setTimer(r)
}

// sleepShared does what sleep does, for a host whose messages wait in the outbox.
func (s *schedule) sleepShared(host int32) {
	s.waking = nobody
	if s.ready.used() {
		s.setTimerInTurn(host)
	} else if at := s.hostDue(host); at != fabric.Forever {
		s.transport.SetTimer(host, at)
	}
}

// setHostTimer sets the timer of a host that is not awake to its next event.
func (s *schedule) setHostTimer(host int32) {
	if s.ready.used() {
		s.setTimerInTurn(host)
		return
	}
	s.transport.SetTimer(host, s.hostDue(host))
}

// sleep sets the host's timer for its next wake, if its rank needs one.
func (s *schedule) sleep(host int32, r *rank) {
	s.waking = nobody
	if at := s.dueAlone(r); at != fabric.Forever {
		s.transport.SetTimer(host, at)
	}
}

// state goes over the events of the block's hosts.
func (s *schedule) state(v *snapshot.Visitor) {
	s.events.state(v)
	snapshot.Value(v, &s.now)
	snapshot.Values(v, s.due)
	s.waking = nobody
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
