package fabric

import "fabricast/routing"

// tryNIC lets a NIC of a router of the block try to send now.
func (d *doors) tryNIC(r *routerState, nic uint32) {
	d.b.events.setEarlier(r, uint32(r.wakes)+nic-r.nics, d.b.events.now)
}

// flowAt returns a flow as its sender or its receiver knows it.
func (d *doors) flowAt(t *flowTable, nics *array[uint64], words int, nic, src, dst int32) *Flow {
	other := dst
	if nic == dst {
		other = src
	}
	d.flow = Flow{
		Source: src, Destination: dst,
		NIC: stateOf(nics, uint32(nic), words), State: t.of(nic, other),
	}
	return &d.flow
}

// sender returns a flow as its sender knows it. There must be an injector.
func (d *doors) sender(src, dst int32) *Flow {
	return d.flowAt(&d.senders, &d.all.senders, d.Injector.NICState, src, src, dst)
}

// inject does what general.inject does, for networks with doors. Whatever may let the NIC send sets its timer.
func (d *doors) inject(timer uint32) {
	b, g := d.b, d.g
	id := g.r.nics + timer - uint32(g.r.wakes)
	n, own := b.send.nics.at(id), d.all.nics.at(id)
	switch {
	case own.head != 0 && n.free > b.events.now:
		b.events.setEarlier(g.r, timer, n.free)
	case own.head != 0:
		d.injectReply(timer, id, n, own)
	case n.fetched == 0:
	case n.next() > b.events.now:
		b.events.setEarlier(g.r, timer, n.next())
	default:
		d.injectPacket(timer, id, n)
	}
}

// injectPacket sends the packet that a NIC has ready, if the injector allows it and there is credit.
func (d *doors) injectPacket(timer, id uint32, n *nic) {
	b, g := d.b, d.g
	m, size := b.messages.at(MsgID(n.head)), b.send.nextSize(n)
	if i := d.Injector; i != nil && i.Next != nil {
		d.depart(m, size, 0)
		if at := i.Next(d.sender(m.Src, m.Dst), &d.departure); at > b.events.now {
			if at != Forever {
				b.events.setEarlier(g.r, timer, at)
			}
			return
		}
	}
	epoch := d.epochAt(b.events.now)
	if epoch > 0 {
		slot, route, vc := d.enter(epoch, g.r.number, m)
		n.out, n.route, n.vc = slot, route, uint32(vc)
	}
	if g.injectInTurn {
		n.vc = uint32(n.packets % uint64(g.vcs))
	}
	if !d.credited(timer, id, n, n.vc, g.out.flow.nicNeeds(n, size)) {
		if g.observer != nil {
			n.stalled = true
		}
		return
	}
	flits := size & flitMask
	if g.observer != nil {
		g.observer.injected(id, n, uint32(flits))
	}
	x := rider{epoch: epoch}
	if i := d.Injector; i != nil && i.Sent != nil {
		d.depart(m, size, b.events.now)
		i.Sent(d.sender(m.Src, m.Dst), &d.departure)
		x.meta = d.departure.Meta
	}
	class := b.classes.at(uint32(b.spec.Graph.Ports[b.spec.Graph.NICPort[id]].Link))
	tail := b.send.send(n, int64(flits), class.inject)
	d.enterRouter(id, n.vc, packet{b.events.now + class.entry, n.route, MsgID(n.head), size, n.out}, x, tail)
	if b.advance(g.r, id, n) {
		b.events.setEarlier(g.r, timer, n.next())
	}
}

// depart describes a packet to the injector.
func (d *doors) depart(m *Message, size uint16, now int64) {
	d.departure = Departure{
		Now: now, Flits: int64(size & flitMask), Bytes: d.b.receive.payloadOf(m, size), Message: m,
	}
}

// credited reports whether a NIC has credit for so many flits on a VC. If not, the next return of credit
// sets its timer.
func (d *doors) credited(timer, id uint32, n *nic, vc uint32, flits int32) bool {
	o := d.g.out.outlets.at(d.b.layout.nicLanes + id*d.g.vcs + vc)
	if d.g.out.credited(o, flits) {
		return true
	}
	if o.wanted = o.n == 0; !o.wanted {
		d.b.events.setEarlier(d.g.r, timer, o.next())
	}
	return false
}

// enterRouter puts a packet that a NIC sends now by a VC into the buffer of its router.
func (d *doors) enterRouter(id, vc uint32, p packet, x rider, tail int64) {
	g := d.g
	g.out.outlets.at(d.b.layout.nicLanes + id*g.vcs + vc).credit -= int32(p.flits & flitMask)
	if port, taken := d.takenAt(g.r.number, p.msg, p.flits, &x); taken {
		p.out = uint16(port*g.vcs + vc)
		m := d.b.messages.at(p.msg)
		p.route, _ = d.routingOf(x.epoch).Start(m.Src, m.Dst)
	}
	lane := uint32(d.b.spec.Graph.NICPort[id])*g.vcs + vc
	parcel := g.pushNew(g.r.number, lane, p, uint32(tail-d.b.events.now))
	*d.riders.at(parcel) = x
}

// injectReply sends the first reply of a NIC whose link is free, if there is credit.
func (d *doors) injectReply(timer, id uint32, n *nic, own *doorNIC) {
	b, g := d.b, d.g
	msg := MsgID(own.head)
	m := b.messages.at(msg)
	x := rider{epoch: d.epochAt(b.events.now), control: true}
	var slot uint16
	var route uint64
	var vc uint8
	if b.perPacket == nil {
		slot, route, vc = d.enter(x.epoch, g.r.number, m)
	} else { // the coins of replies are others than those of packets
		route, vc = b.perPacket.StartPacket(m.Src, m.Dst, routing.Coin(b.spec.Seed, m.Src, 1<<63|own.packets))
		if b.spec.Adaptive == nil {
			route, slot = b.onward(g.r.number, route)
		}
	}
	size := uint16(b.flits(0)) | lastPacket
	if !d.credited(timer, id, n, uint32(vc), d.replyNeeds(msg, uint32(vc), size)) {
		return
	}
	if own.head = m.Next; own.head == 0 {
		own.tail = 0
	}
	own.packets++
	own.flits += uint64(size & flitMask)
	b.counters.packets++
	b.counters.injectSum += b.events.now
	class := b.classes.at(uint32(b.spec.Graph.Ports[b.spec.Graph.NICPort[id]].Link))
	if n.free != b.events.now {
		n.linkPart = 0
	}
	took, left := class.inject.duration(int64(size&flitMask)*b.spec.Packet.Flit, n.linkPart)
	n.linkPart, n.free = left, b.events.now+took
	d.enterRouter(id, uint32(vc), packet{b.events.now + class.entry, route, msg, size, slot}, x, n.free)
	b.events.setEarlier(g.r, timer, n.free)
}

// replyNeeds returns how many flits must be free in the router's buffer for a reply.
func (d *doors) replyNeeds(msg MsgID, vc uint32, size uint16) int32 {
	f := &d.g.out.flow
	if f.own == nil {
		return int32(size & flitMask)
	}
	return f.onVC(msg, vc, size)
}

// queueReply gives a NIC of the visited router a reply to send.
func (d *doors) queueReply(r *routerState, w *work) {
	b := d.b
	id, m := b.messages.add()
	m.Src, m.Dst, m.SrcRank = int32(w.nic), int32(w.from), -1
	m.Sent, m.Post, m.Left = b.events.now, b.events.now, 1
	m.Context, m.Tag = int32(uint32(w.value>>32)), int32(uint32(w.value))
	b.ahead.under(id, 0)
	n := d.all.nics.at(w.nic)
	if n.head == 0 {
		n.head = uint32(id)
	} else {
		b.messages.at(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	d.tryNIC(r, w.nic)
}

// eject takes a packet, that of general.eject, into the memory of a host.
func (d *doors) eject(id uint32, c *crossing, port, vc uint32, msg MsgID, flits uint16, leave int64) {
	b, g := d.b, d.g
	class := b.classes.at(uint32(c.class))
	end, all := b.receive.move(c.nic(), msg, flits, leave+class.tail)
	g.out.giveBack(g.r, g.r.lanes+port*g.vcs+vc, end+class.credit, flits)
	x, m := *d.riders.at(id), b.messages.at(msg)
	at := end + b.busLatency
	if x.control {
		value := uint64(uint32(m.Context))<<32 | uint64(uint32(m.Tag))
		d.schedule(g.r.number, work{
			at: at, kind: takeFeedback, nic: uint32(m.Dst), from: uint32(m.Src), value: value, meta: x.meta,
		})
		b.release(msg)
		return
	}
	if h := d.Hooks; h != nil && h.Eject != nil {
		e := &d.ejection
		*e = Ejection{
			Flow: *d.flowAt(&d.receivers, &d.all.receivers, h.NICState, m.Dst, m.Src, m.Dst),
			Now:  at, Flits: int64(flits & flitMask), Bytes: b.receive.payloadOf(m, flits), Message: m,
			Meta: x.meta, Replies: e.Replies[:0],
		}
		h.Eject(e)
		for i := range e.Replies {
			d.reply(m.Dst, at, &e.Replies[i])
		}
	}
	if all {
		b.endpoint.Delivered(b.send.hostOf(m.Dst), msg, at)
	}
}

// reply takes a reply that a NIC makes at the time `at` (ps).
func (d *doors) reply(nic int32, at int64, p *Reply) {
	if p.After < 0 {
		panic(errReply)
	}
	delay := int64(d.Hooks.Delay)
	if delay == 0 {
		d.schedule(d.g.r.number, work{
			at: at + p.After, kind: sendReply, nic: uint32(nic), from: uint32(p.To), value: p.Value,
		})
		return
	}
	router := d.b.hosts[d.b.send.hostOf(p.To)]
	w := work{
		at: at + p.After + delay, kind: takeFeedback, nic: uint32(p.To), from: uint32(nic), value: p.Value,
	}
	if router-d.b.first < d.b.count {
		d.schedule(router, w)
		return
	}
	d.b.mail.sendFeedback(router, feedbackMail{at: w.at, value: w.value, nic: w.nic, from: w.from})
}

// takeFeedback gives feedback to the injector of a NIC of the visited router.
func (d *doors) takeFeedback(r *routerState, w *work) {
	if i := d.Injector; i != nil && i.Feedback != nil {
		f := Feedback{Now: d.b.events.now, Value: w.value, Meta: w.meta}
		i.Feedback(d.sender(int32(w.nic), int32(w.from)), &f)
	}
	d.tryNIC(r, w.nic)
}
