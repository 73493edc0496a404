package fabric

import (
	"math/bits"
	"unsafe"
)

// dueWheel repeats the wheel of the fast path (visit.go) instead of sharing it. On the fast path a
// router has at most 64 timers in the wheel: one word a window, at an index computed from the
// router's number, with the timers of its hosts and NICs among them. Here a router has as many
// words as its timers need, and hosts and NICs stay in the fast path's wheel. One form for both
// would turn the fast path's constants into variables.

// dueWheel holds the timers of a block's routers themselves, without hosts and NICs: which are due
// in which window, and the visited router's event list for this window.
type dueWheel struct {
	agenda dueList
	events *eventWheel // which knows the windows, and in which of them a router has timers
	// bitmaps of the timers set for the coming windows, by router and window modulo wheel
	due      array[uint64]
	dueWords uint32        // of such a bitmap
	maps     array[uint64] // those of timers that are set for later windows, by generalRouter.later
	routers  array[generalRouter]
	// the times of the timers
	inlets  array[inlet]
	ports   array[crossing]
	outlets array[outlet]
	buffers array[outBuffer]
	links   array[outLink]

	// the visited router
	r      *routerState
	x      *generalRouter
	timers timerKinds
}

func newDueWheel(b *nics, s *generalState) dueWheel {
	return dueWheel{
		events: &b.events, due: s.due, dueWords: s.dueWords, maps: s.maps, routers: s.routers,
		inlets: s.inlets, ports: s.ports, outlets: s.outlets, buffers: s.buffers, links: s.links,
	}
}

// dueIn returns the bitmap of a router's timers that are due in a window.
func (d *dueWheel) dueIn(number, window uint32) bitmap {
	return bitmap{unsafe.Pointer(d.due.at((number*wheel + window%wheel) * d.dueWords))}
}

// timerKinds holds the first timer number of each kind. The timers of slots begin at 0.
type timerKinds struct{ ports, outlets, links uint32 }

func (x *generalRouter) timers() timerKinds {
	slots, ports := uint32(x.slots), uint32(x.ports)
	return timerKinds{ports: slots, outlets: slots + ports, links: 2*slots + ports}
}

// gather moves the router's own timers of this window to its event list.
func (d *dueWheel) gather() {
	c, x := &d.events.calendar, d.x
	row := d.dueIn(d.r.number, uint32(c.window))
	for w := range uint32(x.tWords) {
		due := row.word(w)
		m := *due
		*due = 0
		for ; m != 0; m &= m - 1 {
			d.collect(w<<6+uint32(bits.TrailingZeros64(m)), c.start)
		}
	}
	if x.far < c.end {
		d.gatherFar()
	}
	if d.agenda.n >= manyDue {
		d.agenda.sort()
	}
}

// collect puts a timer that is due in this window on the router's event list. A short list is kept
// sorted.
func (d *dueWheel) collect(timer uint32, start int64) {
	since := d.timer(d.r, &d.timers, timer) - start
	if d.agenda.n < manyDue {
		d.agenda.insert(since, timer)
	} else {
		d.agenda.add(since, timer)
	}
}

// gatherFar does what gather does for timers that were set for a window beyond the wheel.
func (d *dueWheel) gatherFar() {
	c, x := &d.events.calendar, d.x
	x.far = Forever
	for w := range uint32(x.tWords) {
		armed := d.maps.at(x.later + w)
		for m := *armed; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := d.timer(d.r, &d.timers, timer); at < c.end {
				*armed &^= m & -m
				d.collect(timer, c.start)
			} else {
				x.far = min(x.far, at)
			}
		}
	}
}

// timer returns the time (ps) of a router's timer, which must be set.
func (d *dueWheel) timer(r *routerState, kinds *timerKinds, timer uint32) int64 {
	switch {
	case timer < kinds.ports:
		return d.inlets.at(r.lanes + timer).ask
	case timer < kinds.outlets:
		return d.ports.at(r.ports + timer - kinds.ports).free
	case timer >= kinds.links:
		return d.links.at(r.ports + timer - kinds.links).free
	case d.buffers.n > 0:
		return d.buffers.at(r.lanes + timer - kinds.outlets).timer
	}
	return d.outlets.at(r.lanes + timer - kinds.outlets).next()
}

// arm sets a timer of any router. The timer must not be set, and its time must have been stored.
func (d *dueWheel) arm(r *routerState, timer uint32, at int64) {
	if r.number == d.events.visiting {
		d.armHere(timer, at)
		return
	}
	d.note(r.number, timer, at)
}

// armHere does what arm does, for the visited router.
func (d *dueWheel) armHere(timer uint32, at int64) {
	if c := &d.events.calendar; at < c.end {
		d.agenda.insert(at-c.start, timer)
		return
	}
	d.note(d.r.number, timer, at)
}

// note records the window in which a router's timer, set to the time `at` (ps), is due.
func (d *dueWheel) note(number, timer uint32, at int64) {
	c := &d.events.calendar
	ahead := c.ahead(at)
	if ahead >= wheel {
		x := d.routers.at(number)
		x.far = min(x.far, at)
		*d.maps.at(x.later + timer>>6) |= 1 << (timer & 63)
		c.mark(number-d.events.first, at)
		return
	}
	window := uint32(uint64(c.window) + ahead)
	d.dueIn(number, window).set(timer)
	router := number - d.events.first
	word := c.bits.at(window%horizon*c.words + router>>6)
	before := *word
	if *word = before | 1<<(router&63); before == 0 {
		c.markWindow(router, window%horizon)
	}
}

// remark records all set timers of a router again, after the length of the windows has changed.
func (d *dueWheel) remark(r *routerState) {
	x := d.routers.at(r.number)
	kinds := x.timers()
	x.far = Forever
	for w := range uint32(x.tWords) {
		set := *d.maps.at(x.later + w)
		*d.maps.at(x.later + w) = 0
		for window := range uint32(wheel) {
			at := d.dueIn(r.number, window).word(w)
			set |= *at
			*at = 0
		}
		for ; set != 0; set &= set - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(set))
			d.note(r.number, timer, d.timer(r, &kinds, timer))
		}
	}
}
