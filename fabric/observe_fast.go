package fabric

import (
	"unsafe"

	"fabricast/internal/prefetch"
)

// On the fast path, links count what they send. Only waits have to be observed, at three points: a
// packet asks and finds the link or the crossbar's input busy until a known time; a packet begins
// to wait for credit; a packet that has waited for credit starts. Nothing else is done until the
// bin ends. Packets that start after the bin's end, in the same window, are examined one by one,
// because they belong to a later bin. All packets are examined one by one if buffers or passages
// are observed, or if the network is not plain.

// blocked counts the wait of a lane's first packet, which asks now, until the link and the
// crossbar's input are free.
func (x *observer) blocked(r *routerState, timer uint32, in *lane) {
	now, number, out := x.events.now, r.base+timer, r.ports+x.outputs.portOf(uint32(in.next))
	if in.way&stalled != 0 {
		x.endStall(number, in, out)
	}
	outFree := max(now, x.outputs.ports.at(out).out)
	if outFree > now {
		x.waitFor(number, out, forOutput, outFree-now)
	}
	if inside := x.outputs.ofSlot(r, timer-uint32(r.first)).in - outFree; inside > 0 {
		x.waitFor(number, out, forCrossbar, inside)
	}
}

// waitFor adds a time (ps) to what the first packet of a lane has waited for one cause.
func (x *observer) waitFor(number, out uint32, what int, time int64) {
	x.wait(out-x.firstPort, what, time)
	if x.sums != nil {
		x.sums[number-x.firstLane][what] += time
	}
}

// wait adds a time (ps) to what packets have waited for a link for one cause.
func (x *observer) wait(link uint32, what int, time int64) {
	if x.events.now < x.until {
		x.waits.at(link).wait[what] += time
		return
	}
	l := laterTally{at: x.events.now, link: link}
	l.wait[what] = time
	x.later = append(x.later, l)
}

// stalls records that n packets begin to wait for credit on a link, or, if n is negative, that -n
// packets stop. A packet's wait is the time of its end less that of its begin; of a packet that
// still waits, the end is missing.
func (x *observer) stalls(link uint32, n int32) {
	time := -int64(n) * x.events.now
	if x.events.now < x.until {
		w := x.waits.at(link)
		w.wait[forCredit] += time
		w.stalled += int64(n)
		return
	}
	x.later = append(
		x.later, laterTally{at: x.events.now, link: link, stalled: n, wait: tally{forCredit: time}},
	)
}

// stall records that the first packet of a lane, if there is one, waits for credit from now on.
func (x *observer) stall(r *routerState, timer uint32, in *lane) {
	number := r.base + timer
	if in.head == in.tail || in.way&stalled != 0 {
		return
	}
	in.way |= stalled
	x.stalls(r.ports+x.outputs.portOf(uint32(in.next))-x.firstPort, 1)
	if x.since != nil {
		x.since[number-x.firstLane] = x.events.now
	}
}

// endStall records that the first packet of a lane no longer waits for credit.
func (x *observer) endStall(number uint32, in *lane, out uint32) {
	in.way &^= stalled
	x.stalls(out-x.firstPort, -1)
	if x.sums != nil {
		x.sums[number-x.firstLane][forCredit] += x.events.now - x.since[number-x.firstLane]
	}
}

// released records that a packet that starts, and the packets that waited behind it for the output,
// no longer wait for credit. These now wait for the output, which is free at `free` (ps).
func (x *observer) released(r *routerState, slot, to uint32, free int64) {
	out := r.ports + x.outputs.portOf(to)
	if in := x.lanes.at(r.lanes + slot); in.way&stalled != 0 {
		x.endStall(r.lanes+slot, in, out)
	}
	for next := uint32(x.lanes.more.at(r.lanes + to).park); next != 0; {
		number := r.lanes + next - 1
		in := x.lanes.at(number)
		next = uint32(in.timer) // of a lane that is parked: the one parked after it
		if in.way&stalled != 0 {
			x.endStall(number, in, out)
		}
		x.waitFor(number, out, forOutput, free-x.events.now)
	}
}

// attempt is the state of a packet before it asks.
type attempt struct {
	number        uint32 // lane
	in            *lane
	slot, out     uint32 // of its output, port
	head          uint16 // of its lane
	flits         uint32
	asked, second int64 // ps: when it asked, and the packet behind it is ready
	waits         bool  // link or crossbar are taken
	told          bool  // its passage is told
}

// packetwise reports whether packets have to be examined one by one now.
func (x *observer) packetwise() bool { return x.exact || x.events.now >= x.until }

// before records the state of the first packet of a lane that is about to ask.
func (x *observer) before(r *routerState, timer uint32) {
	x.attempt = attempt{number: r.base + timer}
	a := &x.attempt
	a.in = x.lanes.at(a.number)
	p := x.lanes.nth(a.in, a.in.head)
	a.slot, a.head, a.asked, a.flits = uint32(a.in.next), a.in.head, p.time, uint32(p.flits&flitMask)
	a.out = r.ports + x.outputs.portOf(a.slot)
	if max(x.outputs.ofSlot(r, timer-uint32(r.first)).in, x.outputs.ports.at(a.out).out) > x.events.now {
		a.waits = true
		x.blocked(r, timer, a.in)
		return
	}
	if x.arrived != nil && a.in.tail-a.head > 1 {
		a.second = x.lanes.nth(a.in, a.head+1).time
	}
	if x.buffers != nil {
		x.pileUp(a.number-x.firstLane, a.in)
	}
	if a.told = x.logs(r.number); a.told {
		// its last packet may start now, and the message record may then be reused
		x.message = *x.messages.at(p.msg)
	}
}

// after counts the result of the attempt that before has begun.
func (x *observer) after(r *routerState, timer uint32) {
	a := &x.attempt
	if a.waits {
		return
	}
	if a.in.head == a.head && a.in.head != a.in.tail {
		x.stall(r, timer, a.in)
		return
	}
	x.started(a.out-x.firstPort, a.flits)
	if x.arrived == nil {
		return
	}
	of := a.number - x.firstLane
	ready := x.arrived[of]
	if ready == 0 {
		ready = a.asked
	}
	if x.buffers != nil {
		x.measure(of)
	}
	x.arrived[of] = a.second
	if a.told {
		x.passage(r, timer-uint32(r.first), a.slot, &x.message, a.flits, ready, a.asked, x.sums[of])
	}
	if x.sums != nil {
		x.sums[of] = tally{}
	}
}

// came records when the first packet of a lane arrived, if it may ask only later.
func (x *observer) came(number uint32, at int64) {
	if x.arrived != nil {
		x.arrived[number-x.firstLane] = at
	}
}

// pileUp lists the packets in a lane's buffer.
func (x *observer) pileUp(number uint32, in *lane) {
	x.pile = x.pile[:0]
	for i := in.head; i != in.tail; i++ {
		p := x.lanes.nth(in, i)
		since := p.time
		if came := x.arrived[number]; i == in.head && came != 0 {
			since = came
		}
		x.pile = append(x.pile, piled{int64(p.flits & flitMask), since})
	}
}

// load prefetches the waits counted for a port, if it is one of the block's.
func (x *observer) load(port uint32) {
	if of := port - x.firstPort; of < x.waits.n {
		prefetch.Line(unsafe.Pointer(x.waits.at(of)))
	}
}
