package fabric

// agenda is the list of what the visited router has to do, sorted by time and
// then by timer number. An entry is time since the window's start << agendaShift | timer;
// entries after the window's end are kept until the visit ends.
type agenda struct {
	entries []uint64 // room for every timer; the first n are used
	next    int      // the first that has not come up yet
	n       int
	end     uint64 // entries from here on lie after the window
}

const (
	agendaShift = 16
	agendaMask  = 1<<agendaShift - 1
)

// insert adds a timer; it may be earlier than others that have not come up yet,
// but not than the one that came up last.
func (a *agenda) insert(since int64, timer uint32) {
	key := uint64(since)<<agendaShift | uint64(timer)
	i := a.n
	if i == len(a.entries) {
		a.entries = append(a.entries, 0)
	}
	a.n = i + 1
	for ; i > a.next && a.entries[i-1] > key; i-- {
		a.entries[i] = a.entries[i-1]
	}
	a.entries[i] = key
}
