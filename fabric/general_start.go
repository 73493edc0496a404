package fabric

import (
	"unsafe"

	"fabricast/internal/prefetch"
)

// start sends a packet that waits in a slot's queue through the crossbar. Its output must be free
// and have space for it.
func (g *general) start(slot, id uint32, p *parcel, o *outlet) {
	g.in.unqueue(slot, id, p)
	g.launch(slot, id, p, o)
}

// launch does what start does, for a packet that is in no queue.
func (g *general) launch(slot, id uint32, p *parcel, o *outlet) {
	b := g.b
	in, out := g.port(slot), g.port(uint32(p.out))
	flits := int64(p.flits & flitMask)
	if g.observer != nil {
		g.observer.starts(slot, id, p)
	}
	if g.doors != nil {
		g.doors.starts(slot, id, p)
	}
	c, from := g.crossbar.at(out), g.crossbar.at(in)
	if c.free != b.events.now {
		c.fraction = 0
	}
	var took int64
	took, c.fraction = b.classes.at(uint32(c.class)).serialize.duration(flits*b.spec.Packet.Flit, c.fraction)
	leave := max(b.events.now+took, p.ready+g.alloc.grantTime+int64(p.span))
	c.free, c.feeder = leave, uint16(in)
	from.feeds = uint16(out)
	g.crossbar.taken = out * g.vcs
	g.crossbar.outputs.clearSpan(g.crossbar.taken, g.portMask)
	g.crossbar.inputs.clearSpan(in*g.vcs, g.portMask)
	if g.arbiter.memory != NoMemory {
		g.crossbar.grant(slot, out)
	}
	g.publish.changed = true
	if c.watched = g.separate || g.waits.awaited(in, out); c.watched {
		g.wheel.armHere(g.wheel.timers.ports+out, leave)
	}
	g.depart(slot, slot-in*g.vcs, from, p.flits, leave)
	if g.buffered {
		g.links.buffer(o, id, p, leave)
	} else {
		o.credit -= int32(flits)
		g.out.spend(uint32(p.out), o.credit)
		g.forward(id, p, c, out, leave)
	}
}

// depart turns the buffer space of a packet that has started into credit upstream, and lets the
// next packet ask. The packet came from a slot, VC vc of the input port `up`; its tail leaves at
// `leave` (ps).
func (g *general) depart(slot, vc uint32, up *crossing, flits uint16, leave int64) {
	b := g.b
	in := g.in.at(slot)
	in.flits -= int32(flits & flitMask)
	in.packets--
	if !g.voq {
		in.ask = leave + g.in.turnaround
		if in.here.first != 0 {
			first := g.pool.parcels.at(in.here.first)
			prefetch.Line(unsafe.Pointer(g.pool.parcels.at(first.next))) // is read when that starts
			in.ask = max(in.ask, first.ready)
			g.wheel.armHere(slot, in.ask)
		}
	}
	lane := up.down + vc
	at := leave + b.classes.at(uint32(up.class)).credit
	switch {
	case up.router == unconnected: // of an agent
	case up.router < 0:
		g.out.giveBack(g.r, lane, at, flits)
	case uint32(up.router)-b.first >= b.count:
		b.mail.sendCredit(uint32(up.router), lane, at, flits)
	default:
		g.out.giveBack(b.routers.at(uint32(up.router)), lane, at, flits)
	}
}

// forward sends a packet that starts on a link now to the other end of the link. Its tail leaves at
// `leave` (ps). c is the port with the number `port`.
func (g *general) forward(id uint32, p *parcel, c *crossing, port uint32, leave int64) {
	b := g.b
	vc := uint32(p.out) - port*g.vcs
	c.packets++
	c.flits += uint64(p.flits & flitMask)
	if g.observer != nil {
		g.observer.startsOn(g.r.ports+port, uint32(p.flits&flitMask))
	}
	router := c.router
	switch {
	case router == unconnected && g.doors != nil && g.doors.isAgent(port):
		g.doors.take(id, p, port, vc, leave)
		return
	case router == unconnected:
		panic(
			broken("router %d: routing sends a packet out of port %d, which leads nowhere", g.r.number, port),
		)
	case router < 0 && g.doors != nil:
		g.pool.give(id, p)
		g.doors.eject(id, c, port, vc, p.msg, p.flits, leave)
		return
	case router < 0:
		msg, flits := p.msg, p.flits
		g.pool.give(id, p)
		g.eject(c, port, vc, msg, flits, leave)
		return
	}
	b.counters.hops++
	p.ready, p.span = b.events.now+b.classes.at(uint32(c.class)).hop, uint32(leave-b.events.now)
	lane := c.down + vc
	switch {
	case g.doors != nil:
		g.doors.route(uint32(router), id, p, vc)
	case g.alloc.chooses:
		p.out = 0
	case !g.adaptive:
		p.route, p.out = b.onward(uint32(router), p.route)
	}
	if uint32(router)-b.first >= b.count {
		b.mail.sendPacket(
			uint32(router),
			lane,
			packet{time: p.ready, route: p.route, msg: p.msg, flits: p.flits, out: p.out},
			p.span,
		)
		if g.doors != nil {
			b.mail.sendRider(uint32(router), *g.doors.riders.at(id))
		}
		g.pool.give(id, p)
		return
	}
	g.in.push(b.routers.at(uint32(router)), lane, id, p)
}

// eject moves a packet that leaves by VC vc of a port into the memory of the host at the other end.
func (g *general) eject(c *crossing, port, vc uint32, msg MsgID, flits uint16, leave int64) {
	b := g.b
	class := b.classes.at(uint32(c.class))
	if b.bus != nil {
		b.bus.askToMove(
			uint32(c.nic()),
			arrival{tail: leave + class.tail, msg: msg, flits: flits, vc: uint16(vc)},
		)
		return
	}
	end, all := b.receive.move(c.nic(), msg, flits, leave+class.tail)
	g.out.giveBack(g.r, g.r.lanes+port*g.vcs+vc, end+class.credit, flits)
	if all {
		b.endpoint.Delivered(c.nic()/int32(b.spec.Graph.NICsPerHost), msg, end+b.busLatency)
	}
}

// pushNew does what push does, for a packet from a NIC or from another block. span is the time (ps)
// between its head and its tail.
func (g *general) pushNew(router, lane uint32, p packet, span uint32) (id uint32) {
	id, q := g.pool.take()
	*q = parcel{ready: p.time, route: p.route, msg: p.msg, flits: p.flits, out: p.out, span: span}
	g.in.push(g.b.routers.at(router), lane, id, q)
	return id
}

// inject implements Block.inject for the general path.
func (g *general) inject(timer uint32) {
	b := g.b
	id := g.r.nics + timer - uint32(g.r.wakes)
	n := b.send.nics.at(id)
	for first := true; ; first = false {
		if g.injectInTurn {
			n.vc = uint32(n.packets % uint64(g.vcs))
		}
		o := g.out.outlets.at(b.layout.nicLanes + id*g.vcs + n.vc)
		size := b.send.nextSize(n)
		if !g.out.credited(o, g.out.flow.nicNeeds(n, size)) {
			if first && g.observer != nil {
				n.stalled = true
			}
			if !first {
				b.events.arm(g.r, timer, b.events.now)
			} else if o.wanted = o.n == 0; !o.wanted {
				b.events.arm(g.r, timer, o.next())
			}
			return
		}
		o.credit -= int32(size & flitMask)
		if g.observer != nil {
			g.observer.injected(id, n, uint32(size&flitMask))
		}
		port := uint32(b.spec.Graph.NICPort[id])
		class := b.classes.at(uint32(b.spec.Graph.Ports[port].Link))
		tail := b.send.send(n, int64(size&flitMask), class.inject)
		g.pushNew(g.r.number, port*g.vcs+n.vc,
			packet{b.events.now + class.entry, n.route, MsgID(n.head), size, n.out}, uint32(tail-b.events.now))
		if !b.advance(g.r, id, n) {
			return
		}
		if b.events.now = n.next(); b.events.now >= b.events.calendar.end {
			b.events.arm(g.r, timer, b.events.now)
			return
		}
	}
}
