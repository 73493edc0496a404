package fabric

import "time"

// run executes the window.
func (g *general) run() {
	g.beginWindow()
	g.visitAll()
	g.endWindow()
}

// visitAll visits the window's routers, and loads ahead what that needs where it pays, see trial.
func (g *general) visitAll() {
	b, t := g.b, &g.b.trial
	size := g.size()
	switch {
	case size < prefetchFrom || len(b.active) < recordsAhead:
		g.visitActive(false)
	case size >= prefetchAlways:
		g.visitActive(true)
	case t.kept > 0:
		g.visitActive(t.second)
		t.kept -= int64(len(b.active))
	default:
		before, start := b.counters.work(), time.Now()
		g.visitActive(t.second)
		t.took(int64(time.Since(start)), b.counters.work()-before)
	}
}

// visitActive visits the window's routers, and loads ahead what that needs or not.
func (g *general) visitActive(ahead bool) {
	b := g.b
	g.ahead = ahead
	for i, r := range b.active {
		if ahead {
			g.prefetch(b.active[i+1:])
		}
		g.visit(b.routers.at(b.first + r))
	}
}

// visit does everything that the router, its NICs and its hosts do in the current
// window, in order of time. Nothing later gets on the agenda, see arm.
func (g *general) visit(r *routerState) {
	b := g.b
	b.visiting = r.number
	g.enter(r)
	b.agenda.n, b.agenda.next = 0, 0
	b.gather(r, b.takeDue(r.number))
	g.gather()
	a := &b.agenda
	for {
		since := g.agenda.upcoming()
		if a.next < a.n {
			if key := *a.entries.at(a.next); key>>agendaShift <= since {
				a.next++
				g.advance(key >> agendaShift)
				g.serveHost(uint32(key & agendaMask))
				continue
			}
		}
		if since == never {
			break
		}
		g.advance(since)
		if !g.alone(since) {
			g.instant(since)
		}
	}
	b.visiting = noRouter
}

// alone lets a packet ask if that is all that is to do at this instant, which is the most frequent case, and
// tells whether anything is left to do.
func (g *general) alone(since uint64) bool {
	timer := g.agenda.first()
	if timer >= g.timers.ports || g.agenda.second() == since || g.anyContends() {
		return false
	}
	g.agenda.next++
	g.becomeReady(timer, true)
	return !g.anyContends() && g.agenda.upcoming() != since
}

// anyContends tells whether a packet may start at this instant.
func (g *general) anyContends() bool { return len(g.contenders)+len(g.rounds) > 0 || g.contended }

// enter makes a router the one being visited.
func (g *general) enter(r *routerState) {
	x := g.routers.at(r.number)
	g.r, g.x = r, x
	g.asks, g.inputs, g.outputs, g.holds = g.asking(x), g.idleIn(x), g.idleOut(x), g.held(x)
	if g.adaptive {
		g.room, g.dried, g.small = g.roomy(x), g.dry(x), g.smaller(x)
	}
	g.lanes, g.firstPort = r.lanes, r.ports
	g.ofPorts, g.ofSlots = g.waiters(x, 0), g.wishes(x, 0)
	g.slots, g.words, g.timers = uint32(r.slots), uint32(x.words), x.timers()
	g.agenda.n, g.agenda.next = 0, 0
}

// advance goes on to a time.
func (g *general) advance(since uint64) {
	b := g.b
	b.now = b.calendar.start + int64(since)
	if g.publish.interval != 0 && b.now >= g.publish.due {
		g.publishQueues(g.r, g.x)
	}
}

// serveHost serves a timer of a host or NIC.
func (g *general) serveHost(timer uint32) {
	if timer >= uint32(g.r.wakes) {
		g.inject(timer)
	} else {
		g.b.wake(g.r, timer)
	}
}

// instant does what the router does at one instant: first the crossbar, then the
// links, for which packets may have come through the crossbar at once.
func (g *general) instant(since uint64) {
	g.takeDue(since)
	if g.anyContends() {
		g.pass()
	}
	if g.buffered {
		g.takeDue(since)
		g.serveLinks()
	}
}

// takeDue notes what becomes possible by the timers of this instant.
func (g *general) takeDue(since uint64) {
	for {
		timer, ok := g.agenda.take(since)
		if !ok {
			return
		}
		switch {
		case timer < g.timers.ports:
			g.becomeReady(timer, !g.anyContends() && g.agenda.upcoming() != since)
		case timer < g.timers.outlets:
			g.freeCrossing(timer - g.timers.ports)
		case timer < g.timers.links:
			g.findSpace(timer - g.timers.outlets)
		default:
			g.freeLink(timer - g.timers.links)
		}
	}
}

// findSpace notes that there is something to do at an output: credit has come, or the
// first packet of the output buffer may ask for the link.
func (g *general) findSpace(out uint32) {
	o := g.outlets.at(g.lanes + out)
	o.armed = false
	if g.buffered {
		g.busyLinks.set(uint32(*g.portOf.at(out)))
		return
	}
	g.noted(out, o)
	g.contendFor(out, o)
}

// becomeReady lets the packet of a slot whose time has come ask. If it is alone, nothing
// else contends at this instant.
func (g *general) becomeReady(slot uint32, alone bool) {
	in := g.inlets.at(g.lanes + slot)
	id := in.here.first
	if g.voq {
		id = in.coming.first
	}
	p := g.pool.parcels.at(id)
	if g.voq {
		in.coming.first = p.next
		if p.next != 0 {
			in.ask = g.pool.parcels.at(p.next).ready
			g.armHere(slot, in.ask)
		}
	}
	switch {
	case g.adaptive:
		g.askAdaptively(slot, id, p, alone)
	case alone && g.startStraight(slot, id, p):
	case g.voq && !g.enqueue(slot, id, p):
	default:
		g.asks.set(slot)
		g.waitersFor(uint32(*g.portOf.at(uint32(p.out)))).set(slot)
		g.expect(slot, uint32(p.out))
		g.contendAt(slot, uint32(p.out), id)
	}
}

// askAdaptively is becomeReady with adaptive routing.
func (g *general) askAdaptively(slot, id uint32, p *parcel, alone bool) {
	if alone && g.steady != nil && g.idleInput(slot) && g.askSteadily(slot, id, p) {
		return
	}
	g.beginAsking(slot, id, p)
	switch {
	case !g.inputs.has(slot):
	case alone:
		g.choose(slot, id)
	default:
		g.contend(slot, anyOutput, id)
	}
}

// beginAsking puts a packet of adaptive routing among those that ask.
func (g *general) beginAsking(slot, id uint32, p *parcel) {
	if g.voq {
		g.wishesOf(slot, id).empty(g.words)
		g.pool.add(&g.inlets.at(g.lanes+slot).here, id, p)
	} else if int32(p.flits&flitMask) != g.largest {
		g.small.set(slot)
	} else {
		g.small.clear(slot)
	}
	g.asks.set(slot)
	g.expectInput(slot)
}

// startStraight starts a packet with a fixed route that nothing contends with, if it may, without its
// being put in a queue before.
func (g *general) startStraight(slot, id uint32, p *parcel) bool {
	out := uint32(p.out)
	o := g.outlets.at(g.lanes + out)
	c := g.ports.at(g.firstPort + uint32(*g.portOf.at(out)))
	if o.holder != 0 || c.busy(g.b.now) || !g.idleInput(slot) || g.voq && g.wishesAt(slot).has(out) || g.spaceOf(o) < int32(p.flits&flitMask) {
		return false
	}
	if !g.voq {
		g.inlets.at(g.lanes + slot).here.first = p.next
	}
	if !g.outputs.has(out) {
		g.release(c)
	}
	g.launch(slot, id, p, o)
	return true
}

// busy tells whether a packet is in the crossing's way now, as far as anybody has noticed.
func (c *crossing) busy(now int64) bool { return c.free > now || c.watched }

// release notes that the input of the last packet through a crossing is free.
func (g *general) release(c *crossing) { g.inputs.setSpan(uint32(c.feeder)*g.vcs, g.portMask) }

// enqueue puts a packet in its virtual output queue, and tells whether it is the first there.
func (g *general) enqueue(slot, id uint32, p *parcel) bool {
	out := uint32(p.out)
	q, wishes := g.queueOf(slot, out), g.wishesAt(slot)
	if wishes.has(out) {
		g.pool.parcels.at(q.last).next = id
		q.last = id
		return false
	}
	*q = list{id, id}
	wishes.set(out)
	return true
}

// expect sees to it that the ports that a packet with a fixed route needs are noticed when
// they become free. Nobody has to notice ports for which nobody waits.
func (g *general) expect(slot, out uint32) {
	if !g.outputs.has(out) {
		g.watch(uint32(*g.portOf.at(out)))
	}
	g.expectInput(slot)
}

// expectInput sees to it that the input of a slot is noticed when it becomes free.
func (g *general) expectInput(slot uint32) {
	if !g.inputs.has(slot) {
		g.watch(uint32(g.ports.at(g.firstPort + uint32(*g.portOf.at(slot))).feeds))
	}
}

// idleInput tells whether the input port of a slot is free.
func (g *general) idleInput(slot uint32) bool {
	return g.inputs.has(slot) || g.idle(uint32(g.ports.at(g.firstPort+uint32(*g.portOf.at(slot))).feeds)*g.vcs)
}

// idle tells whether the port of an output slot is free.
func (g *general) idle(out uint32) bool {
	if g.outputs.has(out) {
		return true
	}
	port := uint32(*g.portOf.at(out))
	c := g.ports.at(g.firstPort + port)
	if c.busy(g.b.now) {
		return false
	}
	g.outputs.setSpan(port*g.vcs, g.portMask)
	g.release(c)
	return true
}

// watch sets the timer of a crossbar output that is busy, or has been without anybody
// noticing that it no longer is.
func (g *general) watch(port uint32) {
	c := g.ports.at(g.firstPort + port)
	switch {
	case c.watched:
	case c.free <= g.b.now:
		g.outputs.setSpan(port*g.vcs, g.portMask)
		g.release(c)
	default:
		c.watched = true
		g.armHere(g.timers.ports+port, c.free)
	}
}

// awaited tells whether a packet waits for a crossbar output or input.
func (g *general) awaited(in, out uint32) bool {
	if g.asks.span(in*g.vcs, g.portMask) != 0 {
		return true
	}
	return g.waitersFor(out).any(g.words)
}

// freeCrossing notes that a crossbar output has become free, and with it the input
// of the packet that has left.
func (g *general) freeCrossing(port uint32) {
	c := g.ports.at(g.firstPort + port)
	c.watched = false
	feeder := uint32(c.feeder)
	g.outputs.setSpan(port*g.vcs, g.portMask)
	if g.adaptive {
		g.reconsider(port, port*g.vcs, g.portMask)
		g.inputs.setSpan(feeder*g.vcs, g.portMask)
		g.reconsiderFrom(feeder)
		return
	}
	g.contendForPort(port)
	g.inputs.setSpan(feeder*g.vcs, g.portMask)
	g.contendFrom(feeder)
}

// freeLink notes that a link has become free, and with it the room of the packet
// that has left the output buffer.
func (g *general) freeLink(port uint32) {
	link := g.links.at(g.firstPort + port)
	o := g.outlets.at(g.lanes + link.leaving)
	o.room += int32(link.flits)
	if o.short {
		g.noted(link.leaving, o)
		g.contendFor(link.leaving, o)
	}
	g.busyLinks.set(port)
}

// contendFor lets those that wait for space in an outlet try again.
func (g *general) contendFor(out uint32, o *outlet) {
	switch {
	case !g.adaptive:
		if o.holder != 0 {
			g.contendHolder(out)
		}
	case g.outputs.has(out):
		g.reconsider(uint32(*g.portOf.at(out)), out, 1)
	}
}
