package fabric

// start sends a packet of a slot that waits in its queue through the crossbar toward its output, which is
// free and has space for it.
func (g *general) start(slot, id uint32, p *parcel, o *outlet) {
	g.unqueue(slot, id, p)
	g.launch(slot, id, p, o)
}

// launch is start for a packet that is in no queue.
func (g *general) launch(slot, id uint32, p *parcel, o *outlet) {
	b := g.b
	in, out := uint32(*g.portOf.at(slot)), uint32(*g.portOf.at(uint32(p.out)))
	flits := int64(p.flits & flitMask)
	if b.observer != nil {
		b.observer.starts(slot, id, p)
	}
	c, from := g.ports.at(g.firstPort+out), g.ports.at(g.firstPort+in)
	if c.free != b.now {
		c.fraction = 0
	}
	var took int64
	took, c.fraction = b.classes.at(uint32(c.class)).serialize.duration(flits*b.spec.Packet.Flit, c.fraction)
	leave := max(b.now+took, p.ready+int64(p.span))
	c.free, c.feeder = leave, uint16(in)
	from.feeds = uint16(out)
	g.taken = out * g.vcs
	g.outputs.clearSpan(g.taken, g.portMask)
	g.inputs.clearSpan(in*g.vcs, g.portMask)
	if g.arbiter != FCFS {
		g.grant(slot, out)
	}
	g.publish.changed = true
	if c.watched = g.awaited(in, out); c.watched {
		g.armHere(g.timers.ports+out, leave)
	}
	g.depart(slot, slot-in*g.vcs, from, p.flits, leave)
	if g.buffered {
		g.buffer(o, id, p, leave)
	} else {
		o.credit -= int32(flits)
		g.spend(uint32(p.out), o.credit)
		g.forward(id, p, c, out, leave)
	}
}

// unqueue takes a packet that starts out of its queue.
func (g *general) unqueue(slot, id uint32, p *parcel) {
	in := g.inlets.at(g.lanes + slot)
	out := uint32(p.out)
	switch {
	case g.adaptive:
		g.forget(slot)
		g.pool.drop(&in.here, id, p)
		if g.voq && in.here.first != 0 {
			g.rememberAll(slot, in)
			return
		}
	case g.voq:
		if q := g.queueOf(slot, out); q.last != id {
			q.first = p.next
			return
		}
		if !g.stillWaits(slot, out) {
			g.waitersFor(uint32(*g.portOf.at(out))).clear(slot)
		}
		if g.wishesAt(slot).any(g.words) {
			return
		}
	default:
		in.here.first = p.next
		g.waitersFor(uint32(*g.portOf.at(out))).clear(slot)
	}
	g.asks.clear(slot)
}

// stillWaits notes that a slot's virtual output queue is empty, and tells whether
// others for the same port are not.
func (g *general) stillWaits(slot, out uint32) bool {
	wishes := g.wishesAt(slot)
	wishes.clear(out)
	return wishes.span(uint32(*g.portOf.at(out))*g.vcs, g.portMask) != 0
}

// depart makes the space of a packet that has started from a slot, virtual channel vc of an input port, credit
// upstream, and lets the next one ask; its tail leaves at the time leave.
func (g *general) depart(slot, vc uint32, up *crossing, flits uint16, leave int64) {
	b := g.b
	in := g.inlets.at(g.lanes + slot)
	in.flits -= int32(flits & flitMask)
	in.packets--
	if !g.voq {
		in.ask = leave
		if in.here.first != 0 {
			in.ask = max(leave, g.pool.parcels.at(in.here.first).ready)
			g.armHere(slot, in.ask)
		}
	}
	lane := up.down + vc
	at := leave + b.classes.at(uint32(up.class)).credit
	switch {
	case up.router < 0:
		g.giveBack(g.r, lane, at, flits)
	case uint32(up.router)-b.first >= b.count:
		b.sendCredit(uint32(up.router), lane, at, flits)
	default:
		g.giveBack(b.routers.at(uint32(up.router)), lane, at, flits)
	}
}

// forward sends a packet that starts on a link now, and whose tail leaves at the
// time leave, to the other end. c is the port, of the given number.
func (g *general) forward(id uint32, p *parcel, c *crossing, port uint32, leave int64) {
	b := g.b
	vc := uint32(p.out) - port*g.vcs
	c.packets++
	c.flits += uint64(p.flits & flitMask)
	if b.observer != nil {
		b.observer.started(g.firstPort+port-b.observer.firstPort, uint32(p.flits&flitMask))
	}
	router := c.router
	switch {
	case router == unconnected:
		panic(broken("router %d: routing sends a packet out of port %d, which leads nowhere", g.r.number, port))
	case router < 0:
		msg, flits := p.msg, p.flits
		g.pool.give(id, p)
		g.eject(c, port, vc, msg, flits, leave)
		return
	}
	b.counters.hops++
	p.ready, p.span = b.now+b.classes.at(uint32(c.class)).hop, uint32(leave-b.now)
	lane := c.down + vc
	if !g.adaptive {
		p.route, p.out = b.next(uint32(router), p.route)
	}
	if uint32(router)-b.first >= b.count {
		b.sendPacket(uint32(router), lane, packet{time: p.ready, route: p.route, msg: p.msg, flits: p.flits, out: p.out}, p.span)
		g.pool.give(id, p)
		return
	}
	g.push(b.routers.at(uint32(router)), lane, id, p)
}

// eject moves a packet that leaves by a virtual channel of a port into the memory of the NIC's host at the other end.
func (g *general) eject(c *crossing, port, vc uint32, msg MsgID, flits uint16, leave int64) {
	b := g.b
	class := b.classes.at(uint32(c.class))
	if b.bus != nil {
		b.askToMove(uint32(c.nic()), arrival{tail: leave + class.tail, msg: msg, flits: flits, vc: uint16(vc)})
		return
	}
	end, all := b.move(c.nic(), msg, flits, leave+class.tail)
	g.giveBack(g.r, g.lanes+port*g.vcs+vc, end+class.credit, flits)
	if all {
		b.endpoint.Delivered(c.nic()/int32(b.spec.Graph.NICsPerHost), msg, end+b.busLatency)
	}
}

// pushNew is push for a packet that comes from a NIC or from another block; span is
// the time (ps) from its head to its tail.
func (g *general) pushNew(router, lane uint32, p packet, span uint32) {
	id, q := g.pool.take()
	*q = parcel{ready: p.time, route: p.route, msg: p.msg, flits: p.flits, out: p.out, span: span}
	g.push(g.b.routers.at(router), lane, id, q)
}

// push appends a packet to the buffer of a lane, given by its number, of a router of this block.
func (g *general) push(r *routerState, lane, id uint32, p *parcel) {
	in := g.inlets.at(lane)
	in.flits += int32(p.flits & flitMask)
	in.packets++
	if g.voq {
		idle := in.coming.first == 0
		g.pool.add(&in.coming, id, p)
		if idle {
			in.ask = p.ready
			g.arm(r, lane-r.lanes, p.ready)
		}
		return
	}
	idle := in.here.first == 0
	g.pool.add(&in.here, id, p)
	if idle {
		in.ask = max(in.ask, p.ready)
		g.arm(r, lane-r.lanes, in.ask)
	}
}

// inject is Block.inject on the general path.
func (g *general) inject(timer uint32) {
	b := g.b
	id := g.r.nics + timer - uint32(g.r.wakes)
	n := b.nics.at(id)
	for first := true; ; first = false {
		o := g.outlets.at(b.layout.nicLanes + id*g.vcs + n.vc)
		size := b.nextSize(n)
		if !g.credited(o, int32(size&flitMask)) {
			if first && b.observer != nil {
				n.stalled = true
			}
			if !first {
				b.arm(g.r, timer, b.now)
			} else if o.wanted = o.n == 0; !o.wanted {
				b.arm(g.r, timer, o.times[0])
			}
			return
		}
		o.credit -= int32(size & flitMask)
		if b.observer != nil {
			b.observer.injected(id, n, uint32(size&flitMask))
		}
		tail := b.send(n, int64(size&flitMask))
		g.pushNew(g.r.number, uint32(b.spec.Graph.NICPort[id])*g.vcs+n.vc,
			packet{b.now + b.entry, n.route, MsgID(n.head), size, n.out}, uint32(tail-b.now))
		if !b.advance(g.r, id, n) {
			return
		}
		if b.now = n.next(); b.now >= b.calendar.end {
			b.arm(g.r, timer, b.now)
			return
		}
	}
}

// next is the header that a packet carries onward from a router, and the slot of its
// output there.
func (b *Block) next(router uint32, header uint64) (route uint64, out uint16) {
	port, vc, route := b.spec.Routing.Next(b.name(router), header)
	return route, port*uint16(b.vcs) + vc
}
