package fabric

import (
	"fabricast/internal/snapshot"
	"math"
	"math/bits"
)

// eventWheel holds a block's timers: the present time, the windows in which routers have timers
// (calendar), the timers due in the coming windows, and the visited router's event list for this
// window (agenda). On the general path the routers' own timers are in a dueWheel instead.
type eventWheel struct {
	calendar calendar
	agenda   agenda // what the router being visited has to do in this window
	now      int64  // ps, of what is being done
	visiting uint32 // number of that router; noRouter between windows
	row      uint32 // first of due for the current window
	// index of the first word of due for the window in which most packets sent in this window
	// arrive
	arrivals     uint32
	lateArrivals uint32 // the same for those sent late

	first   uint32 // router of the block
	words   uint32 // of a window's row of due
	routers array[routerState]
	// by router: its first word in a row of due; empty if that is its number
	firstWords array[uint32]
	lanes      array[lane]  // for their timers
	timers     array[int64] // ps, of hosts and NICs, by routerState.timers
	// bitmap of a router's timers set for a window, by window modulo wheel, then routerState.masks
	due array[uint64]
	// bitmaps of the set timers beyond the first 64 of a router, indexed from routerState.masks
	armed array[uint64]
	doors bool // NICs have timers that may be set again, see Spec.Doors
}

// noRouter is a router number that no router has.
const noRouter = math.MaxUint32

// newEventWheel returns the wheel of a block of `count` routers, the first of which is `first`.
func newEventWheel(l *layout, s *state, first, count uint32) eventWheel {
	return eventWheel{
		calendar: newCalendar(int(count), l.fullWindow), visiting: noRouter,
		first: first, words: l.dueWords, routers: arrayOf(l.routers), firstWords: arrayOf(l.firstWords),
		lanes: s.lanes, timers: s.timers, due: s.due, armed: s.armed, doors: l.spec.Doors != nil,
	}
}

// moveTo makes a window the current one. A packet takes at least `hop` ps for a hop.
func (e *eventWheel) moveTo(window, hop int64) {
	e.calendar.moveTo(window)
	e.row = uint32(window) % wheel * e.words
	arrival := uint32(window) + uint32(e.calendar.ahead(e.calendar.start+hop))
	e.arrivals, e.lateArrivals = arrival%wheel*e.words, (arrival+1)%wheel*e.words
}

// endWindow advances the present time to the end of the window.
func (e *eventWheel) endWindow() {
	e.visiting = noRouter
	e.now = e.calendar.end - 1
}

// gather puts the router's timers of this window on the agenda.
func (e *eventWheel) gather(r *routerState) {
	for w := range uint32(r.words) {
		e.gatherDue(r, w<<6, e.takeDue(r.masks+w))
	}
	if r.far < e.calendar.end {
		e.gatherFar(r)
	}
}

// gatherDue puts timers on the agenda that the wheel keeps for this window, given as a bitmap; the
// first one is number `first`.
func (e *eventWheel) gatherDue(r *routerState, first uint32, due uint64) {
	for m := due; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		if at := *e.timer(r, timer); at < e.calendar.end { // a host's may have been set anew
			e.agenda.insert(at-e.calendar.start, timer)
		}
	}
}

// gatherFar does what gather does for timers that the wheel does not keep by window.
func (e *eventWheel) gatherFar(r *routerState) {
	r.armed, r.far = e.gatherWord(r, 0, r.armed)
	for w := uint32(1); w < uint32(r.words); w++ {
		word, earliest := e.armed.at(r.masks+w), Forever
		*word, earliest = e.gatherWord(r, w<<6, *word)
		r.far = min(r.far, earliest)
	}
}

// gatherWord puts the timers of one word that fall into this window on the agenda; `first` is the
// number of the word's first timer. It returns the remaining ones and the earliest time among them.
func (e *eventWheel) gatherWord(r *routerState, first uint32, timers uint64) (left uint64, earliest int64) {
	left, earliest = timers, Forever
	for m := timers; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		if at := *e.timer(r, timer); at < e.calendar.end {
			e.agenda.insert(at-e.calendar.start, timer)
			left &^= m & -m
		} else {
			earliest = min(earliest, at)
		}
	}
	return left, earliest
}

// timer returns a pointer to the time of a router's timer. Timers of hosts and NICs have the lowest
// numbers.
func (e *eventWheel) timer(r *routerState, timer uint32) *int64 {
	if timer >= uint32(r.first) {
		return &e.lanes.at(r.base + timer).timer
	}
	return e.timers.at(r.timers + timer)
}

// word returns the word of the router's bitmap of set timers that contains a timer's bit.
func (e *eventWheel) word(r *routerState, timer uint32) *uint64 {
	if timer < 64 {
		return &r.armed
	}
	return e.armed.at(r.masks + timer>>6)
}

// set sets a timer of a router to a time that is not before the present window. The timer must not
// be set.
func (e *eventWheel) set(r *routerState, timer uint32, at int64) {
	*e.timer(r, timer) = at
	e.note(r, timer, at)
}

// note records the window in which a router's timer, set to the time `at` (ps), is due.
func (e *eventWheel) note(r *routerState, timer uint32, at int64) {
	if ahead := e.calendar.ahead(at); ahead < wheel {
		e.noteNear(r.number, r.masks+timer>>6, timer, ahead)
		return
	}
	e.noteFar(r, timer, at)
}

// noteNear does what note does for a timer that is due fewer than `wheel` windows ahead. `word` is
// that of its bit in a row of due.
func (e *eventWheel) noteNear(router, word, timer uint32, ahead uint64) {
	c := &e.calendar
	window := uint32(uint64(c.window) + ahead)
	*e.due.at(window%wheel*e.words + word) |= 1 << (timer & 63)
	router -= e.first
	group := c.bits.at(window%horizon*c.words + router>>6)
	before := *group
	if *group = before | 1<<(router&63); before == 0 {
		c.markWindow(router, window%horizon)
	}
}

// firstWord returns the first word of a router's bitmap in a row of due, without its record.
func (e *eventWheel) firstWord(router uint32) uint32 {
	if e.firstWords.n == 0 {
		return router
	}
	return *e.firstWords.at(router)
}

// takeDue removes and returns the timers that a word of the bitmaps of due timers has for the
// current window.
func (e *eventWheel) takeDue(word uint32) uint64 {
	at := e.due.at(e.row + word)
	due := *at
	*at = 0
	return due
}

// noteFar does what note does for a timer that is due beyond the wheel.
func (e *eventWheel) noteFar(r *routerState, timer uint32, at int64) {
	r.far = min(r.far, at)
	*e.word(r, timer) |= 1 << (timer & 63)
	e.calendar.mark(r.number-e.first, at)
}

// soon sets the timer of a VC of the visited router. The timer must not be set.
func (e *eventWheel) soon(r *routerState, timer uint32, in *lane, at int64) {
	if at < e.calendar.end {
		e.agenda.insert(at-e.calendar.start, timer)
		return
	}
	in.timer = at
	if ahead := e.calendar.ahead(at); ahead < wheel {
		e.noteNear(r.number, r.masks+timer>>6, timer, ahead)
	} else {
		e.noteFar(r, timer, at)
	}
}

// arm sets a timer of any router. The timer must not be set.
func (e *eventWheel) arm(r *routerState, timer uint32, at int64) {
	if at < e.calendar.end && r.number == e.visiting {
		e.agenda.insert(at-e.calendar.start, timer)
		return
	}
	e.set(r, timer, at)
}

// setAgain sets the timer of a host or of its I/O bus, whether or not it is set.
func (e *eventWheel) setAgain(r *routerState, timer uint32, at int64) {
	*e.timers.at(r.timers + timer) = at
	switch {
	case at == Forever:
		*e.word(r, timer) &^= 1 << (timer & 63)
	case at < e.calendar.end && r.number == e.visiting:
		e.agenda.insert(at-e.calendar.start, timer)
	default:
		e.note(r, timer, at)
	}
}

// quiet returns the time up to which nothing else happens at the visited router (ps), at most
// `until`.
func (e *eventWheel) quiet(until int64) int64 {
	if a := &e.agenda; a.next < a.n {
		return min(until, e.calendar.start+int64(*a.entries.at(a.next)>>agendaShift))
	}
	return until
}

// remark records all set timers of a router in the calendar again.
func (e *eventWheel) remark(r *routerState) {
	r.far = Forever
	for w := range uint32(r.words) {
		armed := e.word(r, w<<6)
		set := *armed
		*armed = 0
		for row := range uint32(wheel) {
			at := e.due.at(row*e.words + r.masks + w)
			set |= *at
			*at = 0
		}
		for m := set; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := *e.timer(r, timer); at != Forever { // a host's may have been taken back
				e.note(r, timer, at)
			}
		}
	}
}

// state goes over what is due when. Between windows nobody is visited, and nothing is on the
// agenda.
func (e *eventWheel) state(v *snapshot.Visitor) {
	e.calendar.state(v)
	snapshot.Value(v, &e.now)
	e.agenda.n, e.agenda.next = 0, 0
}

// setEarlier sets the timer of a NIC or of doors, unless it is set to an earlier time.
func (e *eventWheel) setEarlier(r *routerState, timer uint32, at int64) {
	if at < *e.timers.at(r.timers + timer) {
		e.setAgain(r, timer, at)
	}
}

// takeTimer reports whether a timer that may be set again is due now, and takes it.
func (e *eventWheel) takeTimer(r *routerState, timer uint32) bool {
	at := e.timers.at(r.timers + timer)
	if *at != e.now {
		return false
	}
	*at = Forever
	*e.word(r, timer) &^= 1 << (timer & 63)
	return true
}

// armNIC sets the timer of a NIC.
func (e *eventWheel) armNIC(r *routerState, timer uint32, at int64) {
	if e.doors {
		e.setEarlier(r, timer, at)
		return
	}
	e.arm(r, timer, at)
}
