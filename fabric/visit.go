package fabric

import (
	"math/bits"
	"slices"
)

// visit does everything that the router, its NICs and its hosts do in the
// current window, in order of time.
func (b *Block) visit(r *routerState) {
	b.visiting = r.number
	a := &b.agenda
	a.n, a.next = 0, 0
	due := b.takeDue(r.number)
	if due&(due-1) == 0 && due>>(r.first&63) != 0 && r.far >= b.calendar.end {
		timer := uint32(bits.TrailingZeros64(due))
		b.now = b.lanes.at(r.base + timer).timer
		b.serve(r, timer, b.calendar.end)
	} else {
		b.gather(r, due)
	}
	for a.next < a.n {
		key := *a.entries.at(a.next)
		a.next++
		b.now = b.calendar.start + int64(key>>agendaShift)
		timer := uint32(key & agendaMask)
		switch {
		case timer >= uint32(r.first):
			if a.next == a.n || (*a.entries.at(a.next)^key)>>agendaShift != 0 {
				b.serve(r, timer, b.calendar.end)
			} else {
				b.pass(r, timer)
			}
		case timer >= uint32(r.wakes):
			b.inject(r, timer)
		default:
			b.wake(r, timer)
		}
	}
}

// gather puts the router's timers that fall into this window on the agenda. due is what the router
// keeps apart for the window.
func (b *Block) gather(r *routerState, due uint64) {
	for m := due; m != 0; m &= m - 1 {
		timer := uint32(bits.TrailingZeros64(m))
		if at := *b.timer(r, timer); at < b.calendar.end { // a host's may have been set anew
			b.agenda.insert(at-b.calendar.start, timer)
		}
	}
	if r.far < b.calendar.end {
		b.gatherFar(r)
	}
}

// gatherFar is gather for the timers that the router does not keep apart by windows.
func (b *Block) gatherFar(r *routerState) {
	var first int64
	r.armed, first = b.gatherWord(r, 0, r.armed)
	for w := uint32(1); w < uint32(r.words); w++ {
		word := b.armed.at(r.masks + w)
		*word, _ = b.gatherWord(r, w<<6, *word)
	}
	if r.near > 0 {
		r.far = first
	}
}

// gatherWord puts those of some of the 64 timers from `first` on that fall into this window on the
// agenda; it returns the others, and the earliest of them.
func (b *Block) gatherWord(r *routerState, first uint32, timers uint64) (left uint64, earliest int64) {
	left, earliest = timers, Forever
	for m := timers; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		if at := *b.timer(r, timer); at < b.calendar.end {
			b.agenda.insert(at-b.calendar.start, timer)
			left &^= m & -m
		} else {
			earliest = min(earliest, at)
		}
	}
	return left, earliest
}

// timer is a router's timer by its number: those of hosts and NICs come first.
func (b *Block) timer(r *routerState, timer uint32) *int64 {
	if timer >= uint32(r.first) {
		return &b.lanes.at(r.base + timer).timer
	}
	return b.timers.at(r.timers + timer)
}

// word is the word of the router's bitmap of armed timers that has the timer's bit.
func (b *Block) word(r *routerState, timer uint32) *uint64 {
	if timer < 64 {
		return &r.armed
	}
	return b.armed.at(r.masks + timer>>6)
}

// set sets a timer of a router, which must not be set, to a time that is not before the present window.
func (b *Block) set(r *routerState, timer uint32, at int64) {
	*b.timer(r, timer) = at
	b.note(r, timer, at)
}

// note notes in which window a router's timer, set to the time at, is due.
func (b *Block) note(r *routerState, timer uint32, at int64) {
	c := &b.calendar
	ahead := c.ahead(at)
	if ahead >= uint64(r.near) {
		b.noteFar(r, timer, at)
		return
	}
	b.noteNear(r.number, timer, ahead)
}

// noteNear is note for one of the first 64 timers of a router, that is due so many windows ahead, fewer than wheel.
func (b *Block) noteNear(router, timer uint32, ahead uint64) {
	c := &b.calendar
	window := uint32(uint64(c.window) + ahead)
	*b.due.at(window%wheel*b.all + router) |= 1 << (timer & 63)
	router -= b.first
	word := c.bits.at(window%horizon*c.words + router>>6)
	before := *word
	if *word = before | 1<<(router&63); before == 0 {
		c.markWindow(router, window%horizon)
	}
}

// takeDue returns, and deletes, the timers of a router that are set for the current window among those near.
func (b *Block) takeDue(router uint32) uint64 {
	at := b.due.at(b.row + router)
	due := *at
	*at = 0
	return due
}

// noteFar is note for a timer that is due in a later window than the router keeps apart.
func (b *Block) noteFar(r *routerState, timer uint32, at int64) {
	r.far = min(r.far, at)
	*b.word(r, timer) |= 1 << (timer & 63)
	b.calendar.mark(r.number-b.first, at)
}

// soon sets the timer of a lane of the visited router, which must not be set.
func (b *Block) soon(r *routerState, timer uint32, in *lane, at int64) {
	if at < b.calendar.end {
		b.agenda.insert(at-b.calendar.start, timer)
		return
	}
	in.timer = at
	if ahead := b.calendar.ahead(at); ahead < uint64(r.near) {
		b.noteNear(r.number, timer, ahead)
	} else {
		b.noteFar(r, timer, at)
	}
}

// arm sets a timer of any router, which must not be set.
func (b *Block) arm(r *routerState, timer uint32, at int64) {
	if at < b.calendar.end && r.number == b.visiting {
		b.agenda.insert(at-b.calendar.start, timer)
		return
	}
	b.set(r, timer, at)
}

// SetTimer asks for the endpoint's Wake of a host at a time. Unlike the others,
// a host's timer may be set again before its time, so its entry in the agenda holds
// only if it still has that time.
func (b *Block) SetTimer(host int32, at int64) {
	r := b.routers.at(b.hosts[host])
	b.setAgain(r, uint32(host)-r.hosts, at)
}

// setAgain sets the timer of a host or of its bus.
func (b *Block) setAgain(r *routerState, timer uint32, at int64) {
	*b.timers.at(r.timers + timer) = at
	switch {
	case at == Forever:
		*b.word(r, timer) &^= 1 << (timer & 63)
	case at < b.calendar.end && r.number == b.visiting:
		b.agenda.insert(at-b.calendar.start, timer)
	default:
		b.note(r, timer, at)
	}
}

// wake calls the endpoint of a host whose timer has come up, or its bus.
func (b *Block) wake(r *routerState, timer uint32) {
	at := b.timers.at(r.timers + timer)
	if *at != b.now {
		return
	}
	*at = Forever
	*b.word(r, timer) &^= 1 << (timer & 63)
	if b.bus != nil && b.busTurn(r, timer) {
		return
	}
	b.endpoint.Wake(int32(r.hosts+timer), b.now)
}

// pass lets all packets whose timer is now (that given, and others) ask for
// their outputs, in arbitration order. Only a change at the router could let any
// of the others move, and their timers say when that will be.
func (b *Block) pass(r *routerState, timer uint32) {
	a := &b.agenda
	now := uint64(b.now - b.calendar.start)
	other := uint32(*a.entries.at(a.next) & agendaMask)
	a.next++
	if (a.next == a.n || *a.entries.at(a.next)>>agendaShift != now) && !b.roundRobins {
		if b.head(r.base+other).time < b.head(r.base+timer).time {
			timer, other = other, timer
		}
		b.serve(r, timer, b.now)
		b.serve(r, other, b.calendar.end)
		return
	}
	contenders := append(b.contenders[:0], timer, other)
	for ; a.next < a.n && *a.entries.at(a.next)>>agendaShift == now; a.next++ {
		contenders = append(contenders, uint32(*a.entries.at(a.next)&agendaMask))
	}
	b.arbitrate(r, contenders)
	for _, timer := range contenders {
		b.serve(r, timer, b.now)
	}
	b.contenders = contenders
}

// head is the first packet in the buffer of a lane.
func (b *Block) head(lane uint32) *packet {
	in := b.lanes.at(lane)
	return b.nth(in, in.head)
}

// arbitrate sorts the timers of lanes whose packets ask at one instant, given in increasing
// order, into the order in which they are served.
func (b *Block) arbitrate(r *routerState, timers []uint32) {
	if b.roundRobins {
		b.roundRobin(r, timers)
		return
	}
	for i := 1; i < len(timers); i++ {
		timer, ask := timers[i], b.head(r.base+timers[i]).time
		j := i
		for ; j > 0 && b.head(r.base+timers[j-1]).time > ask; j-- {
			timers[j] = timers[j-1]
		}
		timers[j] = timer
	}
}

// roundRobin sorts timers of lanes by their distance from the one that follows the last
// one granted at their output, then by output.
func (b *Block) roundRobin(r *routerState, timers []uint32) {
	all := int64(r.slots)
	order := func(timer uint32) int64 {
		out := b.lanes.at(r.lanes+uint32(b.head(r.base+timer).out)).clock - r.ports
		distance := (int64(timer) - int64(r.first) - int64(b.more.at(r.ports+out).last) + all) % all
		return distance<<16 | int64(out)
	}
	slices.SortStableFunc(timers, func(x, y uint32) int {
		if d := order(x) - order(y); d != 0 {
			return int(min(max(d, -1), 1))
		}
		return 0
	})
}
