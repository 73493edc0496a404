package fabric

// hasSpace tells whether a packet of that many flits may start toward an outlet.
func (g *general) hasSpace(out uint32, flits int32) bool {
	if g.buffered {
		return g.outlets.at(g.lanes+out).room >= flits
	}
	return g.credited(g.outlets.at(g.lanes+out), flits)
}

// spaceOf is the flits for which an outlet has space.
func (g *general) spaceOf(o *outlet) int32 {
	if g.buffered {
		return o.room
	}
	if o.n > 0 && o.times[0] <= g.b.now {
		g.pull(o, g.b.now)
	}
	return o.credit
}

// credited tells whether an outlet has credit for that many flits, after a look at
// what has come back.
func (g *general) credited(o *outlet, flits int32) bool {
	if o.credit < flits {
		g.pull(o, g.b.now)
	}
	return o.credit >= flits
}

// pull takes the credit that has come back by a time.
func (g *general) pull(o *outlet, until int64) {
	for o.n > 0 && o.times[0] <= until {
		o.credit += int32(o.flits[0] & flitMask)
		o.n--
		o.times[0], o.times[1] = o.times[1], o.times[2]
		o.flits[0], o.flits[1] = o.flits[1], o.flits[2]
		if id := o.more.first; id != 0 {
			p := g.pool.parcels.at(id)
			o.times[o.n], o.flits[o.n] = p.ready, p.flits
			o.n++
			o.more.first = p.next
			g.pool.give(id, p)
		}
	}
}

// keep notes that credit will be known at an outlet at a time, not before the others there.
func (g *general) keep(o *outlet, at int64, flits uint16) {
	g.publish.credit = min(g.publish.credit, at)
	if o.n == inlineReturns {
		g.pull(o, g.b.calendar.start) // the outlet's router is there by now
	}
	if o.n < inlineReturns {
		o.times[o.n], o.flits[o.n] = at, flits
		o.n++
		return
	}
	id, p := g.pool.take()
	*p = parcel{ready: at, flits: flits}
	g.pool.add(&o.more, id, p)
}

// want sees to it that a return of space in an outlet of the visited router is noticed.
func (g *general) want(out uint32, o *outlet) {
	switch {
	case g.buffered:
		o.short = true
	case !o.armed:
		g.wantCredit(out, o)
	}
	if g.adaptive {
		g.dried.set(out)
	}
}

// noted notes that space has returned in an outlet of the visited router, as was wanted.
func (g *general) noted(out uint32, o *outlet) {
	o.short = false
	if g.adaptive {
		g.dried.clear(out)
	}
}

// spaceAt is spaceOf for an output slot with adaptive routing, and notes whether that is enough for the largest packet.
func (g *general) spaceAt(out uint32) int32 {
	space := g.spaceOf(g.outlets.at(g.lanes + out))
	if space >= g.largest {
		g.room.set(out)
	}
	return space
}

// spend notes that a packet has started toward an outlet that has so much space left now.
func (g *general) spend(out uint32, space int32) {
	if g.adaptive && space < g.largest {
		g.room.clear(out)
	}
}

// awaitsSpace tells whether a return of space in an outlet of the visited router will be noticed: since that was asked for,
// there has been none.
func (g *general) awaitsSpace(o *outlet) bool {
	if g.buffered {
		return o.short
	}
	return o.armed || o.wanted
}

// wantCredit sets the outlet's timer to the next return of credit, as soon as that is known.
func (g *general) wantCredit(out uint32, o *outlet) {
	if o.wanted = o.n == 0; !o.wanted {
		g.armOutlet(g.r, out, o, o.times[0])
	}
}

func (g *general) armOutlet(r *routerState, out uint32, o *outlet, at int64) {
	o.wanted, o.armed, o.timer = false, true, at
	kinds := g.routers.at(r.number).timers()
	g.arm(r, kinds.outlets+out, at)
}

// giveBack returns credit to an outlet, given by its number, of a router or of one
// of its NICs, where it is known at the time at.
func (g *general) giveBack(r *routerState, lane uint32, at int64, flits uint16) {
	o := g.outlets.at(lane)
	g.keep(o, at, flits)
	if !o.wanted {
		return
	}
	if first := g.b.layout.nicLanes; lane >= first {
		o.wanted = false
		g.b.arm(r, uint32(r.wakes)+(lane-first)/g.vcs-r.nics, at)
		return
	}
	g.armOutlet(r, lane-r.lanes, o, at)
}
