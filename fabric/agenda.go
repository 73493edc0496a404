package fabric

// agenda is the list of timers of one router that fall into the current
// window, sorted by time and then by timer number. An entry is
// time since the window's start << agendaShift | timer.
type agenda struct {
	entries []uint64
	next    int
}

const agendaShift = 16

func (a *agenda) reset() {
	a.entries = a.entries[:0]
	a.next = 0
}

// insert adds a timer; it may be earlier than others that have not come up yet, but not
// than the one that came up last.
func (a *agenda) insert(since int64, timer uint32) {
	key := uint64(since)<<agendaShift | uint64(timer)
	a.entries = append(a.entries, key)
	i := len(a.entries) - 1
	for i > a.next && a.entries[i-1] > key {
		a.entries[i] = a.entries[i-1]
		i--
	}
	a.entries[i] = key
}
