package fabric

// ask lets the first packet of a lane of the visited router request its output now. One of three
// things follows: it starts; its timer is set to the next time at which it may start; or it waits
// for credit or for the holder of its output lane.
//
// The engine spends most of its time in this function and its callees. Each ends in a tail call,
// and calls other functions only for what happens to few packets, so that the compiler keeps its
// values in registers.
func (b *fast) ask(r *routerState, timer uint32) {
	in, own := b.lanes.at(r.base+timer), b.ports.ofSlot(r, timer-uint32(r.first))
	p := b.lanes.nth(in, in.head)
	out, port := b.lanes.at(r.lanes+uint32(in.next)), b.ports.ofSlot(r, uint32(in.next))
	if free := max(own.in, port.out); free > b.events.now {
		b.events.soon(r, timer, in, free)
		return
	}
	var leave int64
	if flits := int32(p.flits & flitMask); out.busy() || out.credit < flits {
		if !b.mayStart(r, timer, in, out, port, flits) {
			return
		}
		leave = b.start(r, timer, in, p, out, own, port)
	} else {
		leave = b.start(r, timer, in, p, out, own, port)
	}
	b.goOn(r, timer, leave)
}

// start sends the first packet, p, of a lane of the visited router to another lane, and returns
// when its tail leaves (ps). Its space becomes credit upstream then.
func (b *fast) start(
	r *routerState, timer uint32, in *lane, p *packet, out *lane, own, port *portState,
) (leave int64) {
	flits := uint64(p.flits & flitMask)
	leave = b.events.now + int64(flits)*b.flitTime
	if b.special || out.holder != 0 || in.way&(wanted|outside) != 0 {
		leave = b.startSpecially(r, timer, in, p, out, port)
	}
	port.out = leave
	own.in = leave
	out.credit -= int32(flits)
	if port.sent += 1<<sentPackets + flits; port.sent>>63 != 0 {
		b.ports.carry(port)
	}
	number := b.ports.downstream(in, port)
	if in.head++; in.head == in.tail {
		in.timer = leave // before a sweep: this FIFO is empty, but its credit is not known yet
	}
	p.time = leave + b.classes.at(uint32(in.class)).credit
	switch {
	case out.way&host != 0:
		b.eject(out, port, number, p, leave)
	case out.way&outside == 0:
		slot, route := b.lanes.hop(p, uint32(port.router), b.lanes.at(number))
		b.forward(p, out, port, number, leave, slot, route)
	default:
		b.forwardBeyond(p, out, port, leave)
	}
	return leave
}

// goOn lets the next packet in a lane of the visited router, if there is one, ask when it is ready,
// but not before the tail of the one before it has left, at `left` (ps).
func (b *fast) goOn(r *routerState, timer uint32, left int64) {
	in := b.lanes.at(r.base + timer)
	if in.head == in.tail {
		in.timer = left
		b.lanes.drain(in)
		return
	}
	p := b.lanes.nth(in, in.head)
	in.next = p.out
	at := p.time
	if at < left {
		if b.uneven {
			b.lanes.shorten(in, left-at)
		}
		at = left
		p.time = at
	}
	b.events.soon(r, timer, in, at)
}

// mayStart reports whether the first packet of a lane may take an output lane that has a holder, or
// seems to lack credit. If not, it registers the packet where it will be woken.
func (b *fast) mayStart(
	r *routerState, timer uint32, in, out *lane, port *portState, flits int32,
) bool {
	slot := timer - uint32(r.first)
	if out.busy() && out.holder != uint16(timer+1) {
		more := b.lanes.more.at(r.lanes + uint32(in.next))
		in.timer = int64(more.park)
		more.park = uint16(slot + 1)
		return false
	}
	if out.credit < flits {
		number := b.ports.downstream(in, port)
		if !b.lanes.credited(out, b.lanes.at(number), flits) {
			b.credit.hold(r, timer, out, number, flits)
			return false
		}
	}
	return true
}

// startSpecially does what only some networks, or few packets, need when a packet starts. It
// advances the round robin, wakes packets that waited for an output lane, and returns credit that
// upstream waits for. It returns when the packet's tail leaves (ps).
func (b *fast) startSpecially(
	r *routerState, timer uint32, in *lane, p *packet, out *lane, port *portState,
) int64 {
	if b.roundRobins {
		b.ports.more.at(b.ports.number(port)).last = timer - uint32(r.first) + 1
	}
	flits := int64(p.flits & flitMask)
	leave := b.events.now + flits*b.flitTime
	if b.uneven {
		span := *b.lanes.pool.spans.at(in.base + uint32(in.head&in.mask))
		leave = b.ports.leave(b.ports.number(port), out.class, flits, p.time+int64(span))
	}
	if out.holder != 0 {
		if b.observer != nil {
			b.observer.released(r, timer-uint32(r.first), uint32(in.next), leave)
		}
		b.credit.unpark(r, uint32(in.next), leave)
	}
	if in.way&(wanted|outside) != 0 {
		b.credit.giveBack(r, timer, in, leave+b.classes.at(uint32(in.class)).credit, p.flits)
	}
	return leave
}

// forward sends a packet that has just started to the router of this block to which its output lane
// leads. Its tail leaves at `leave` (ps). At that router it takes the output slot `slot` and
// carries the header `route`.
func (b *fast) forward(
	p *packet, out *lane, port *portState, number uint32, leave int64, slot uint16, route uint64,
) {
	b.counters.hops++
	down := b.lanes.at(number)
	if down.tail == down.head {
		b.lanes.restart(out, down, b.events.now, int32(p.flits&flitMask))
	}
	if down.tail-down.pull > down.mask {
		b.lanes.makeRoom(out, down)
	}
	tail := down.tail
	down.tail = tail + 1
	place := down.base + uint32(tail&down.mask)
	to := b.lanes.pool.packets.at(place)
	to.time = b.events.now + b.classes.at(uint32(out.class)).hop
	to.route, to.msg, to.flits, to.out = route, p.msg, p.flits, slot
	if b.uneven {
		*b.lanes.pool.spans.at(place) = uint32(leave - b.events.now)
	}
	if tail == down.head {
		b.arrive(port, number, down, to)
	}
}

// arrive sets the timer of the lane downstream for a packet that has come into its empty FIFO.
func (b *fast) arrive(port *portState, lane uint32, down *lane, p *packet) {
	if p.time < down.timer || b.uneven {
		b.startAsking(uint32(port.router), lane, down, p)
		return
	}
	down.timer, down.next = p.time, p.out
	router, number := uint32(port.router), uint32(down.number)
	if ahead := b.events.calendar.ahead(p.time); ahead < wheel {
		// without the router's record, which is not at hand
		b.events.noteNear(router, b.events.firstWord(router)+number>>6, number, ahead)
	} else {
		b.events.note(b.routers.at(router), number, p.time)
	}
}

// forwardBeyond does what forward does, to another block.
func (b *fast) forwardBeyond(p *packet, out *lane, port *portState, leave int64) {
	route, slot := b.onward(uint32(port.router), p.route)
	b.counters.hops++
	next := packet{b.events.now + b.classes.at(uint32(out.class)).hop, route, p.msg, p.flits, slot}
	b.mail.sendPacket(
		uint32(port.router), b.beyond(b.ports.number(port))+uint32(p.out)%b.vcs, next,
		uint32(leave-b.events.now),
	)
}

// startAsking sets the timer of a lane for a packet that has come into its empty FIFO. The packet
// asks when it is ready, but not before the tail of the one before has left.
func (b *fast) startAsking(router, number uint32, in *lane, p *packet) {
	at := p.time
	if late := in.timer - at; late > 0 {
		if b.uneven {
			b.lanes.shorten(in, late)
		}
		if b.observer != nil {
			b.observer.came(number, at)
		}
		at = in.timer
		p.time = at
	}
	in.timer, in.next = at, p.out
	r := b.routers.at(router)
	if at < b.events.calendar.end && r.number == b.events.visiting { // from a NIC
		b.events.agenda.insert(at-b.events.calendar.start, number-r.base)
		return
	}
	b.events.note(r, number-r.base, at)
}

// push appends a packet from another block to the FIFO of its lane.
func (b *fast) push(m *packetMail) {
	in := b.lanes.at(m.lane)
	place := b.lanes.add(nil, in)
	to := b.lanes.pool.packets.at(place)
	*to = m.packet
	if b.uneven {
		*b.lanes.pool.spans.at(place) = m.span
	}
	if in.tail-in.head == 1 {
		b.startAsking(m.router, m.lane, in, to)
	}
}
