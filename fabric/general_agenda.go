package fabric

import "slices"

// dueList is what the visited router itself, not its hosts and NICs, has to do in the
// current window, in order of time and then of timers: an agenda that is mostly filled at once.
type dueList struct{ agenda }

// never is later than all times since a window's start.
const never = 1<<(64-agendaShift) - 1

// manyDue is from how many timers on it is better to sort them all than to put one after the other in order.
const manyDue = 32

// add adds a timer at the end, whatever the order: sort has to follow.
func (l *dueList) add(since int64, timer uint32) {
	if l.n == l.entries.n {
		l.makeRoom()
	}
	*l.entries.at(l.n) = uint64(since)<<agendaShift | uint64(timer)
	l.n++
}

// sort puts all timers in order.
func (l *dueList) sort() { slices.Sort(l.entries.slice(0, l.n)) }

// upcoming is the time since the window's start of the first entry; never if there is none.
func (l *dueList) upcoming() uint64 {
	if l.next == l.n {
		return never
	}
	return *l.entries.at(l.next) >> agendaShift
}

// first is the timer of the first entry, which there must be.
func (l *dueList) first() uint32 { return uint32(*l.entries.at(l.next) & agendaMask) }

// second is upcoming for the entry after the first one.
func (l *dueList) second() uint64 {
	if l.next+1 == l.n {
		return never
	}
	return *l.entries.at(l.next + 1) >> agendaShift
}

// take removes the first entry, if it is at a time, and returns its timer.
func (l *dueList) take(since uint64) (timer uint32, ok bool) {
	if l.next == l.n {
		return 0, false
	}
	key := *l.entries.at(l.next)
	if key>>agendaShift != since {
		return 0, false
	}
	l.next++
	return uint32(key & agendaMask), true
}
