package fabric

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	m := b.Message(id)
	if m.Payload != 0 {
		b.takeAlong(id, m)
	}
	n := b.send.nics.at(uint32(m.Src))
	if b.send.turns != nil {
		b.postTurn(id, m, n)
		return
	}
	if b.postAhead(id, m, n) {
		return
	}
	m.Left = b.send.packetsOf(m)
	b.ahead.under(id, m.Size)
	m.Next = uint32(NoMsg)
	if n.head == 0 {
		n.head = uint32(id)
		b.send.begin(b.hosts[b.send.hostOf(m.Src)], n, m)
	} else {
		b.Message(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.fetching == 0 {
		b.send.beginFetch(n, uint32(id), m)
		if b.bus != nil {
			b.bus.askToFetch(uint32(m.Src), n)
			return
		}
		idle := n.fetched == 0
		b.send.fetch(n)
		if idle {
			b.send.armNIC(m.Src, n.next())
		}
	}
}

// Reading implements Reader.
func (b *Block) Reading(host int32) bool {
	n := int32(b.spec.Graph.NICsPerHost)
	for nic := host * n; nic < (host+1)*n; nic++ {
		if b.send.nics.at(uint32(nic)).fetching != 0 {
			return true
		}
	}
	return false
}

// inject sends the packet that a NIC of the visited router has ready into the router's buffer, and
// the packets that follow in this window. No other NIC uses the link into the router, so the NIC's
// sends are known ahead as far as its credit lasts.
func (b *Block) inject(r *routerState, timer uint32) {
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
func (b *Block) enter(router uint32, n *nic, p packet, out *lane, number uint32) {
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

// advance makes the NIC numbered id ready for its next packet. It reports whether that packet has
// been fetched and may go without waiting for the NIC's timer.
func (b *Block) advance(r *routerState, id uint32, n *nic) bool {
	n.ready[0] = n.ready[1]
	n.fetched--
	if b.send.turns != nil {
		b.advanceTurn(id, n)
		return false
	}
	if b.bus == nil {
		b.send.fetch(n)
	} else {
		b.bus.askToFetch(id, n)
	}
	if n.injectLeft -= b.payload; n.injectLeft <= 0 {
		n.head = b.Message(MsgID(n.head)).Next
		if n.head == 0 {
			return false
		}
		b.send.begin(r.number, n, b.Message(MsgID(n.head)))
	} else if b.perPacket != nil {
		b.send.aim(r.number, n, b.Message(MsgID(n.head)))
	}
	return n.fetched > 0
}
