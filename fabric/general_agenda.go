package fabric

import "math/bits"

// dueList is what the visited router itself, not its hosts and NICs, has to do in the
// current window, in order of time and then of timers. The window is divided into 64 parts,
// each with a list of its own, so that most of these have one entry.
type dueList struct {
	parts   uint64 // bitmap of those with entries
	shift   uint8  // ps since the window's start >> shift is the part
	length  int64  // ps of the window for which shift is right
	used    uint32
	first   [64]uint32 // entry, of parts that have one
	entries array[dueEntry]
}

// dueEntry is a timer: time since the window's start << agendaShift | timer, and the next
// entry of the part, 0 = none.
type dueEntry struct {
	key  uint64
	next uint32
}

// never is later than all times since a window's start.
const never = 1<<(64-agendaShift) - 1

// begin makes the list fit for windows of a length; it is empty.
func (l *dueList) begin(length int64) {
	l.used = 1
	if l.length != length {
		l.length = length
		l.shift = uint8(max(0, bits.Len64(uint64(length-1))-6))
	}
}

// insert adds a timer.
func (l *dueList) insert(since int64, timer uint32) {
	if l.used >= l.entries.n {
		l.grow()
	}
	id := l.used
	l.used = id + 1
	e := l.entries.at(id)
	e.key = uint64(since)<<agendaShift | uint64(timer)
	part := uint64(since) >> (l.shift & 63) & 63
	if l.parts>>part&1 == 0 {
		l.parts |= 1 << part
		l.first[part] = id
		e.next = 0
		return
	}
	at := &l.first[part]
	for *at != 0 {
		next := l.entries.at(*at)
		if next.key > e.key {
			break
		}
		at = &next.next
	}
	e.next = *at
	*at = id
}

func (l *dueList) grow() {
	entries := make([]dueEntry, max(64, 2*l.entries.n))
	for i := range l.entries.n {
		entries[i] = *l.entries.at(i)
	}
	l.entries = arrayOf(entries)
}

// next is the time since the window's start of the first entry; never if there is none.
func (l *dueList) next() uint64 {
	if l.parts == 0 {
		return never
	}
	return l.entries.at(l.first[bits.TrailingZeros64(l.parts)&63]).key >> agendaShift
}

// take removes the first entry, if it is at a time, and returns its timer.
func (l *dueList) take(since uint64) (timer uint32, ok bool) {
	if l.parts == 0 {
		return 0, false
	}
	part := bits.TrailingZeros64(l.parts) & 63
	e := l.entries.at(l.first[part])
	if e.key>>agendaShift != since {
		return 0, false
	}
	if l.first[part] = e.next; e.next == 0 {
		l.parts &= l.parts - 1
	}
	return uint32(e.key & agendaMask), true
}
