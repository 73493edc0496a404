package fabric

// A packet that has started is often followed by others for the same output, and often nothing else happens
// at the router in between. Then they pass one after the other, without the agenda: a train. What happens to a packet of
// it is what ask, start, forward and goOn do, at the same times and in the same order; but what that needs is looked up once
// for all of them. The agenda decides how far a train may go: whatever else could happen at the router earlier is on it, or
// follows from what is.

// serve lets the first packet of a lane of the visited router ask for its output now, and those behind it
// as long as they ask before the time until, and before anything else happens at the router.
func (b *Block) serve(r *routerState, timer uint32, until int64) {
	if !b.direct {
		b.serveSlowly(r, timer, until)
		return
	}
	// What is observed is told by the few packets that wait.
	in := b.lanes.at(r.base + timer)
	for {
		until = b.quiet(until)
		out := b.lanes.at(r.lanes + uint32(in.next))
		if free := max(b.clocks.at(in.clock).in, b.clocks.at(out.clock).out); free > b.now {
			if b.observer != nil {
				b.observer.blocked(r.base+timer, in, out)
			}
			if free >= until {
				b.soon(r, timer, in, free)
				return
			}
			b.now = free
		}
		var at int64
		switch {
		case in.way&(wanted|outside)|out.way&outside != 0 || out.busy():
			at = b.serveOne(r, timer, in, out)
		case out.way&host != 0:
			at = b.trainToHost(r, timer, in, out, until)
		default:
			at = b.train(r, timer, in, out, until)
		}
		if at >= until || at >= b.quiet(until) {
			if at != Forever {
				b.soon(r, timer, in, at)
			} else if b.observer != nil {
				b.observer.stall(r.base+timer, in, out)
			}
			return
		}
		b.now = at
	}
}

// serveSlowly is serve where packets do not pass as trains.
func (b *Block) serveSlowly(r *routerState, timer uint32, until int64) {
	if b.observer != nil {
		b.observer.serve(r, timer, until)
	} else {
		b.ask(r, timer)
	}
}

// quiet is the time up to which nothing else happens at the visited router, at most the given one.
func (b *Block) quiet(until int64) int64 {
	if a := &b.agenda; a.next < a.n {
		return min(until, b.calendar.start+int64(*a.entries.at(a.next)>>agendaShift))
	}
	return until
}

// serveOne is one step of serve, whatever may happen in it. It returns when the next packet
// asks; Forever if there is none or the first has to wait.
func (b *Block) serveOne(r *routerState, timer uint32, in, out *lane) int64 {
	p := b.nth(in, in.head)
	if flits := int32(p.flits & flitMask); (out.busy() || out.credit < flits) && !b.mayStart(r, timer, out, flits) {
		return Forever
	}
	left := b.start(r, timer, in, p, out)
	if in.head == in.tail {
		in.timer = left
		return Forever
	}
	p = b.nth(in, in.head)
	in.next = p.out
	p.time = max(p.time, left)
	return p.time
}

// train lets packets of a lane go on to another router of the block, one right after the other, as long
// as they go the same way and ask before the time until. It returns when the next packet asks; Forever
// if there is none or the first has to wait for credit.
func (b *Block) train(r *routerState, timer uint32, in, out *lane, until int64) int64 {
	down := b.lanes.at(out.down)
	hop, back := b.classes.at(uint32(out.class)).hop, b.classes.at(uint32(in.class)).credit
	head, sent, left, at := in.head, out.sent, b.now, Forever
	for {
		p := b.nth(in, head)
		now := max(p.time, left)
		if head != in.head {
			if p.time = now; p.out != in.next || now >= until {
				in.next, at = p.out, now
				break
			}
		}
		flits := uint64(p.flits & flitMask)
		if out.credit < int32(flits) {
			if b.now = now; !b.credited(out, int32(flits)) {
				b.hold(r, timer, out, int32(flits))
				break
			}
		}
		out.credit -= int32(flits)
		if down.tail == down.head {
			b.restart(out, down, now, int32(flits))
		}
		if down.tail-down.pull >= down.size {
			b.now = now
			b.makeRoom(out, down)
		}
		sent += 1<<sentPackets + flits
		next, route := b.dor.Hop(p.route)
		tail := down.tail
		to := b.nth(down, tail)
		to.time = now + hop
		to.route, to.msg, to.flits, to.out = route, p.msg, p.flits, next
		down.tail = tail + 1
		if tail == down.head {
			b.arrive(out, down, to)
		}
		left = now + int64(flits)*b.flitTime
		p.time = left + back
		if head++; head == in.tail {
			in.timer = left
			break
		}
	}
	b.departed(in, out, head, sent, left)
	b.counters.hops += uint64(head - in.head)
	in.head = head
	return at
}

// departed takes down what a train has used, before its last packet's tail left.
func (b *Block) departed(in, out *lane, head uint32, sent uint64, left int64) {
	if head == in.head {
		return
	}
	b.clocks.at(out.clock).out = left
	b.clocks.at(in.clock).in = left
	if out.sent = sent; sent>>63 != 0 {
		b.carry(out)
	}
}

// trainToHost is train for packets whose next stop is a host of the router. It ends with each message.
func (b *Block) trainToHost(r *routerState, timer uint32, in, out *lane, until int64) int64 {
	class := b.classes.at(uint32(out.class))
	back := b.classes.at(uint32(in.class)).credit
	head, sent, left, at := in.head, out.sent, b.now, Forever
	done, id, end := NoMsg, ^out.router, int64(0)
	for {
		p := b.nth(in, head)
		now := max(p.time, left)
		if head != in.head {
			if p.time = now; p.out != in.next || now >= until || done != NoMsg {
				in.next, at = p.out, now
				break
			}
		}
		flits := uint64(p.flits & flitMask)
		if out.credit < int32(flits) {
			if b.now = now; !b.credited(out, int32(flits)) {
				b.hold(r, timer, out, int32(flits))
				break
			}
		}
		sent += 1<<sentPackets + flits
		left = now + int64(flits)*b.flitTime
		p.time = left + back
		var all bool
		if end, all = b.move(id, p.msg, p.flits, left+class.tail); all {
			done = p.msg
		}
		if !b.deepReceive {
			out.credit -= int32(flits)
			b.now = now
			b.leaveBehind(out, end+class.credit, uint16(flits))
		}
		if head++; head == in.tail {
			in.timer = left
			break
		}
	}
	b.departed(in, out, head, sent, left)
	in.head = head
	if done != NoMsg {
		b.endpoint.Delivered(b.hostOf(id), done, end+b.busLatency)
	}
	return at
}

// stream is inject for full packets that are not the last ones of their message, where nothing but credit can
// hold them up. It goes on as far as the window, the message and the credit known allow; for the packet that
// is next then it either sets the NIC's timer, or tells that inject has to see to it now.
func (b *Block) stream(r *routerState, timer uint32, n *nic, out *lane) bool {
	in := b.lanes.at(out.down)
	now, flits := b.now, int32(b.maxFlits)
	took, fetching := int64(flits)*b.flitTime, b.payload*int64(b.dma.perByte)
	for n.injectLeft > b.payload {
		if out.credit < flits {
			if b.now = now; !b.credited(out, flits) {
				return true
			}
		}
		out.credit -= flits
		if in.tail == in.head {
			b.restart(out, in, now, flits)
		}
		n.prevTail, n.lastTail, n.free = n.lastTail, now+took, now+took
		n.flits += uint64(flits)
		n.packets++
		b.counters.packets++
		b.counters.injectSum += now
		if in.tail-in.pull >= in.size {
			b.now = now
			b.makeRoom(out, in)
		}
		p := b.nth(in, in.tail)
		p.time = now + b.entry
		p.route, p.msg, p.flits, p.out = n.route, MsgID(n.head), uint16(flits), n.out
		if in.tail++; in.tail-in.head == 1 {
			b.startAsking(r.number, out.down, in, p)
		}
		n.injectLeft -= b.payload
		n.ready[0] = n.ready[1]
		if n.fetched--; n.fetched == 1 && fetching != 0 && n.fetchLeft > b.payload {
			n.dmaEnd = max(n.dmaEnd, n.lastTail) + fetching
			n.ready[1] = n.dmaEnd
			n.fetched = 2
			n.fetchLeft -= b.payload
		} else {
			b.fetch(n)
		}
		if now = n.next(); now >= b.calendar.end {
			b.arm(r, timer, now)
			return false
		}
	}
	b.now = now
	return true
}
