package fabric

// A packet that has started is often followed by others for the same output, and often nothing else
// happens at the router in between. Such packets pass one after the other, without the agenda, as a
// train. Each packet of a train goes through the steps of ask, start, forward and goOn, at the same
// times and in the same order, but what they read is looked up once for all packets. The agenda
// limits a train: it holds, or implies, everything else that could happen at the router.

// serve lets the first packet of a lane of the visited router request its output now, and those
// behind it as long as they ask before the time `until` (ps) and before anything else happens at
// the router.
func (b *fast) serve(r *routerState, timer uint32, until int64) {
	if !b.direct {
		b.serveSlowly(r, timer, until)
		return
	}
	// The observer only sees packets that wait, and these are few.
	in, own := b.lanes.at(r.base+timer), b.ports.ofSlot(r, timer-uint32(r.first))
	for {
		until = b.events.quiet(until)
		out, port := b.lanes.at(r.lanes+uint32(in.next)), b.ports.ofSlot(r, uint32(in.next))
		if free := max(own.in, port.out); free > b.events.now {
			if b.observer != nil {
				b.observer.blocked(r, timer, in)
			}
			if free >= until {
				b.events.soon(r, timer, in, free)
				return
			}
			b.events.now = free
		}
		var at int64
		switch {
		case in.way&(wanted|outside)|out.way&outside != 0 || out.busy():
			at = b.serveOne(r, timer, in, out, own, port)
		case out.way&host != 0:
			at = b.trainToHost(r, timer, in, out, own, port, until)
		default:
			at = b.train(r, timer, in, out, own, port, until)
		}
		if at >= until || at >= b.events.quiet(until) {
			if at != Forever {
				b.events.soon(r, timer, in, at)
			} else if b.observer != nil {
				b.observer.stall(r, timer, in)
			}
			return
		}
		b.events.now = at
	}
}

// serveSlowly does what serve does, where packets do not pass as trains.
func (b *fast) serveSlowly(r *routerState, timer uint32, until int64) {
	x := b.observer
	switch {
	case x == nil:
		b.ask(r, timer)
	case x.packetwise():
		x.before(r, timer)
		b.ask(r, timer)
		x.after(r, timer)
	default:
		b.direct = true
		b.serve(r, timer, min(until, x.untilWhen()))
		b.direct = false
	}
}

// serveOne does one step of serve. It returns when the next packet asks (ps); Forever if there is
// none or the first has to wait.
func (b *fast) serveOne(
	r *routerState, timer uint32, in, out *lane, own, port *portState,
) int64 {
	p := b.lanes.nth(in, in.head)
	if flits := int32(p.flits & flitMask); (out.busy() || out.credit < flits) &&
		!b.mayStart(r, timer, in, out, port, flits) {
		return Forever
	}
	left := b.start(r, timer, in, p, out, own, port)
	if in.head == in.tail {
		in.timer = left
		b.lanes.drain(in)
		return Forever
	}
	p = b.lanes.nth(in, in.head)
	in.next = p.out
	p.time = max(p.time, left)
	return p.time
}

// train forwards packets of a lane to another router of the block, one right after the other, as
// long as they go to the same output and ask before the time `until` (ps). It returns when the next
// packet asks (ps); Forever if there is none or the first has to wait for credit.
func (b *fast) train(
	r *routerState, timer uint32, in, out *lane, own, port *portState, until int64,
) int64 {
	number := b.ports.downstream(in, port)
	down := b.lanes.at(number)
	hop, back := b.classes.at(uint32(out.class)).hop, b.classes.at(uint32(in.class)).credit
	head, sent, left, at := in.head, port.sent, b.events.now, Forever
	var before *packet // of the train
	var next uint16
	var route uint64
	for {
		p := b.lanes.nth(in, head)
		now := max(p.time, left)
		if head != in.head {
			if p.time = now; p.out != in.next || now >= until {
				in.next, at = p.out, now
				break
			}
		}
		flits := uint64(p.flits & flitMask)
		if out.credit < int32(flits) {
			if b.events.now = now; !b.lanes.credited(out, down, int32(flits)) {
				b.credit.hold(r, timer, out, number, int32(flits))
				break
			}
		}
		out.credit -= int32(flits)
		if down.tail == down.head {
			b.lanes.restart(out, down, now, int32(flits))
		}
		if down.tail-down.pull > down.mask {
			b.events.now = now
			b.lanes.makeRoom(out, down)
		}
		sent += 1<<sentPackets + flits
		if before == nil || !before.precedes(p) {
			next, route = b.lanes.hop(p, uint32(port.router), down)
		}
		before = p
		tail := down.tail
		to := b.lanes.nth(down, tail)
		to.time = now + hop
		to.route, to.msg, to.flits, to.out = route, p.msg, p.flits, next
		down.tail = tail + 1
		if tail == down.head {
			b.arrive(port, number, down, to)
		}
		left = now + int64(flits)*b.flitTime
		p.time = left + back
		if head++; head == in.tail {
			in.timer = left
			break
		}
	}
	b.ports.departed(in, own, port, head, sent, left)
	b.counters.hops += uint64(head - in.head)
	if in.head = head; head == in.tail {
		b.lanes.drain(in)
	}
	return at
}

// trainToHost does what train does, for packets whose next stop is a host of the router. It ends
// with each message.
func (b *fast) trainToHost(
	r *routerState, timer uint32, in, out *lane, own, port *portState, until int64,
) int64 {
	number := b.ports.downstream(in, port)
	down := b.lanes.at(number)
	class := b.classes.at(uint32(out.class))
	back := b.classes.at(uint32(in.class)).credit
	head, sent, left, at := in.head, port.sent, b.events.now, Forever
	done, id, end := NoMsg, ^port.router, int64(0)
	for {
		p := b.lanes.nth(in, head)
		now := max(p.time, left)
		if head != in.head {
			if p.time = now; p.out != in.next || now >= until || done != NoMsg {
				in.next, at = p.out, now
				break
			}
		}
		flits := uint64(p.flits & flitMask)
		if out.credit < int32(flits) {
			if b.events.now = now; !b.lanes.credited(out, down, int32(flits)) {
				b.credit.hold(r, timer, out, number, int32(flits))
				break
			}
		}
		sent += 1<<sentPackets + flits
		left = now + int64(flits)*b.flitTime
		p.time = left + back
		var all bool
		if end, all = b.receive.move(id, p.msg, p.flits, left+class.tail); all {
			done = p.msg
		}
		if !b.deepReceive {
			out.credit -= int32(flits)
			b.events.now = now
			b.lanes.leaveBehind(out, down, end+class.credit, uint16(flits))
		}
		if head++; head == in.tail {
			in.timer = left
			break
		}
	}
	b.ports.departed(in, own, port, head, sent, left)
	if in.head = head; head == in.tail {
		b.lanes.drain(in)
	}
	if done != NoMsg {
		b.endpoint.Delivered(b.send.hostOf(id), done, end+b.busLatency)
	}
	return at
}
