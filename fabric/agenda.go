package fabric

import "unsafe"

// agenda is the event list of the visited router in the current window, sorted by time and then by
// timer number. An entry is (ps since the window's start) << agendaShift | timer.
type agenda struct {
	entries array[uint64] // the first n are used
	next    uint32        // the first that has not come up yet
	n       uint32
}

const (
	agendaShift = 16
	agendaMask  = 1<<agendaShift - 1
)

// insert adds a timer at its place in the order. Its time must not be before that of the entry
// taken last.
func (a *agenda) insert(since int64, timer uint32) {
	key := uint64(since)<<agendaShift | uint64(timer)
	if a.n == a.entries.n {
		a.makeRoom()
	}
	i := a.n
	a.n = i + 1
	at := a.entries.at(i)
	for ; i > a.next; i-- {
		before := (*uint64)(unsafe.Add(unsafe.Pointer(at), -8))
		if *before <= key {
			break
		}
		*at = *before
		at = before
	}
	*at = key
}

// makeRoom drops the entries already taken. If few were, it also doubles the list.
func (a *agenda) makeRoom() {
	old := unsafe.Slice((*uint64)(a.entries.first), a.entries.n)
	room := old
	if a.next <= a.n/2 {
		room = make([]uint64, max(64, 2*len(old)))
	}
	a.n = uint32(copy(room, old[a.next:a.n]))
	a.next = 0
	a.entries = arrayOf(room)
}
