package fabric

// ask lets the first packet of a router's input channel (slot) ask for its
// output now. Either it starts, or its timer is set to the next time at which
// it may, or it waits for credit or for the holder of its output channel.
func (b *Block) ask(router uint32, lr *routerLayout, slot uint32) {
	in := &b.in[lr.ports*b.vcs+slot]
	p := &b.pool.packets[in.head]
	inPort := uint32(uint64(slot) * b.slotToPort >> 32)
	outPort := uint32(p.out >> outVCBits)
	input, out := &b.ports[lr.ports+inPort], &b.ports[lr.ports+outPort]
	if free := max(input.inFree, out.outFree); free > b.now {
		b.arm(router, uint32(lr.first)+slot, free)
		return
	}
	vc := &b.out[(lr.ports+outPort)*b.vcs+uint32(p.out&outVCMask)]
	if vc.holder != 0 && uint32(vc.holder) != slot+1 {
		in.park = vc.park
		vc.park = uint16(slot + 1)
		return
	}
	flits := int32(p.flits & flitMask)
	if vc.credit < flits && !b.pull(vc, flits) {
		vc.holder = uint16(slot + 1)
		if at := b.creditTime(vc, flits); at != Forever {
			b.arm(router, uint32(lr.first)+slot, at)
		}
		return
	}
	vc.credit -= flits
	leave := b.occupy(lr, slot, outPort, in, out, int64(flits))
	input.inFree = leave
	if vc.holder|vc.park != 0 {
		b.unpark(router, lr, vc, leave)
	}
	b.forward(p, lr.ports+outPort, vc, leave)
	b.depart(router, lr, slot, inPort, in, leave)
}

// occupy takes the output for the first packet of a FIFO, and returns when the
// packet's tail leaves.
func (b *Block) occupy(lr *routerLayout, slot, outPort uint32, in *fifo, out *port, flits int64) int64 {
	id := lr.ports + outPort
	leave := b.now + flits*b.flitTime
	if b.uneven {
		leave = b.leave(id, out, flits, b.pool.packets[in.head].time+int64(b.pool.spans[in.head]))
	}
	out.outFree = leave
	out.flits += uint32(flits)
	out.packets++
	if out.flits < uint32(flits) || out.packets == 0 {
		b.carry(id, out, uint32(flits))
	}
	if b.roundRobins {
		b.more[id].last = slot + 1
	}
	return leave
}

// leave is when a packet's tail leaves if links are not all alike: not before
// it has arrived, and with the fraction of a ps that its output has saved up.
func (b *Block) leave(id uint32, out *port, flits, tailReady int64) int64 {
	more := &b.more[id]
	if out.outFree != b.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = b.classes[b.wiring[id].class].serialize.duration(flits*b.spec.Packet.Flit, more.fraction)
	return max(b.now+took, tailReady)
}

// carry counts what no longer fits in a port's 32-bit counters.
func (b *Block) carry(id uint32, out *port, flits uint32) {
	if out.flits < flits {
		b.more[id].moreFlits++
	}
	if out.packets == 0 {
		b.more[id].morePacks++
	}
}

// forward sends a packet that has just started on to what its output leads to.
func (b *Block) forward(p *packet, outPort uint32, vc *output, leave int64) {
	lp := &b.wiring[outPort]
	class := &b.classes[lp.class]
	if lp.router < 0 {
		b.eject(lp, class, p, vc, leave)
		return
	}
	b.counters.hops++
	router := uint32(lp.router)
	channel := lp.down + uint32(p.out&outVCMask)
	var port, next uint16
	moved := packet{time: b.now + class.hop, msg: p.msg, flits: p.flits}
	if b.dor != nil {
		port, next, moved.route = b.dor.Next(lp.router, p.route)
	} else {
		port, next, moved.route = b.spec.Routing.Next(lp.router, p.route)
	}
	moved.out = port<<outVCBits | next
	span := uint32(leave - b.now)
	if router-b.first >= b.count {
		b.sendPacket(router, channel, &moved, span)
		return
	}
	b.push(router, channel, vc, &moved, span)
}

// push appends a packet to a FIFO of this block's; vc is the upstream side.
func (b *Block) push(router, channel uint32, vc *output, p *packet, span uint32) {
	in := &b.in[channel]
	if in.gone > gonePackets {
		b.reclaim(vc, in)
	}
	n := b.pool.place(in)
	b.pool.packets[n] = *p
	if b.uneven {
		b.pool.spans[n] = span
	}
	if in.count++; in.count == 1 {
		in.ask = max(p.time, in.ask)
		lr := &b.routers[router]
		b.arm(router, uint32(lr.first)+channel-lr.ports*b.vcs, in.ask)
	}
}

// depart takes the first packet out of its FIFO: its tail leaves at the time
// leave, its space becomes credit, and the next one may ask.
func (b *Block) depart(router uint32, lr *routerLayout, slot, inPort uint32, in *fifo, leave int64) {
	n := in.head
	in.head = b.pool.after(n)
	if in.count--; in.count != 0 {
		in.ask = max(b.pool.packets[in.head].time, leave)
		b.arm(router, uint32(lr.first)+slot, in.ask)
	} else {
		in.ask = leave
	}
	b.credit(&b.wiring[lr.ports+inPort], slot-inPort*b.vcs, in, n, leave)
}

// unpark ends the hold on an output channel: those that waited for it ask
// again when the output is free.
func (b *Block) unpark(router uint32, lr *routerLayout, vc *output, free int64) {
	vc.holder = 0
	for slot := uint32(vc.park); slot != 0; {
		in := &b.in[lr.ports*b.vcs+slot-1]
		b.arm(router, uint32(lr.first)+slot-1, free)
		slot, in.park = uint32(in.park), 0
	}
	vc.park = 0
}
