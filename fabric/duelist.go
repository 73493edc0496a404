package fabric

import "slices"

// dueList is the event list of the visited router's own timers (without hosts and NICs) in the
// current window, sorted by time and then by timer number. It is an agenda that is filled all at
// once.
type dueList struct{ agenda }

// never is later than any time since a window's start.
const never = 1<<(64-agendaShift) - 1

// manyDue is the number of timers from which on one sort is faster than insertion one by one.
const manyDue = 32

// add appends a timer out of order. The caller must call sort before it reads the list.
func (l *dueList) add(since int64, timer uint32) {
	if l.n == l.entries.n {
		l.makeRoom()
	}
	*l.entries.at(l.n) = uint64(since)<<agendaShift | uint64(timer)
	l.n++
}

// sort sorts the timers.
func (l *dueList) sort() { slices.Sort(l.entries.slice(0, l.n)) }

// upcoming returns the time of the first entry (ps since the window's start); never if the list is
// empty.
func (l *dueList) upcoming() uint64 {
	if l.next == l.n {
		return never
	}
	return *l.entries.at(l.next) >> agendaShift
}

// first returns the timer of the first entry. The list must not be empty.
func (l *dueList) first() uint32 { return uint32(*l.entries.at(l.next) & agendaMask) }

// second returns the time of the second entry (ps since the window's start); never if there is
// none.
func (l *dueList) second() uint64 {
	if l.next+1 == l.n {
		return never
	}
	return *l.entries.at(l.next + 1) >> agendaShift
}

// take removes the first entry if its time is `since` (ps since the window's start), and returns
// its timer.
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
