package stage

import (
	"slices"

	"fabricast/fabric/internal/core"
)

// eventList is the event list of the active router's own timers (without hosts and NICs) in the
// current window, sorted by time and then by timer index. In contrast to a plain core.EventList, it
// can be filled unsorted and then sorted.
type eventList struct{ core.EventList }

// Never is later than any time since a window's start.
const Never = 1<<(64-core.EventShift) - 1

// manyDue is the number of timers from which on one sort is faster than inserting them one by one.
const manyDue = 32

// add appends a timer out of order. The caller must call sort before it reads the list.
func (l *eventList) add(since int64, timer uint32) {
	if l.N == l.Entries.N {
		l.MakeRoom()
	}
	*l.Entries.At(l.N) = uint64(since)<<core.EventShift | uint64(timer)
	l.N++
}

// sort sorts the timers.
func (l *eventList) sort() { slices.Sort(l.Entries.Slice(0, l.N)) }

// Upcoming returns the time of the first entry (ps since the window's start), or Never if the list
// is empty.
func (l *eventList) Upcoming() uint64 {
	if l.Next == l.N {
		return Never
	}
	return *l.Entries.At(l.Next) >> core.EventShift
}

// First returns the timer of the first entry. The list must not be empty.
func (l *eventList) First() uint32 { return uint32(*l.Entries.At(l.Next) & core.EventMask) }

// Second returns the time of the second entry (ps since the window's start), or Never if there is
// none.
func (l *eventList) Second() uint64 {
	if l.Next+1 == l.N {
		return Never
	}
	return *l.Entries.At(l.Next + 1) >> core.EventShift
}

// Take removes the first entry if its time is `since` (ps since the window's start), and returns
// its timer.
func (l *eventList) Take(since uint64) (timer uint32, ok bool) {
	if l.Next == l.N {
		return 0, false
	}
	key := *l.Entries.At(l.Next)
	if key>>core.EventShift != since {
		return 0, false
	}
	l.Next++
	return uint32(key & core.EventMask), true
}
