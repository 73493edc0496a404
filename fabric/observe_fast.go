package fabric

// On the fast path, a router that is observed is visited as always, but every packet that
// asks is looked at before and after.

// stall is for how long the first packet of a lane has waited for credit; it holds while the lane has the way stalled.
type stall struct {
	since int64 // ps; Forever: it does not wait for credit any more
	sum   int64 // ps, before that
}

// observedVisit is visit for a router that is observed.
func (b *Block) observedVisit(r *routerState) {
	b.visiting = r.number
	a := &b.agenda
	a.n, a.next = 0, 0
	b.gather(r, b.takeDue(r.number))
	for a.next < a.n {
		key := *a.entries.at(a.next)
		a.next++
		b.now = b.calendar.start + int64(key>>agendaShift)
		timer := uint32(key & agendaMask)
		switch {
		case timer >= uint32(r.first):
			b.observer.pass(r, timer)
		case timer >= uint32(r.wakes):
			b.inject(r, timer)
		default:
			b.wake(r, timer)
		}
	}
}

// pass lets all packets whose timer is now, that given and others, ask in arbitration order.
func (x *observer) pass(r *routerState, timer uint32) {
	b := x.b
	a := &b.agenda
	now := uint64(b.now - b.calendar.start)
	contenders := append(b.contenders[:0], timer)
	for ; a.next < a.n && *a.entries.at(a.next)>>agendaShift == now; a.next++ {
		contenders = append(contenders, uint32(*a.entries.at(a.next)&agendaMask))
	}
	if len(contenders) > 1 {
		b.arbitrate(r, contenders)
	}
	for _, timer := range contenders {
		x.ask(r, timer)
	}
	b.contenders = contenders
}

// ask lets the first packet of a lane ask, and counts what comes of it.
func (x *observer) ask(r *routerState, timer uint32) {
	b := x.b
	number := r.base + timer
	in := b.lanes.at(number)
	p := b.nth(in, in.head)
	slot := uint32(in.next)
	out := b.lanes.at(r.lanes + slot)
	head, asked, msg, flits, parked := in.head, p.time, p.msg, uint32(p.flits&flitMask), out.park
	inFree, outFree := b.clocks.at(in.clock).in, b.clocks.at(out.clock).out
	if in.way&stalled != 0 {
		x.stalls[number-x.firstLane].stop(b.now)
	}
	var second int64
	if x.arrived != nil && in.tail-head > 1 {
		second = b.nth(in, head+1).time
	}
	if x.buffers != nil {
		x.pileUp(number-x.firstLane, in)
	}
	b.ask(r, timer)
	if in.head == head {
		if max(inFree, outFree) <= b.now {
			x.stall(number, in)
		}
		return
	}
	credit := int64(0)
	if in.way&stalled != 0 {
		credit = x.stalls[number-x.firstLane].sum
		in.way &^= stalled
	}
	if asked == b.now && parked == 0 && x.arrived == nil { // as most do
		x.passed(out.clock-x.firstPort, flits)
		return
	}
	wait := x.split(asked, outFree, inFree, credit)
	if parked != 0 {
		x.goOn(r, parked)
	}
	x.started(out.clock-x.firstPort, flits, wait)
	if x.arrived != nil {
		ready := x.arrived[number-x.firstLane]
		if ready == 0 {
			ready = asked
		}
		if x.buffers != nil {
			x.measure(number - x.firstLane)
		}
		x.arrived[number-x.firstLane] = second
		if x.logs(r.number) {
			x.passage(r, timer-uint32(r.first), slot, msg, flits, ready, asked, wait)
		}
	}
}

// stall notes that the first packet of a lane waits for credit from now on.
func (x *observer) stall(number uint32, in *lane) {
	s := &x.stalls[number-x.firstLane]
	if in.way&stalled == 0 {
		in.way |= stalled
		s.sum = 0
	}
	s.since = x.b.now
}

// stop notes that a packet does not wait for credit from a time on.
func (s *stall) stop(now int64) {
	if s.since != Forever {
		s.sum += now - s.since
		s.since = Forever
	}
}

// goOn notes that those that waited for the holder of an output, in a list that has just been
// woken, now wait for the output.
func (x *observer) goOn(r *routerState, parked uint16) {
	for slot := uint32(parked); slot != 0; slot = uint32(*x.b.park.at(r.lanes + slot - 1)) {
		x.stalls[r.lanes+slot-1-x.firstLane].stop(x.b.now)
	}
}

// pileUp lists the packets in a lane's buffer.
func (x *observer) pileUp(number uint32, in *lane) {
	x.pile = x.pile[:0]
	for i := in.head; i != in.tail; i++ {
		p := x.b.nth(in, i)
		since := p.time
		if came := x.arrived[number]; i == in.head && came != 0 {
			since = came
		}
		x.pile = append(x.pile, piled{int64(p.flits & flitMask), since})
	}
}
