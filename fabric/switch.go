package fabric

// ask lets the first packet of a lane of the visited router, given by its timer, ask
// for its output now. Either it starts, or its timer is set to the next time at which
// it may, or it waits for credit or for the holder of its output lane.
func (b *Block) ask(r *routerState, timer uint32) {
	in := b.lanes.at(r.base + timer)
	p := b.nth(in, in.head)
	out := b.lanes.at(r.lanes + uint32(p.out))
	input, output := b.clocks.at(in.clock), b.clocks.at(out.clock)
	if free := max(input.in, output.out); free > b.now {
		b.soon(timer, free)
		return
	}
	slot := timer - uint32(r.first)
	if out.holder|out.park != 0 && out.holder != uint16(slot+1) {
		*b.park.at(r.lanes + slot) = out.park
		out.park = uint16(slot + 1)
		return
	}
	flits := int32(p.flits & flitMask)
	if !b.credited(out, flits) {
		b.hold(r, timer, out, flits)
		return
	}
	out.credit -= flits
	leave := b.now + int64(flits)*b.flitTime
	if b.special {
		leave = b.specialStart(r, slot, in, p, out)
	}
	output.out, input.in = leave, leave
	out.packets++
	if out.flits += uint32(flits); out.flits < uint32(flits) || out.packets == 0 {
		b.carry(out, uint32(flits))
	}
	if out.holder != 0 {
		b.unpark(r, out, leave)
	}
	if out.way == host {
		b.eject(out, p, leave)
	} else {
		b.forward(p, out, leave)
	}
	b.depart(r, timer, in, p, leave)
}

// hold makes the first packet of a lane the holder of an output lane that has
// not enough credit for it.
func (b *Block) hold(r *routerState, timer uint32, out *lane, flits int32) {
	out.holder = uint16(timer - uint32(r.first) + 1)
	if at := b.creditTime(out, flits); at != Forever {
		b.arm(r, timer, at) // slow memory may take long to give it back
	}
}

// specialStart does what only some networks need when a packet starts: it moves the
// round robin on, and returns when the packet's tail leaves if links are not all alike.
func (b *Block) specialStart(r *routerState, slot uint32, in *lane, p *packet, out *lane) int64 {
	if b.roundRobins {
		b.more.at(out.clock).last = slot + 1
	}
	flits := int64(p.flits & flitMask)
	if b.uneven {
		return b.leave(out, flits, p.time+int64(*b.pool.spans.at(in.base + in.head&in.mask)))
	}
	return b.now + flits*b.flitTime
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

// carry counts what no longer fits in a lane's 32-bit counters.
func (b *Block) carry(out *lane, flits uint32) {
	more := b.more.at(out.clock)
	if out.flits < flits {
		more.moreFlits++
	}
	if out.packets == 0 {
		more.morePacks++
	}
}

// forward sends a packet that has just started, and whose tail leaves at the
// time leave, on to the router to which its output lane leads.
func (b *Block) forward(p *packet, out *lane, leave int64) {
	b.counters.hops++
	var port, vc uint16
	var route uint64
	if b.dor != nil {
		port, vc, route = b.dor.Next(out.router, p.route)
	} else {
		port, vc, route = b.spec.Routing.Next(b.name(uint32(out.router)), p.route)
	}
	next := packet{
		time: b.now + b.classes.at(uint32(out.class)).hop, route: route,
		msg: p.msg, flits: p.flits, out: port*uint16(b.vcs) + vc,
	}
	if out.way == outside {
		b.sendPacket(uint32(out.router), b.wiring.at(out.clock).down+uint32(p.out)%b.vcs, next, uint32(leave-b.now))
		return
	}
	b.push(uint32(out.router), out.down, out, next, uint32(leave-b.now))
}

// push appends a packet to the FIFO of a lane of this block's, given by its number;
// up is its upstream side, nil if that lies in another block, and span is the time (ps)
// from the packet's head to its tail.
func (b *Block) push(router, number uint32, up *lane, p packet, span uint32) {
	in := b.lanes.at(number)
	n := b.add(up, in)
	if in.tail-in.head == 1 {
		if late := in.timer - p.time; late > 0 {
			span -= uint32(min(int64(span), late))
			p.time = in.timer
		}
		r := b.routers.at(router)
		b.arm(r, number-r.base, p.time)
	}
	*b.pool.packets.at(n) = p
	if b.uneven {
		*b.pool.spans.at(n) = span
	}
}

// shorten brings a packet's head, which could not ask at once, nearer to its tail by some ps.
func (b *Block) shorten(place uint32, late int64) {
	span := b.pool.spans.at(place)
	*span -= uint32(min(int64(*span), late))
}

// depart takes the first packet, p, out of its FIFO: its tail leaves at the time
// leave, its space becomes credit upstream, and the next one may ask.
func (b *Block) depart(r *routerState, timer uint32, in *lane, p *packet, leave int64) {
	in.head++
	if in.head == in.tail {
		in.timer = leave
	} else {
		next := b.nth(in, in.head)
		if next.time < leave {
			if b.uneven {
				b.shorten(in.base+in.head&in.mask, leave-next.time)
			}
			next.time = leave
		}
		b.soon(timer, next.time)
	}
	p.time = leave + b.classes.at(uint32(in.class)).credit
	if in.wanted || in.way == outside {
		b.giveBack(r, timer, in, p)
	}
}

// unpark ends the hold on an output lane: those that waited for it ask
// again when the output is free.
func (b *Block) unpark(r *routerState, out *lane, free int64) {
	out.holder = 0
	for slot := uint32(out.park); slot != 0; {
		b.soon(uint32(r.first)+slot-1, free)
		slot = uint32(*b.park.at(r.lanes + slot - 1))
	}
	out.park = 0
}
