package fabric

import "fabricast/internal/prefetch"

// On the fast path, what links send is known from their own counts. What is left to see are packets
// that waited: those that ask later than they came first, and those that stop a train for want of credit.
// In a window in which a bin ends, or if more is asked for than bins of links, every packet
// that asks is looked at on its own, before and after.

// stall is for how long the first packet of a lane has waited for credit; it holds while the lane has the way stalled.
type stall struct {
	since int64 // ps; Forever: it does not wait for credit any more
	sum   int64 // ps, before that
}

// serve is Block.serve for a block that is observed.
func (x *observer) serve(r *routerState, timer uint32, until int64) {
	if x.exact {
		x.ask(r, timer)
		return
	}
	b := x.b
	in := b.lanes.at(r.base + timer)
	if in.way&stalled != 0 {
		x.stalls[r.base+timer-x.firstLane].stop(b.now)
	}
	for {
		until = b.quiet(until)
		out := b.lanes.at(r.lanes + uint32(in.next))
		outFree, inFree := b.clocks.at(out.clock).out, b.clocks.at(in.clock).in
		if free := max(inFree, outFree); free > b.now {
			if free >= until {
				b.soon(r, timer, in, free)
				return
			}
			b.now = free
		}
		head, asked, now := in.head, b.nth(in, in.head).time, b.now
		at := x.train(r, timer, in, out, until)
		if (asked != now || in.way&stalled != 0) && in.head != head {
			x.waited(r.base+timer, in, out, now-asked, inFree-max(asked, outFree))
		}
		if at == Forever {
			if in.head != in.tail {
				x.stall(r.base+timer, in)
			}
			return
		}
		if at >= until || at >= b.quiet(until) {
			b.soon(r, timer, in, at)
			return
		}
		b.now = at
	}
}

// train lets as many packets pass as Block.serve would.
func (x *observer) train(r *routerState, timer uint32, in, out *lane, until int64) (at int64) {
	b := x.b
	switch {
	case in.way&(wanted|outside)|out.way&outside != 0 || out.busy():
		head, parked := in.head, x.parked(r, out)
		if at = b.serveOne(r, timer, in, out); in.head != head {
			x.goOn(r, parked)
		}
		return at
	case out.way&host != 0:
		return b.trainToHost(r, timer, in, out, until)
	default:
		return b.train(r, timer, in, out, until)
	}
}

// waited counts what a packet has waited that has just left a lane, late (ps) in all, of which up to inside
// for the crossbar's input. Those behind it in a train ask when they start.
func (x *observer) waited(number uint32, in, out *lane, late, inside int64) {
	wait := &x.waits[out.clock-x.firstPort].wait
	if in.way&stalled != 0 {
		in.way &^= stalled
		credit := min(late, x.stalls[number-x.firstLane].sum)
		wait[forCredit] += credit
		late -= credit
	}
	inside = min(max(0, inside), late)
	wait[forCrossbar] += inside
	wait[forOutput] += late - inside
}

// ask lets the first packet of a lane ask, and counts what comes of it.
func (x *observer) ask(r *routerState, timer uint32) {
	b := x.b
	number := r.base + timer
	in := b.lanes.at(number)
	p := b.nth(in, in.head)
	slot := uint32(in.next)
	out := b.lanes.at(r.lanes + slot)
	head, asked, msg, flits, parked := in.head, p.time, p.msg, uint32(p.flits&flitMask), x.parked(r, out)
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
	wait := x.split(asked, outFree, inFree, credit)
	x.goOn(r, parked)
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

// came notes when the first packet of a lane came, which may ask only later.
func (x *observer) came(number uint32, at int64) {
	if x.arrived != nil {
		x.arrived[number-x.firstLane] = at
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

// parked lists the slots of those that wait for the holder of an output lane.
func (x *observer) parked(r *routerState, out *lane) []uint32 {
	x.waiters = x.waiters[:0]
	for next := uint32(out.park); next != 0; {
		x.waiters = append(x.waiters, next-1)
		next = uint32(x.b.lanes.at(r.lanes + next - 1).timer)
	}
	return x.waiters
}

// goOn notes that those that waited for the holder of an output, who have just been
// woken, now wait for the output.
func (x *observer) goOn(r *routerState, parked []uint32) {
	for _, slot := range parked {
		x.stalls[r.lanes+slot-x.firstLane].stop(x.b.now)
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

// load loads what serve needs of a lane and of the port by which its first packet will leave.
func (x *observer) load(in, port uint32) {
	if at, of := in-x.firstLane, port-x.firstPort; at < uint32(len(x.stalls)) && of < uint32(len(x.waits)) {
		prefetch.Two(address(&x.stalls[at]), address(&x.waits[of]))
	}
}
