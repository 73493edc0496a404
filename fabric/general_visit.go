package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// runWindow simulates all routers for the window that has begun.
func (g *general) runWindow() {
	b := g.b
	b.active = b.events.calendar.take(b.active[:0])
	b.counters.visits += uint64(len(b.active))
	g.publish.beginWindow()
	g.visitAll()
	g.publish.endWindow(g.b.count)
}

// generalAhead is the number of activations of a window from which on records are prefetched.
const generalAhead = 32

// visitAll activates all routers of the window. It prefetches their records if they are many and
// no longer fit in the cache.
func (g *general) visitAll() {
	b := g.b
	g.loader.ahead = len(b.active) >= g.loader.fewest && g.loader.size() >= g.loader.from
	for i, r := range b.active {
		if g.loader.ahead {
			g.loader.load(b.active[i+1:])
		}
		g.visit(b.routers.at(b.first + r))
	}
}

// visit simulates the router, its NICs and its hosts for the current window, in the order of time.
// Nothing is added to the agenda for a later window, see arm.
func (g *general) visit(r *routerState) {
	b := g.b
	b.events.visiting = r.number
	g.enter(r)
	g.loader.manyHosts = 4*uint32(r.nNICs) >= uint32(g.wheel.x.ports)
	b.events.agenda.n, b.events.agenda.next = 0, 0
	b.events.gather(r)
	g.wheel.gather()
	if g.loader.ahead {
		g.loader.loadDue()
	}
	a := &b.events.agenda
	for {
		since := g.wheel.agenda.upcoming()
		if g.doors != nil {
			since = g.doors.upcoming(since)
		}
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
		if g.doors != nil && g.doors.takeRaised() || !g.alone(since) {
			g.instant(since)
		}
	}
	b.events.visiting = noRouter
}

// alone handles the most frequent case: the only event of this instant is that one packet asks. It
// returns true if nothing is left to do at this instant.
func (g *general) alone(since uint64) bool {
	timer := g.wheel.agenda.first()
	if g.separate || timer >= g.wheel.timers.ports || g.wheel.agenda.second() == since ||
		g.contest.anyContends() {
		return false
	}
	g.wheel.agenda.next++
	g.becomeReady(timer, true)
	return !g.contest.anyContends() && g.wheel.agenda.upcoming() != since
}

// advance sets the present time (ps since the window's start).
func (g *general) advance(since uint64) {
	b := g.b
	b.events.now = b.events.calendar.start + int64(since)
	if g.publish.interval != 0 && b.events.now >= g.publish.due {
		g.publish.publish(g.r)
	}
}

// serveHost handles a timer of a host or NIC.
func (g *general) serveHost(timer uint32) {
	switch {
	case timer < uint32(g.r.wakes):
		g.b.wake(g.r, timer)
	case g.doors != nil:
		g.doors.due(timer)
	default:
		g.inject(timer)
	}
}

// instant simulates the router at one instant: first the crossbar, then the links, because packets
// may have crossed the crossbar without delay.
func (g *general) instant(since uint64) {
	if g.separate {
		g.instantSeparately(since)
		return
	}
	g.takeDue(since)
	if g.contest.anyContends() {
		g.pass()
	}
	if g.buffered {
		g.takeDue(since)
		g.serveLinks()
	}
}

// takeDue handles the timers of this instant: it records which packets may now start.
func (g *general) takeDue(since uint64) {
	for {
		timer, ok := g.wheel.agenda.take(since)
		if !ok {
			return
		}
		switch {
		case timer < g.wheel.timers.ports:
			g.becomeReady(timer, !g.contest.anyContends() && g.wheel.agenda.upcoming() != since)
		case timer < g.wheel.timers.outlets:
			g.freeCrossing(timer - g.wheel.timers.ports)
		case timer < g.wheel.timers.links:
			g.findSpace(timer - g.wheel.timers.outlets)
		default:
			g.freeLink(timer - g.wheel.timers.links)
		}
	}
}

// findSpace handles the timer of an output VC: credit has come, or the first packet of the output
// buffer may request the link.
func (g *general) findSpace(out uint32) {
	o := g.out.at(out)
	o.armed = false
	if g.buffered {
		g.links.busy.set(g.port(out))
		return
	}
	g.out.noted(out)
	g.contendFor(out, o)
}

// becomeReady lets the packet of a slot ask, as its time has come. With `alone`, no other packet
// contends at this instant.
func (g *general) becomeReady(slot uint32, alone bool) {
	in := g.in.at(slot)
	id := in.here.first
	if g.voq {
		id = in.coming.first
	}
	p := g.pool.parcels.at(id)
	if g.voq {
		in.coming.first = p.next
		if p.next != 0 {
			behind := g.pool.parcels.at(p.next)
			prefetch.Line(unsafe.Pointer(g.pool.parcels.at(behind.next))) // is read when that asks
			in.ask = behind.ready
			g.wheel.armHere(slot, in.ask)
		}
	}
	if g.loader.ahead {
		g.loader.loadMessage(p)
	}
	switch {
	case g.adaptive:
		g.askAdaptively(slot, id, p, alone)
	case alone && g.startStraight(slot, id, p):
	case g.voq && !g.in.enqueue(slot, id, p):
	default:
		g.waits.asks.set(slot)
		g.waits.waitersFor(g.port(uint32(p.out))).set(slot)
		g.crossbar.expect(slot, uint32(p.out))
		g.contest.contendAt(slot, uint32(p.out), id)
	}
}

// askAdaptively implements becomeReady for adaptive routing.
func (g *general) askAdaptively(slot, id uint32, p *parcel, alone bool) {
	if alone && g.adapt.steady != nil && g.crossbar.idleInput(slot) && g.askSteadily(slot, id, p) {
		return
	}
	g.beginAsking(slot, id, p)
	switch {
	case !g.crossbar.inputs.has(slot):
	case alone:
		g.choose(slot, id)
	default:
		g.contest.contend(slot, anyOutput, id)
	}
}

// choose starts an adaptively routed packet if it can start, and reports whether it has.
func (g *general) choose(slot, id uint32) bool {
	p := g.pool.parcels.at(id)
	if g.loader.ahead {
		g.loader.loadParcel(p.next) // which asks when this one has started
	}
	out := g.adapt.pick(slot, id, p)
	if out == anyOutput {
		return false
	}
	g.startTo(slot, id, p, out)
	return true
}

// askSteadily calls a steady algorithm for a packet that contends with no other, whose input is
// free, and that has not begun to ask. If the packet can start it is never queued. It returns false
// if the algorithm makes no offer.
func (g *general) askSteadily(slot, id uint32, p *parcel) (ok bool) {
	o := &g.adapt.offer
	out := g.adapt.pickAlone(slot, p)
	if o.Ports == 0 {
		return false
	}
	if out == anyOutput {
		g.beginAsking(slot, id, p)
		c := g.adapt.choiceOf(slot, id)
		*c = choice{first: anyOutput, escape: anyOutput}
		if out = g.adapt.settle(slot, id, p, o, c); out != anyOutput {
			g.startTo(slot, id, p, out)
		}
		return true
	}
	if g.loader.ahead {
		g.loader.loadEnd(out)
	}
	if !g.voq {
		g.in.at(slot).here.first = p.next
	}
	p.out = uint16(out)
	g.launch(slot, id, p, g.out.at(out))
	return true
}

// startTo starts a packet toward a free output that has space for it.
func (g *general) startTo(slot, id uint32, p *parcel, out uint32) {
	if g.loader.ahead {
		g.loader.loadUpstream(slot)
		g.loader.loadEnd(out)
	}
	p.out = uint16(out)
	g.start(slot, id, p, g.out.at(out))
}

// beginAsking adds an adaptively routed packet to those that ask.
func (g *general) beginAsking(slot, id uint32, p *parcel) {
	if g.voq {
		g.waits.wishesOf(slot, id).empty(g.waits.words)
		g.pool.add(&g.in.at(slot).here, id, p)
	} else if int32(p.flits&flitMask) != g.out.largest {
		g.in.small.set(slot)
	} else {
		g.in.small.clear(slot)
	}
	if g.contest.order.kept {
		g.contest.order.append(slot)
	}
	g.waits.asks.set(slot)
	g.crossbar.expectInput(slot)
}

// startStraight starts a packet with a fixed route that contends with no other, if it may start.
// The packet is never queued.
func (g *general) startStraight(slot, id uint32, p *parcel) bool {
	out, flits := uint32(p.out), g.out.flow.asks(slot, p)
	o := g.out.at(out)
	c := g.crossbar.at(g.port(out))
	if o.holder != 0 || c.busy(g.events.now) || !g.crossbar.idleInput(slot) ||
		g.voq && g.waits.wishesAt(slot).has(out) || g.out.spaceOf(out) < g.out.flow.needs(out, flits) {
		return false
	}
	if !g.voq {
		g.in.at(slot).here.first = p.next
	}
	if !g.crossbar.outputs.has(out) {
		g.crossbar.release(c)
	}
	g.launch(slot, id, p, o)
	return true
}

// freeCrossing records that a crossbar output has become free, with the input of the packet that
// has left.
func (g *general) freeCrossing(port uint32) {
	c := g.crossbar.at(port)
	if c.halted != running {
		g.freeHalted(port, c)
		return
	}
	c.watched = false
	feeder := uint32(c.feeder)
	g.crossbar.outputs.setSpan(port*g.vcs, g.portMask)
	if g.adaptive {
		g.contest.reconsider(port, port*g.vcs, g.portMask)
		g.crossbar.inputs.setSpan(feeder*g.vcs, g.portMask)
		g.contest.reconsiderFrom(feeder)
		return
	}
	g.contest.contendForPort(port)
	g.crossbar.inputs.setSpan(feeder*g.vcs, g.portMask)
	g.contest.contendFrom(feeder)
}

// freeLink records that a link has become free, with the space of the packet that has left the
// output buffer.
func (g *general) freeLink(port uint32) {
	out := g.links.freed(port)
	if g.out.bufferAt(out).short {
		g.out.noted(out)
		g.contendFor(out, g.out.at(out))
	}
}

// contendFor adds the packets that wait for space in an output VC as contenders.
func (g *general) contendFor(out uint32, o *outlet) {
	switch {
	case !g.adaptive:
		if o.holder != 0 {
			g.contest.contendHolder(out)
		}
	case g.crossbar.outputs.has(out):
		g.contest.reconsider(g.port(out), out, 1)
	}
}

// serveLinks lets links that may have a packet to send take one from their output buffers.
func (g *general) serveLinks() {
	for w := range g.links.words {
		links := g.links.busy.word(w)
		for m := *links; m != 0; m &= m - 1 {
			port := w<<6 + uint32(bits.TrailingZeros64(m))
			if out, ok := g.links.first(port); ok {
				c := g.crossbar.at(port)
				id, p, leave := g.links.start(port, out, c.class)
				g.forward(id, p, c, port, leave)
			}
		}
		*links = 0
	}
}
