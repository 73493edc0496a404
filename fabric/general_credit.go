package fabric

// hasSpace tells whether a packet of that many flits may start toward an outlet.
func (g *general) hasSpace(out uint32, flits int32) bool {
	if g.buffered {
		return g.buffers.at(g.r.lanes+out).room >= flits
	}
	return g.credited(g.outlets.at(g.r.lanes+out), flits)
}

// credited tells whether an outlet has credit for that many flits, after a look at
// what has come back.
func (g *general) credited(o *outlet, flits int32) bool {
	if o.credit < flits {
		g.pull(o)
	}
	return o.credit >= flits
}

// pull takes the credit that has come back by now.
func (g *general) pull(o *outlet) {
	for id := o.returns.first; id != 0; id = o.returns.first {
		p := g.pool.parcels.at(id)
		if p.ready > g.b.now {
			return
		}
		o.credit += int32(p.flits & flitMask)
		o.returns.first = p.next
		g.pool.give(id, p)
	}
}

// want sees to it that a return of space in an outlet of the visited router is noticed.
func (g *general) want(out uint32, o *outlet) {
	switch {
	case g.buffered:
		g.buffers.at(g.r.lanes + out).short = true
	case !o.armed:
		g.wantCredit(out, o)
	}
}

// wantCredit sets the outlet's timer to the next return of credit, as soon as that is known.
func (g *general) wantCredit(out uint32, o *outlet) {
	if o.returns.first == 0 {
		o.wanted = true
		return
	}
	g.armOutlet(g.r, out, o, g.pool.parcels.at(o.returns.first).ready)
}

func (g *general) armOutlet(r *routerState, out uint32, o *outlet, at int64) {
	o.wanted, o.armed = false, true
	g.arm(r, uint32(r.slots)+2*uint32(g.routers.at(r.number).ports)+out, at)
}

// giveBack returns credit to an outlet, given by its number, of a router or of one
// of its NICs; p says when it will be known there.
func (g *general) giveBack(r *routerState, lane, id uint32, p *parcel) {
	o := g.outlets.at(lane)
	g.pool.add(&o.returns, id, p)
	if !o.wanted {
		return
	}
	if first := g.b.layout.nicLanes; lane >= first {
		o.wanted = false
		g.b.arm(r, uint32(r.nHosts)+(lane-first)/g.vcs-r.nics, p.ready)
		return
	}
	g.armOutlet(r, lane-r.lanes, o, p.ready)
}
