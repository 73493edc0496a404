package fabric

// ask lets the first packet of a lane of the visited router, given by its timer, ask
// for its output now. Either it starts, or its timer is set to the next time at which
// it may, or it waits for credit or for the holder of its output lane.
//
// Most of a simulation's time goes into what is called from here. These functions call one another last of
// all, and others only for what happens to few packets, so that the compiler keeps what they use in registers.
func (b *Block) ask(r *routerState, timer uint32) {
	in := b.lanes.at(r.base + timer)
	p := b.nth(in, in.head)
	out := b.lanes.at(r.lanes + uint32(in.next))
	if free := max(b.clocks.at(in.clock).in, b.clocks.at(out.clock).out); free > b.now {
		b.soon(r, timer, in, free)
		return
	}
	var leave int64
	if flits := int32(p.flits & flitMask); out.busy() || out.credit < flits {
		if !b.mayStart(r, timer, out, flits) {
			return
		}
		leave = b.start(r, timer, in, p, out)
	} else {
		leave = b.start(r, timer, in, p, out)
	}
	b.goOn(r, timer, leave)
}

// start lets the first packet, p, of a lane of the visited router go out by another lane, and
// returns when its tail leaves. Its space becomes credit upstream then.
func (b *Block) start(r *routerState, timer uint32, in *lane, p *packet, out *lane) (leave int64) {
	flits := uint64(p.flits & flitMask)
	leave = b.now + int64(flits)*b.flitTime
	if b.special || out.holder != 0 || in.way&(wanted|outside) != 0 {
		leave = b.startSpecially(r, timer, in, p, out)
	}
	b.clocks.at(out.clock).out = leave
	b.clocks.at(in.clock).in = leave
	out.credit -= int32(flits)
	if out.sent += 1<<sentPackets + flits; out.sent>>63 != 0 {
		b.carry(out)
	}
	in.head++
	p.time = leave + b.classes.at(uint32(in.class)).credit
	switch {
	case out.way&host != 0:
		b.eject(out, p, leave)
	case b.dor != nil && out.way&outside == 0:
		slot, route := b.dor.Hop(p.route)
		b.forward(p, out, leave, slot, route)
	default:
		b.forwardBeyond(p, out, leave)
	}
	return leave
}

// goOn lets the next packet in a lane of the visited router, if there is one, ask when it is ready,
// but not before the tail of the one before it has left.
func (b *Block) goOn(r *routerState, timer uint32, left int64) {
	in := b.lanes.at(r.base + timer)
	if in.head == in.tail {
		in.timer = left
		return
	}
	p := b.nth(in, in.head)
	in.next = p.out
	at := p.time
	if at < left {
		if b.uneven {
			b.shorten(in, left-at)
		}
		at = left
		p.time = at
	}
	b.soon(r, timer, in, at)
}

// mayStart tells whether the first packet of a lane may take an output lane that has a holder,
// or seems to have too little credit. If not, the packet has been put where it will be woken.
func (b *Block) mayStart(r *routerState, timer uint32, out *lane, flits int32) bool {
	slot := timer - uint32(r.first)
	if out.busy() && out.holder != uint16(timer+1) {
		b.lanes.at(r.lanes + slot).timer = int64(out.park)
		out.park = uint16(slot + 1)
		return false
	}
	if out.credit < flits && !b.credited(out, flits) {
		b.hold(r, timer, out, flits)
		return false
	}
	return true
}

// hold makes the first packet of a lane the holder of an output lane that has
// not enough credit for it.
func (b *Block) hold(r *routerState, timer uint32, out *lane, flits int32) {
	out.holder = uint16(timer + 1)
	if at := b.creditTime(out, flits); at != Forever {
		b.arm(r, timer, at) // slow memory may take long to give it back
	}
}

// startSpecially does what only some networks, or few packets, need when a packet starts: it moves the
// round robin on, lets those go on that waited for an output lane, and brings back credit that upstream waits for. It
// returns when the packet's tail leaves.
func (b *Block) startSpecially(r *routerState, timer uint32, in *lane, p *packet, out *lane) int64 {
	if b.roundRobins {
		b.more.at(out.clock).last = timer - uint32(r.first) + 1
	}
	flits := int64(p.flits & flitMask)
	leave := b.now + flits*b.flitTime
	if b.uneven {
		leave = b.leave(out, flits, p.time+int64(*b.pool.spans.at(in.base + in.head&(in.size-1))))
	}
	if out.holder != 0 {
		if b.observer != nil {
			b.observer.released(r, timer-uint32(r.first), out, leave)
		}
		b.unpark(r, out, leave)
	}
	if in.way&(wanted|outside) != 0 {
		b.giveBack(r, timer, in, leave+b.classes.at(uint32(in.class)).credit, p.flits)
	}
	return leave
}

// leave is when a packet's tail leaves if links are not all alike: not before
// it has arrived, and with the fraction of a ps that its output has saved up.
func (b *Block) leave(out *lane, flits, tailReady int64) int64 {
	more := b.more.at(out.clock)
	if b.clocks.at(out.clock).out != b.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = b.classes.at(uint32(out.class)).serialize.duration(flits*b.spec.Packet.Flit, more.fraction)
	return max(b.now+took, tailReady)
}

// carry moves a lane's count of what it has sent to its port.
func (b *Block) carry(out *lane) {
	more := b.more.at(out.clock)
	more.flits += out.sent & (1<<sentPackets - 1)
	more.packets += out.sent >> sentPackets
	out.sent = 0
}

// forward sends a packet that has just started, and whose tail leaves at the
// time leave, on to the router of this block to which its output lane leads: there it takes
// the output slot, and goes on with the header route.
func (b *Block) forward(p *packet, out *lane, leave int64, slot uint16, route uint64) {
	b.counters.hops++
	down := b.lanes.at(out.down)
	if down.tail == down.head {
		b.restart(out, down, b.now, int32(p.flits&flitMask))
	}
	if down.tail-down.pull >= down.size {
		b.makeRoom(out, down)
	}
	tail := down.tail
	down.tail = tail + 1
	place := down.base + tail&(down.size-1)
	to := b.pool.packets.at(place)
	to.time = b.now + b.classes.at(uint32(out.class)).hop
	to.route, to.msg, to.flits, to.out = route, p.msg, p.flits, slot
	if b.uneven {
		*b.pool.spans.at(place) = uint32(leave - b.now)
	}
	if tail == down.head {
		b.arrive(out, down, to)
	}
}

// arrive sets the timer of the lane downstream of another for a packet that has come into its empty FIFO.
func (b *Block) arrive(out, down *lane, p *packet) {
	if p.time < down.timer || b.uneven {
		b.startAsking(uint32(out.router), out.down, down, p)
		return
	}
	down.timer, down.next = p.time, p.out
	router, number := uint32(out.router), uint32(down.number)
	if ahead := b.calendar.ahead(p.time); ahead < wheel && b.plain {
		b.noteNear(router, number, ahead) // without the router's record, which is not at hand
	} else {
		b.note(b.routers.at(router), number, p.time)
	}
}

// forwardBeyond is forward for any routing, and to any block.
func (b *Block) forwardBeyond(p *packet, out *lane, leave int64) {
	route, slot := b.next(uint32(out.router), p.route)
	if out.way&outside == 0 {
		b.forward(p, out, leave, slot, route)
		return
	}
	b.counters.hops++
	next := packet{b.now + b.classes.at(uint32(out.class)).hop, route, p.msg, p.flits, slot}
	b.sendPacket(uint32(out.router), b.wiring.at(out.clock).down+uint32(p.out)%b.vcs, next, uint32(leave-b.now))
}

// startAsking sets the timer of a lane, given by its number too, for a packet that has come into its
// empty FIFO: it asks when it is ready, but not before the tail of the one before has left.
func (b *Block) startAsking(router, number uint32, in *lane, p *packet) {
	at := p.time
	if late := in.timer - at; late > 0 {
		if b.uneven {
			b.shorten(in, late)
		}
		if b.observer != nil {
			b.observer.came(number, at)
		}
		at = in.timer
		p.time = at
	}
	in.timer, in.next = at, p.out
	r := b.routers.at(router)
	if at < b.calendar.end && r.number == b.visiting { // from a NIC
		b.agenda.insert(at-b.calendar.start, number-r.base)
		return
	}
	b.note(r, number-r.base, at)
}

// push appends a packet from another block to the FIFO of its lane.
func (b *Block) push(m *packetMail) {
	in := b.lanes.at(m.lane)
	place := b.add(nil, in)
	to := b.pool.packets.at(place)
	*to = m.packet
	if b.uneven {
		*b.pool.spans.at(place) = m.span
	}
	if in.tail-in.head == 1 {
		b.startAsking(m.router, m.lane, in, to)
	}
}

// shorten brings the head of the first packet of a FIFO, which could not ask at once, nearer to its
// tail by some ps.
func (b *Block) shorten(in *lane, late int64) {
	span := b.pool.spans.at(in.base + in.head&(in.size-1))
	*span -= uint32(min(int64(*span), late))
}

// unpark ends the hold on an output lane: those that waited for it ask
// again when the output is free.
func (b *Block) unpark(r *routerState, out *lane, free int64) {
	out.holder = 0
	for slot := uint32(out.park); slot != 0; {
		in := b.lanes.at(r.lanes + slot - 1)
		next := uint32(in.timer)
		b.soon(r, uint32(r.first)+slot-1, in, free)
		slot = next
	}
	out.park = 0
}
