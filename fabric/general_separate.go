package fabric

// instantSeparately implements instant for separate allocation.
func (g *general) instantSeparately(since uint64) {
	g.takeDueSeparately(since)
	switch {
	case g.alloc.separable:
		g.alloc.allocateVCsSeparably()
	case g.alloc.chooses:
		g.alloc.chooseVCs()
	default:
		g.alloc.allocateVCs()
	}
	if g.alloc.separable {
		g.allocateCrossbarSeparably()
	} else {
		g.allocateCrossbar()
	}
	if g.buffered {
		g.takeDueSeparately(since)
		g.serveLinks()
	}
}

// takeDueSeparately handles the timers of this instant: it records which packets may now ask.
func (g *general) takeDueSeparately(since uint64) {
	for {
		timer, ok := g.wheel.agenda.take(since)
		switch {
		case !ok:
			return
		case timer < g.wheel.timers.ports:
			g.alloc.askNext(timer)
		case timer < g.wheel.timers.outlets:
			g.freeSeparately(timer - g.wheel.timers.ports)
		case timer < g.wheel.timers.links:
			out := timer - g.wheel.timers.outlets
			g.out.at(out).armed = false
			if g.buffered {
				g.links.busy.set(g.port(out))
			}
		default:
			out := g.links.freed(timer - g.wheel.timers.links)
			g.out.bufferAt(out).short = false
		}
	}
}

// freeSeparately records that a crossbar output has become free, with the input and the VC of the
// packet that has left.
func (g *general) freeSeparately(port uint32) {
	c := g.crossbar.at(port)
	if c.halted != running {
		g.freeHaltedSeparately(port, c)
		return
	}
	c.watched = false
	g.crossbar.outputs.setSpan(port*g.vcs, g.portMask)
	g.crossbar.release(c)
	g.alloc.ownedAt(uint32(g.alloc.turnAt(port).leaving)).owner = 0
}

// allocateCrossbar starts packets that own a VC, in the arbitration order.
func (g *general) allocateCrossbar() {
	list := g.alloc.owners()
	for len(list) > 0 {
		first := 0
		for i := range list {
			if list[i].before(&list[first].contender) {
				first = i
			}
		}
		c := list[first].contender
		list[first] = list[len(list)-1]
		list = list[:len(list)-1]
		if g.crossbar.inputs.has(uint32(c.slot)) && g.crossbar.outputs.has(uint32(c.out)) {
			g.startOwner(&c)
		}
	}
}

// startOwner starts a packet that owns a VC, if there is space for it.
func (g *general) startOwner(c *contender) {
	out := uint32(c.out)
	o := g.out.at(out)
	p := g.pool.parcels.at(c.parcel)
	if !g.spaceFor(uint32(c.slot), out, o, p) {
		return
	}
	g.alloc.owning.clear(uint32(c.slot))
	g.alloc.turnAt(g.port(out)).leaving = uint16(out)
	g.start(uint32(c.slot), c.parcel, p, o)
}

// spaceFor reports whether there is space for a packet that owns a VC. If not, it requests a
// notification of returned space.
func (g *general) spaceFor(slot, out uint32, o *outlet, p *parcel) bool {
	if g.out.hasSpace(out, g.out.flow.asks(slot, p)) {
		return true
	}
	if g.observer != nil {
		g.observer.held(g.r.lanes + out)
	}
	g.out.want(out, o)
	return false
}

// allocateCrossbarSeparably starts packets that own a VC, with a separable allocator whose inputs
// are input ports.
func (g *general) allocateCrossbarSeparably() {
	list := g.alloc.owners()
	n := 0
	for _, c := range list { // those that have space
		out := uint32(c.out)
		if g.spaceFor(uint32(c.slot), out, g.out.at(out), g.pool.parcels.at(c.parcel)) {
			list[n] = c
			n++
		}
	}
	list = list[:n]
	for i := range list {
		if g.alloc.chosenByInput(list, &list[i]) {
			list[i].chosen = byInput
		}
	}
	for i := range list {
		if list[i].chosen == byInput && g.alloc.chosenByOutput(list, &list[i]) {
			list[i].chosen = byBoth
		}
	}
	for i := range list {
		c := &list[i]
		slot := uint32(c.slot)
		if c.chosen != byBoth {
			g.waits.asks.clear(slot)
			g.alloc.askAgain(slot, g.alloc.grantTime)
			continue
		}
		turn := g.alloc.turnAt(g.port(slot))
		turn.passed, turn.toward = uint16(slot+1), *g.portOf.at(uint32(c.out))+1
		if g.arbiter.memory == GrantTimes {
			g.arbiter.grant(g.alloc.routerGrants()+g.alloc.slots, slot, g.events.now)
		}
		g.startOwner(&c.contender)
	}
}
