package fabric

import (
	"unsafe"

	"fabricast/internal/prefetch"
)

// On the fast path, what links send is known from their own counts. What is left to see are waits, and these are counted
// where they come to light: a packet that asks finds the link or the crossbar's input taken until some time, or
// begins to wait for credit, or the packet that has waited for that starts. Until the bin ends, nothing else is
// done. What starts after that, in the same window, is looked at packet by packet, for it belongs to the bin that follows; so is
// everything if more is asked for than bins of links, or the network is not plain.

// serve is Block.serve for a block that is observed and must not pass trains as it likes.
func (x *observer) serve(r *routerState, timer uint32, until int64) {
	b := x.b
	if x.exact || b.now >= x.until {
		x.ask(r, timer)
		return
	}
	b.direct = true
	b.serve(r, timer, min(until, x.until))
	b.direct = false
}

// blocked counts that the first packet of a lane, which asks now, has to wait until the link and the crossbar's input are free.
func (x *observer) blocked(number uint32, in, out *lane) {
	b, now := x.b, x.b.now
	if in.way&stalled != 0 {
		x.endStall(number, in, out)
	}
	outFree := max(now, b.clocks.at(out.clock).out)
	if outFree > now {
		x.waitFor(number, out, forOutput, outFree-now)
	}
	if inside := b.clocks.at(in.clock).in - outFree; inside > 0 {
		x.waitFor(number, out, forCrossbar, inside)
	}
}

// waitFor adds to what the first packet of a lane has waited for.
func (x *observer) waitFor(number uint32, out *lane, what int, time int64) {
	x.wait(out.clock-x.firstPort, what, time)
	if x.sums != nil {
		x.sums[number-x.firstLane][what] += time
	}
}

// wait adds to what packets have waited for a link.
func (x *observer) wait(link uint32, what int, time int64) {
	if x.b.now < x.until {
		x.waits.at(link).wait[what] += time
		return
	}
	l := laterTally{at: x.b.now, link: link}
	l.wait[what] = time
	x.later = append(x.later, l)
}

// stalls notes that packets begin to wait for credit on a link, or, if n is negative, cease to. What one has waited
// is the time at which it ceases to, less that at which it began; of one that still waits, the second is missing.
func (x *observer) stalls(link uint32, n int32) {
	time := -int64(n) * x.b.now
	if x.b.now < x.until {
		w := x.waits.at(link)
		w.wait[forCredit] += time
		w.stalled += int64(n)
		return
	}
	x.later = append(x.later, laterTally{at: x.b.now, link: link, stalled: n, wait: tally{forCredit: time}})
}

// stall notes that the first packet of a lane, if there is one, waits for credit from now on.
func (x *observer) stall(number uint32, in, out *lane) {
	if in.head == in.tail || in.way&stalled != 0 {
		return
	}
	in.way |= stalled
	x.stalls(out.clock-x.firstPort, 1)
	if x.since != nil {
		x.since[number-x.firstLane] = x.b.now
	}
}

// endStall notes that the first packet of a lane does not wait for credit any more.
func (x *observer) endStall(number uint32, in, out *lane) {
	in.way &^= stalled
	x.stalls(out.clock-x.firstPort, -1)
	if x.sums != nil {
		x.sums[number-x.firstLane][forCredit] += x.b.now - x.since[number-x.firstLane]
	}
}

// released notes that a packet which starts, given by its slot, and those that waited for it to go do not wait for credit any
// more: now these wait for the output, which will be free at a time.
func (x *observer) released(r *routerState, slot uint32, out *lane, free int64) {
	if in := x.b.lanes.at(r.lanes + slot); in.way&stalled != 0 {
		x.endStall(r.lanes+slot, in, out)
	}
	for next := uint32(out.park); next != 0; {
		number := r.lanes + next - 1
		in := x.b.lanes.at(number)
		next = uint32(in.timer) // of a lane that is parked: the one parked after it
		if in.way&stalled != 0 {
			x.endStall(number, in, out)
		}
		x.waitFor(number, out, forOutput, free-x.b.now)
	}
}

// ask lets the first packet of a lane ask, and counts what comes of it.
func (x *observer) ask(r *routerState, timer uint32) {
	b := x.b
	number := r.base + timer
	in := b.lanes.at(number)
	p := b.nth(in, in.head)
	slot := uint32(in.next)
	out := b.lanes.at(r.lanes + slot)
	head, asked, msg, flits := in.head, p.time, p.msg, uint32(p.flits&flitMask)
	if max(b.clocks.at(in.clock).in, b.clocks.at(out.clock).out) > b.now {
		x.blocked(number, in, out)
		b.ask(r, timer)
		return
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
		x.stall(number, in, out)
		return
	}
	x.started(out.clock-x.firstPort, flits)
	if x.arrived == nil {
		return
	}
	ready := x.arrived[number-x.firstLane]
	if ready == 0 {
		ready = asked
	}
	if x.buffers != nil {
		x.measure(number - x.firstLane)
	}
	x.arrived[number-x.firstLane] = second
	if x.logs(r.number) {
		x.passage(r, timer-uint32(r.first), slot, msg, flits, ready, asked, x.sums[number-x.firstLane])
	}
	if x.sums != nil {
		x.sums[number-x.firstLane] = tally{}
	}
}

// came notes when the first packet of a lane came, which may ask only later.
func (x *observer) came(number uint32, at int64) {
	if x.arrived != nil {
		x.arrived[number-x.firstLane] = at
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

// load loads what is kept of the waits for a port, if it is one of the block's.
func (x *observer) load(port uint32) {
	if of := port - x.firstPort; of < x.waits.n {
		prefetch.Line(unsafe.Pointer(x.waits.at(of)))
	}
}
