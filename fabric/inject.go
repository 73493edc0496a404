package fabric

// inject sends the packet that a NIC of the visited router has ready into the router's buffer, and
// the packets that follow in this window. No other NIC uses the link into the router, so the NIC's
// sends are known ahead as far as its credit lasts.
func (b *fast) inject(r *routerState, timer uint32) {
	id := r.nics + timer - uint32(r.wakes)
	n := b.send.nics.at(id)
	for began := b.events.now; ; {
		number := b.lanes.below(b.nicLanes + id*b.vcs + n.vc)
		out, in := b.lanes.at(b.nicLanes+id*b.vcs+n.vc), b.lanes.at(number)
		if b.streams && !n.paced && n.injectLeft > b.payload {
			if n.stalled && b.lanes.credited(out, in, int32(b.maxFlits)) {
				b.observer.unstallNIC(id, n)
			}
			if !b.stream(r, timer, n, out) {
				return
			}
		}
		size := b.send.nextSize(n)
		flits := int32(size & flitMask)
		if !b.lanes.credited(out, in, flits) {
			if b.events.now == began {
				if b.observer != nil {
					n.stalled = true
				}
				b.credit.await(r, timer, out, number, flits)
			} else {
				b.events.arm(r, timer, b.events.now)
			}
			return
		}
		if b.observer != nil {
			b.observer.injected(id, n, uint32(flits))
		}
		b.enter(r.number, n, packet{route: n.route, msg: MsgID(n.head), flits: size, out: n.out}, out, number)
		if !b.advance(r, id, n) {
			return
		}
		if b.events.now = n.next(); b.events.now >= b.events.calendar.end {
			b.events.arm(r, timer, b.events.now)
			return
		}
	}
}

// enter sends a NIC's packet now, on the output lane `out` into the router with the given number.
// The NIC must have credit for it.
func (b *fast) enter(router uint32, n *nic, p packet, out *lane, number uint32) {
	flits := p.flits & flitMask
	out.credit -= int32(flits)
	in := b.lanes.at(number)
	if in.tail == in.head {
		b.lanes.restart(out, in, b.events.now, int32(flits))
	}
	class := b.classes.at(uint32(in.class))
	tail := b.send.send(n, int64(flits), class.inject)
	place := b.lanes.add(out, in)
	to := b.lanes.pool.packets.at(place)
	p.time = b.events.now + class.entry
	*to = p
	if b.uneven {
		*b.lanes.pool.spans.at(place) = uint32(tail - b.events.now)
	}
	if in.tail-in.head == 1 {
		b.startAsking(router, number, in, to)
	}
}

// stream does what inject does, for full packets that are not the last of their message, where only
// credit can delay them. It goes on as far as the window, the message and the known credit allow.
// For the next packet it either sets the NIC's timer, or returns true: the caller has to inject it
// now.
func (b *fast) stream(r *routerState, timer uint32, n *nic, out *lane) bool {
	number := b.lanes.below(b.nicLanes + (r.nics+timer-uint32(r.wakes))*b.vcs + n.vc)
	in := b.lanes.at(number)
	now, flits := b.events.now, int32(b.maxFlits)
	took, fetching := int64(flits)*b.flitTime, b.payload*int64(b.dma.perByte)
	entry := b.classes.at(uint32(in.class)).entry
	for n.injectLeft > b.payload {
		if out.credit < flits {
			if b.events.now = now; !b.lanes.credited(out, in, flits) {
				return true
			}
		}
		out.credit -= flits
		if in.tail == in.head {
			b.lanes.restart(out, in, now, flits)
		}
		n.prevTail, n.lastTail, n.free = n.lastTail, now+took, now+took
		n.flits += uint64(flits)
		n.packets++
		b.counters.packets++
		b.counters.injectSum += now
		if in.tail-in.pull > in.mask {
			b.events.now = now
			b.lanes.makeRoom(out, in)
		}
		p := b.lanes.nth(in, in.tail)
		p.time = now + entry
		p.route, p.msg, p.flits, p.out = n.route, MsgID(n.head), uint16(flits), n.out
		if in.tail++; in.tail-in.head == 1 {
			b.startAsking(r.number, number, in, p)
		}
		n.injectLeft -= b.payload
		n.ready[0] = n.ready[1]
		if n.fetched--; n.fetched == 1 && fetching != 0 && n.fetchLeft > b.payload {
			n.dmaEnd = max(n.dmaEnd, n.lastTail) + fetching
			n.ready[1] = n.dmaEnd
			n.fetched = 2
			n.fetchLeft -= b.payload
		} else {
			b.send.fetch(n)
		}
		if now = n.next(); now >= b.events.calendar.end {
			b.events.arm(r, timer, now)
			return false
		}
	}
	b.events.now = now
	return true
}
