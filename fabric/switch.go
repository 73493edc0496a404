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
	channel := outPort*b.vcs + uint32(p.out&outVCMask)
	vc := &b.out[lr.ports*b.vcs+channel]
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
	b.start(router, lr, slot, in, input, out, vc)
}

// start moves the first packet of a FIFO through the crossbar.
func (b *Block) start(router uint32, lr *routerLayout, slot uint32, in *fifo, input, out *port, vc *output) {
	moved := b.pool.packets[in.head]
	outPort := uint32(moved.out >> outVCBits)
	lp := &b.wiring[lr.ports+outPort]
	class := &b.classes[lp.class]
	flits := int64(moved.flits & flitMask)

	leave := b.now + flits*class.flitTime
	if b.uneven {
		more := &b.more[lr.ports+outPort]
		leave = b.leave(class, more, out.outFree, flits, moved.time+int64(b.pool.spans[in.head]))
	}
	out.outFree, input.inFree = leave, leave
	b.tally(lr.ports+outPort, out, uint32(flits))
	if b.spec.Router.Arbiter == RoundRobin {
		b.more[lr.ports+outPort].last = slot + 1
	}
	if vc.holder != 0 || vc.park != 0 {
		b.unpark(router, lr, vc, leave)
	}
	b.depart(router, lr, slot, in, leave)
	if lp.nic >= 0 {
		b.eject(lp, class, &moved, vc, leave)
		return
	}
	b.counters.hops++
	moved.time = b.now + class.hop
	b.forward(lp, &moved, vc, uint32(leave-b.now))
}

// leave is when a packet's tail leaves if links are not all alike: not before
// it has arrived, and with the fraction of a ps that its output has saved up.
func (b *Block) leave(class *linkLayout, more *portMore, free, flits, tailReady int64) int64 {
	if free != b.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = class.serialize.duration(flits*b.spec.Packet.Flit, more.fraction)
	return max(b.now+took, tailReady)
}

// tally counts a packet that leaves by a port.
func (b *Block) tally(id uint32, p *port, flits uint32) {
	p.flits += flits
	p.packets++
	if p.flits < flits {
		b.more[id].moreFlits++
	}
	if p.packets == 0 {
		b.more[id].morePacks++
	}
}

// forward puts a packet that has just started into the next router's buffer.
func (b *Block) forward(lp *portLayout, p *packet, vc *output, span uint32) {
	channel := lp.down + uint32(p.out&outVCMask)
	port, next, route := b.next(lp.router, p.route)
	p.out = port<<outVCBits | next
	p.route = route
	if uint32(lp.router)-b.first >= b.count {
		b.sendPacket(uint32(lp.router), channel, p, span)
		return
	}
	b.reclaim(vc)
	b.push(uint32(lp.router), channel, p, span)
}

// push appends a packet to a FIFO of this block's.
func (b *Block) push(router, channel uint32, p *packet, span uint32) {
	in := &b.in[channel]
	n := b.pool.place(in)
	b.pool.packets[n] = *p
	if b.uneven {
		b.pool.spans[n] = span
	}
	in.count++
	if in.count > 1 {
		return
	}
	in.ask = max(p.time, in.ask)
	lr := &b.routers[router]
	b.arm(router, uint32(lr.first)+channel-lr.ports*b.vcs, in.ask)
}

// depart takes the first packet out of its FIFO: its tail leaves at the time
// leave, its space becomes credit, and the next one may ask.
func (b *Block) depart(router uint32, lr *routerLayout, slot uint32, in *fifo, leave int64) {
	n := in.head
	in.head = b.pool.after(n)
	in.count--
	if in.count != 0 {
		in.ask = max(b.pool.packets[in.head].time, leave)
		b.arm(router, uint32(lr.first)+slot, in.ask)
	} else {
		in.ask = leave
	}
	inPort := uint32(uint64(slot) * b.slotToPort >> 32)
	b.credit(lr, inPort, slot, in, n, leave)
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
