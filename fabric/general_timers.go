package fabric

import "math/bits"

// The wheel of due timers is that of the fast path (visit.go) over again, not shared with it: there a router has at most
// 64 timers in the wheel, one word a window at a place that follows from its number, and its hosts' and NICs' timers are
// among them; here it has as many as its bitmaps have words, and hosts and NICs keep theirs in the fast path's. One
// form for both would cost the fast path its constants.

// timerKinds are the numbers at which a router's timers of each kind begin, after those
// of slots, which begin at 0.
type timerKinds struct{ ports, outlets, links uint32 }

func (x *generalRouter) timers() timerKinds {
	slots, ports := uint32(x.slots), uint32(x.ports)
	return timerKinds{ports: slots, outlets: slots + ports, links: 2*slots + ports}
}

// gather moves the router's own timers that fall into this window to its list.
func (g *general) gather() {
	c, x := &g.b.calendar, g.x
	row := g.dueIn(g.r.number, uint32(c.window))
	for w := range uint32(x.tWords) {
		due := row.word(w)
		m := *due
		*due = 0
		for ; m != 0; m &= m - 1 {
			g.collect(w<<6+uint32(bits.TrailingZeros64(m)), c.start)
		}
	}
	if x.far < c.end {
		g.gatherFar()
	}
	if g.agenda.n >= manyDue {
		g.agenda.sort()
	}
}

// collect puts a timer that is due in this window on the router's list; in order, as long as it is short.
func (g *general) collect(timer uint32, start int64) {
	since := *g.timer(g.r, &g.timers, timer) - start
	if g.agenda.n < manyDue {
		g.agenda.insert(since, timer)
	} else {
		g.agenda.add(since, timer)
	}
	switch {
	case !g.ahead:
	case timer < g.timers.ports:
		g.prefetchAsk(timer)
	case timer < g.timers.outlets && !g.adaptive:
		g.prefetchWaiters(timer - g.timers.ports)
	}
}

// gatherFar is gather for the timers that were set for a window far ahead.
func (g *general) gatherFar() {
	c, x := &g.b.calendar, g.x
	x.far = Forever
	for w := range uint32(x.tWords) {
		armed := g.maps.at(x.later + w)
		for m := *armed; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := *g.timer(g.r, &g.timers, timer); at < c.end {
				*armed &^= m & -m
				g.collect(timer, c.start)
			} else {
				x.far = min(x.far, at)
			}
		}
	}
}

// timer is a router's timer.
func (g *general) timer(r *routerState, kinds *timerKinds, timer uint32) *int64 {
	switch {
	case timer < kinds.ports:
		return &g.inlets.at(r.lanes + timer).ask
	case timer < kinds.outlets:
		return &g.ports.at(r.ports + timer - kinds.ports).free
	case timer < kinds.links:
		return &g.outlets.at(r.lanes + timer - kinds.outlets).timer
	}
	return &g.links.at(r.ports + timer - kinds.links).free
}

// arm sets a timer of any router, which must not be set, and whose time is there already.
func (g *general) arm(r *routerState, timer uint32, at int64) {
	if r.number == g.b.visiting {
		g.armHere(timer, at)
		return
	}
	g.note(r.number, timer, at)
}

// armHere is arm for the router being visited.
func (g *general) armHere(timer uint32, at int64) {
	if c := &g.b.calendar; at < c.end {
		g.agenda.insert(at-c.start, timer)
		return
	}
	g.note(g.r.number, timer, at)
}

// note notes in which window a router's timer, set to the time at, is due.
func (g *general) note(number, timer uint32, at int64) {
	c := &g.b.calendar
	ahead := c.ahead(at)
	if ahead >= wheel {
		x := g.routers.at(number)
		x.far = min(x.far, at)
		*g.maps.at(x.later + timer>>6) |= 1 << (timer & 63)
		c.mark(number-g.b.first, at)
		return
	}
	window := uint32(uint64(c.window) + ahead)
	g.dueIn(number, window).set(timer)
	router := number - g.b.first
	word := c.bits.at(window%horizon*c.words + router>>6)
	before := *word
	if *word = before | 1<<(router&63); before == 0 {
		c.markWindow(router, window%horizon)
	}
}

// remark notes all timers that are set anew, because windows have another length.
func (g *general) remark() {
	b := g.b
	for number := b.first; number < b.first+b.count; number++ {
		r, x := b.routers.at(number), g.routers.at(number)
		kinds := x.timers()
		x.far = Forever
		for w := range uint32(x.tWords) {
			set := *g.maps.at(x.later + w)
			*g.maps.at(x.later + w) = 0
			for window := range uint32(wheel) {
				at := g.dueIn(number, window).word(w)
				set |= *at
				*at = 0
			}
			for ; set != 0; set &= set - 1 {
				timer := w<<6 + uint32(bits.TrailingZeros64(set))
				g.note(number, timer, *g.timer(r, &kinds, timer))
			}
		}
	}
}
