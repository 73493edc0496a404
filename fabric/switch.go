package fabric

// ask lets the first packet of a router's input channel (slot) ask for its
// output now. Either it starts, or its timer is set to the next time at which
// it may, or it waits for credit or for the holder of its output channel.
func (b *Block) ask(router uint32, lr *routerLayout, slot uint32) {
	channel := lr.channels + slot
	in := b.in.at(channel)
	p := b.nth(in, channel, in.head)
	outPort := uint32(p.out >> outVCBits)
	input := b.ports.at(lr.ports + uint32(uint64(slot)*b.slotToPort>>32))
	out := b.ports.at(lr.ports + outPort)
	if free := max(input.inFree, out.outFree); free > b.now {
		b.soon(uint32(lr.first)+slot, free)
		return
	}
	vc := b.out.at(lr.channels + outPort*b.vcs + uint32(p.out&outVCMask))
	if vc.holder|vc.park != 0 && vc.holder != uint16(slot+1) {
		*b.park.at(lr.channels + slot) = vc.park
		vc.park = uint16(slot + 1)
		return
	}
	flits := int32(p.flits & flitMask)
	if vc.credit < flits && !b.pull(vc, flits) {
		b.hold(lr, slot, vc, flits)
		return
	}
	vc.credit -= flits
	b.used |= 1 << (outPort*b.vcs + uint32(p.out&outVCMask))
	leave := b.now + int64(flits)*b.flitTime
	if b.uneven {
		leave = b.leave(lr.ports+outPort, out, int64(flits), p.time+int64(*b.pool.spans.at(b.place(in, channel, in.head))))
	}
	out.outFree = leave
	input.inFree = leave
	out.packets++
	if out.flits += uint32(flits); out.flits < uint32(flits) || out.packets == 0 {
		b.carry(lr.ports+outPort, out, uint32(flits))
	}
	if b.roundRobins {
		b.more.at(lr.ports + outPort).last = slot + 1
	}
	if vc.holder != 0 {
		b.unpark(lr, vc, leave)
	}
	b.forward(p, b.wiring.at(lr.ports+outPort), vc, leave)
	b.depart(lr, slot, in, p, leave)
}

// hold makes the first packet of the slot's FIFO the holder of an output
// channel that has not enough credit for it.
func (b *Block) hold(lr *routerLayout, slot uint32, vc *output, flits int32) {
	vc.holder = uint16(slot + 1)
	if at := b.creditTime(vc, flits); at != Forever {
		b.armSlot(b.visiting, lr.channels+slot, at) // slow memory may take long to give it back
	}
}

// leave is when a packet's tail leaves if links are not all alike: not before
// it has arrived, and with the fraction of a ps that its output has saved up.
func (b *Block) leave(id uint32, out *port, flits, tailReady int64) int64 {
	more := b.more.at(id)
	if out.outFree != b.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = b.classes.at(uint32(b.wiring.at(id).class)).serialize.duration(flits*b.spec.Packet.Flit, more.fraction)
	return max(b.now+took, tailReady)
}

// carry counts what no longer fits in a port's 32-bit counters.
func (b *Block) carry(id uint32, out *port, flits uint32) {
	if out.flits < flits {
		b.more.at(id).moreFlits++
	}
	if out.packets == 0 {
		b.more.at(id).morePacks++
	}
}

// forward sends a packet that has just started, and whose tail leaves at the
// time leave, on to what its output leads to. vc is its output channel.
func (b *Block) forward(p *packet, lp *portLayout, vc *output, leave int64) {
	router := uint32(lp.router)
	if int32(router) < 0 {
		b.eject(lp, p, vc, leave)
		return
	}
	b.counters.hops++
	var port, next uint16
	var route uint64
	if b.dor != nil {
		port, next, route = b.dor.Next(int32(router), p.route)
	} else {
		port, next, route = b.spec.Routing.Next(int32(router), p.route)
	}
	channel := lp.down + uint32(p.out&outVCMask)
	ready := b.now + b.classes.at(uint32(lp.class)).hop
	if router-b.first >= b.count {
		b.sendPacket(router, channel, packet{ready, route, p.msg, p.flits, port<<outVCBits | next}, uint32(leave-b.now))
		return
	}
	in := b.in.at(channel)
	n := b.add(vc, in, channel)
	*b.pool.packets.at(n) = packet{ready, route, p.msg, p.flits, port<<outVCBits | next}
	if b.uneven {
		*b.pool.spans.at(n) = uint32(leave - b.now)
	}
	if in.tail-in.head == 1 {
		in.ask = max(ready, in.ask)
		b.armSlot(router, channel, in.ask)
	}
}

// armSlot sets the timer of an input channel, given by its global number, which
// must not be set.
func (b *Block) armSlot(router, channel uint32, at int64) {
	lr := b.routers.at(router)
	timer := uint32(lr.first) + channel - lr.channels
	if at < b.calendar.end && router == b.visiting {
		b.soon(timer, at)
		return
	}
	b.in.at(channel).timer = at
	*b.armed.at(lr.masks + timer>>6) |= 1 << (timer & 63)
	b.calendar.mark(router-b.first, at)
}

// push appends a packet to a FIFO of this block's; vc is its upstream side, nil
// if that lies in another block.
func (b *Block) push(router, channel uint32, vc *output, p packet, span uint32) {
	in := b.in.at(channel)
	n := b.add(vc, in, channel)
	*b.pool.packets.at(n) = p
	if b.uneven {
		*b.pool.spans.at(n) = span
	}
	if in.tail-in.head == 1 {
		in.ask = max(p.time, in.ask)
		b.armSlot(router, channel, in.ask)
	}
}

// depart takes the first packet, p, out of its FIFO: its tail leaves at the time
// leave, its space becomes credit upstream, and the next one may ask.
func (b *Block) depart(lr *routerLayout, slot uint32, in *fifo, p *packet, leave int64) {
	in.head++
	in.ask = leave
	if in.head != in.tail {
		if ready := b.nth(in, lr.channels+slot, in.head).time; ready > leave {
			in.ask = ready
		}
		b.soon(uint32(lr.first)+slot, in.ask)
	}
	inPort := uint32(uint64(slot) * b.slotToPort >> 32)
	up := b.wiring.at(lr.ports + inPort)
	p.time = leave + b.classes.at(uint32(up.class)).credit
	if *b.extras.at(lr.channels + slot)&extraWanted != 0 || uint32(up.router)-b.first >= b.count {
		b.credit(up, slot-inPort*b.vcs, lr.channels+slot, p)
	}
}

// unpark ends the hold on an output channel: those that waited for it ask
// again when the output is free.
func (b *Block) unpark(lr *routerLayout, vc *output, free int64) {
	vc.holder = 0
	for slot := uint32(vc.park); slot != 0; {
		b.soon(uint32(lr.first)+slot-1, free)
		slot = uint32(*b.park.at(lr.channels + slot - 1))
	}
	vc.park = 0
}
