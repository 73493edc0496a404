package fabric

import "math/bits"

// run executes the window.
func (g *general) run() {
	b := g.b
	g.beginWindow()
	for _, r := range b.active {
		g.visit(b.routers.at(b.first + r))
	}
	g.endWindow()
}

// visit does everything that the router, its NICs and its hosts do in the current
// window, in order of time. Nothing later gets on the agenda, see arm.
func (g *general) visit(r *routerState) {
	b := g.b
	b.visiting = r
	g.r, g.x = r, g.routers.at(r.number)
	g.asks, g.inputs, g.outputs = g.asking(g.x), g.idleIn(g.x), g.idleOut(g.x)
	b.gather(r)
	g.gather()
	a := &b.agenda
	for a.next < a.n {
		key := *a.entries.at(a.next)
		b.now = b.calendar.start + int64(key>>agendaShift)
		if g.publish.interval != 0 && b.now >= g.publish.due {
			g.publishQueues(r, g.x)
		}
		timer := uint32(key & agendaMask)
		switch {
		case timer >= uint32(r.first):
			g.instant(key >> agendaShift)
		case timer >= uint32(r.wakes):
			a.next++
			g.inject(timer)
		default:
			a.next++
			b.wake(r, timer)
		}
	}
	b.visiting = nil
}

// gather moves the router's own timers that fall into this window to the agenda.
func (g *general) gather() {
	b, x := g.b, g.x
	for w := range uint32(x.tWords) {
		armed := g.maps.at(x.armed + w)
		for m := *armed; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := *g.timer(g.r, x, timer); at < b.calendar.end {
				b.agenda.insert(at-b.calendar.start, uint32(g.r.first)+timer)
				*armed &^= m & -m
			}
		}
	}
}

// timer is a router's timer, numbered from that of slot 0.
func (g *general) timer(r *routerState, x *generalRouter, timer uint32) *int64 {
	slots, ports := uint32(r.slots), uint32(x.ports)
	switch {
	case timer < slots:
		return &g.inlets.at(r.lanes + timer).ask
	case timer < slots+ports:
		return &g.ports.at(r.ports + timer - slots).free
	case timer < slots+2*ports:
		return &g.links.at(r.ports + timer - slots - ports).free
	}
	return &g.outlets.at(r.lanes + timer - slots - 2*ports).timer
}

// set sets a timer of a router, numbered from that of slot 0.
func (g *general) set(r *routerState, timer uint32, at int64) {
	x := g.routers.at(r.number)
	*g.timer(r, x, timer) = at
	*g.maps.at(x.armed + timer>>6) |= 1 << (timer & 63)
	g.b.calendar.mark(r.number-g.b.first, at)
}

// arm sets a timer of any router, which must not be set.
func (g *general) arm(r *routerState, timer uint32, at int64) {
	if b := g.b; at < b.calendar.end && r == b.visiting {
		b.agenda.insert(at-b.calendar.start, uint32(r.first)+timer)
		return
	}
	g.set(r, timer, at)
}

// remark marks the calendar with all timers that are set.
func (g *general) remark() {
	b := g.b
	for number := b.first; number < b.first+b.count; number++ {
		r, x := b.routers.at(number), g.routers.at(number)
		for w := range uint32(x.tWords) {
			for m := *g.maps.at(x.armed + w); m != 0; m &= m - 1 {
				b.calendar.mark(number-b.first, *g.timer(r, x, w<<6+uint32(bits.TrailingZeros64(m))))
			}
		}
	}
}

// instant does what the router does at one instant: first the crossbar, then the
// links, for which packets may have come through the crossbar at once.
func (g *general) instant(since uint64) {
	g.takeDue(since)
	g.pass()
	if g.buffered {
		g.takeDue(since)
		g.serveLinks()
	}
}

// takeDue notes what becomes possible by the timers of this instant.
func (g *general) takeDue(since uint64) {
	a := &g.b.agenda
	for a.next < a.n {
		key := *a.entries.at(a.next)
		if key>>agendaShift != since {
			return
		}
		a.next++
		g.due(uint32(key&agendaMask) - uint32(g.r.first))
	}
}

// due notes what becomes possible by a timer.
func (g *general) due(timer uint32) {
	slots, ports := uint32(g.r.slots), uint32(g.x.ports)
	switch {
	case timer < slots:
		g.becomeReady(timer)
	case timer < slots+ports:
		g.freeCrossing(timer - slots)
	case timer < slots+2*ports:
		g.freeLink(timer - slots - ports)
	default:
		out := timer - slots - 2*ports
		o := g.outlets.at(g.r.lanes + out)
		o.armed = false
		if g.buffered {
			setBit(g.busyLinks, uint32(*g.portOf.at(out)))
		} else {
			g.contendFor(out, o)
		}
	}
}

// becomeReady lets the packet of a slot whose time has come ask.
func (g *general) becomeReady(slot uint32) {
	in := g.inlets.at(g.r.lanes + slot)
	id := in.here.first
	if g.voq {
		id = in.coming.first
	}
	p := g.pool.parcels.at(id)
	if g.voq {
		in.coming.first = p.next
		if p.next != 0 {
			g.arm(g.r, slot, g.pool.parcels.at(p.next).ready)
		}
		if g.adaptive {
			clear(g.wishesOf(slot, id))
			g.pool.add(&in.here, id, p)
		} else if !g.enqueue(slot, id, p) {
			return
		}
	}
	setBit(g.asks, slot)
	if g.adaptive {
		setBit(g.contend, slot)
		return
	}
	setBit(g.waiters(g.x, uint32(*g.portOf.at(uint32(p.out)))), slot)
	g.contendAt(slot, uint32(p.out), id)
}

// enqueue puts a packet in its virtual output queue, and tells whether it is the first there.
func (g *general) enqueue(slot, id uint32, p *parcel) bool {
	out := uint32(p.out)
	q, wishes := g.queueOf(slot, out), g.wishes(g.x, slot)
	if hasBit(wishes, out) {
		last := g.pool.parcels.at(*q)
		p.next, last.next = last.next, id
		*q = id
		return false
	}
	p.next = id
	*q = id
	setBit(wishes, out)
	return true
}

// freeCrossing notes that a crossbar output has become free, and with it the input
// of the packet that has left.
func (g *general) freeCrossing(port uint32) {
	c := g.ports.at(g.r.ports + port)
	setRange(g.outputs, port*g.vcs, g.vcs)
	if !g.adaptive {
		g.contendForPort(port)
		setRange(g.inputs, c.feeder*g.vcs, g.vcs)
		g.contendFrom(c.feeder)
		return
	}
	setRange(g.inputs, c.feeder*g.vcs, g.vcs)
	setRange(g.contend, c.feeder*g.vcs, g.vcs)
	for w, m := range g.waiters(g.x, port) {
		g.contend[w] |= m
	}
}

// freeLink notes that a link has become free, and with it the room of the packet
// that has left the output buffer.
func (g *general) freeLink(port uint32) {
	link := g.links.at(g.r.ports + port)
	o := g.outlets.at(g.r.lanes + link.leaving)
	o.room += int32(link.flits)
	if o.short {
		o.short = false
		g.contendFor(link.leaving, o)
	}
	setBit(g.busyLinks, port)
}

// contendFor lets those that wait for space in an outlet try again.
func (g *general) contendFor(out uint32, o *outlet) {
	if !g.adaptive {
		if o.holder != 0 {
			g.contendHolder(out, uint32(o.holder)-1)
		}
		return
	}
	for w, m := range g.waiters(g.x, uint32(*g.portOf.at(out))) {
		g.contend[w] |= m
	}
}
