package probe

import (
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/prefetch"
)

// On the fast path, links count the traffic they send. Only waits need to be observed, at three
// points: when a packet makes a request and finds the link or the crossbar's input busy until a
// known time; when a packet starts to wait for credit; and when a packet that has waited for credit
// starts. Nothing else is done until the bin ends. Packets that start after the bin's end, but in
// the same window, are examined individually, because they belong to a later bin. All packets are
// examined individually if buffers or passages are observed, or if the network is not plain.

// Blocked counts the wait of a VC's first packet, which makes a request now, until the link and the
// crossbar's input are free.
func (x *Observer) Blocked(r *core.Router, timer uint32, in *core.VC) {
	now, number, out := x.events.Now, r.Base+timer, r.FirstPort+x.outputs.PortOf(uint32(in.Next))
	if in.Flags&core.Stalled != 0 {
		x.endStall(number, in, out)
	}
	outFree := max(now, x.outputs.Ports.At(out).Out)
	if outFree > now {
		x.waitFor(number, out, forOutput, outFree-now)
	}
	if inside := x.outputs.OfVC(r, timer-uint32(r.First)).In - outFree; inside > 0 {
		x.waitFor(number, out, forCrossbar, inside)
	}
}

// waitFor adds a time (ps) to the waiting time of the first packet of a VC for the given reason.
func (x *Observer) waitFor(number, out uint32, what int, time int64) {
	x.wait(out-x.firstPort, what, time)
	if x.sums != nil {
		x.sums[number-x.firstVC][what] += time
	}
	if x.Causes {
		x.charge(number, out, what, time)
	}
}

// wait adds a time (ps) to the waiting time of packets for a link for the given reason.
func (x *Observer) wait(link uint32, what int, time int64) {
	if x.events.Now < x.until {
		x.waits.At(link).wait[what] += time
		return
	}
	l := laterTally{at: x.events.Now, link: link}
	l.wait[what] = time
	x.later = append(x.later, l)
}

// stalls records that n packets start to wait for credit on a link, or, if n is negative, that -n
// packets stop waiting. A wait is counted as its end time minus its start time. For a packet that
// is still waiting, the end time has not been added yet.
func (x *Observer) stalls(link uint32, n int32) {
	time := -int64(n) * x.events.Now
	if x.events.Now < x.until {
		w := x.waits.At(link)
		w.wait[forCredit] += time
		w.stalled += int64(n)
		return
	}
	x.later = append(
		x.later, laterTally{at: x.events.Now, link: link, stalled: n, wait: tally{forCredit: time}},
	)
}

// Stall records that the first packet of a VC, if there is one, waits for credit from now on.
func (x *Observer) Stall(r *core.Router, timer uint32, in *core.VC) {
	number := r.Base + timer
	if in.Head == in.Tail || in.Flags&core.Stalled != 0 {
		return
	}
	in.Flags |= core.Stalled
	x.stalls(r.FirstPort+x.outputs.PortOf(uint32(in.Next))-x.firstPort, 1)
	if x.since != nil {
		x.since[number-x.firstVC] = x.events.Now
	}
}

// endStall records that the first packet of a VC has stopped waiting for credit.
func (x *Observer) endStall(number uint32, in *core.VC, out uint32) {
	in.Flags &^= core.Stalled
	x.stalls(out-x.firstPort, -1)
	if x.since == nil {
		return
	}
	time := x.events.Now - x.since[number-x.firstVC]
	if x.sums != nil {
		x.sums[number-x.firstVC][forCredit] += time
	}
	if x.Causes {
		x.charge(number, out, forCredit, time)
	}
}

// Released records that a packet that starts, and the packets that waited behind it for the output,
// have stopped waiting for credit. The latter now wait for the output, which is free at `free`
// (ps).
func (x *Observer) Released(r *core.Router, index, to uint32, free int64) {
	out := r.FirstPort + x.outputs.PortOf(to)
	if in := x.vcs.At(r.FirstVC + index); in.Flags&core.Stalled != 0 {
		x.endStall(r.FirstVC+index, in, out)
	}
	for next := uint32(x.vcs.More.At(r.FirstVC + to).Park); next != 0; {
		number := r.FirstVC + next - 1
		in := x.vcs.At(number)
		next = uint32(in.Timer) // in a parked VC, the next parked VC
		if in.Flags&core.Stalled != 0 {
			x.endStall(number, in, out)
		}
		x.waitFor(number, out, forOutput, free-x.events.Now)
	}
}

// attempt is the state of a packet before it makes a request.
type attempt struct {
	number        uint32 // ID of the VC that holds the packet
	in            *core.VC
	index, out    uint32 // VC index and port of the packet's output
	head          uint16 // value of VC.Head
	flits         uint32
	asked, second int64 // time of its request, and time when the packet behind it is eligible (ps)
	waits         bool  // the link, or the crossbar's input, is busy
	told          bool  // the packet's passage is to be reported
}

// Packetwise reports whether packets have to be examined individually now.
func (x *Observer) Packetwise() bool { return x.exact || x.events.Now >= x.until }

// Before records the state of the first packet of a VC that is about to make a request.
func (x *Observer) Before(r *core.Router, timer uint32) {
	x.attempt = attempt{number: r.Base + timer}
	a := &x.attempt
	a.in = x.vcs.At(a.number)
	p := x.vcs.Nth(a.in, a.in.Head)
	a.index, a.head, a.asked, a.flits = uint32(a.in.Next), a.in.Head, p.Time, uint32(p.Flits&core.FlitMask)
	a.out = r.FirstPort + x.outputs.PortOf(a.index)
	if max(x.outputs.OfVC(r, timer-uint32(r.First)).In, x.outputs.Ports.At(a.out).Out) > x.events.Now {
		a.waits = true
		x.Blocked(r, timer, a.in)
		return
	}
	if x.arrived != nil && a.in.Tail-a.head > 1 {
		a.second = x.vcs.Nth(a.in, a.head+1).Time
	}
	if x.buffers != nil {
		x.pileUp(a.number-x.firstVC, a.in)
	}
	if x.Hops {
		x.name(model.Crossed, p.Msg, p.Flits, a.out, a.index%x.numVCs)
		x.comesFrom(r, timer-uint32(r.First))
	}
	if a.told = x.logs(r.Number); a.told {
		// The packet may be the last of its message and start now; its message record may then be
		// reused.
		x.message = *x.messages.At(p.Msg)
	}
}

// After counts the result of the attempt recorded by Before.
func (x *Observer) After(r *core.Router, timer uint32) {
	a := &x.attempt
	if a.waits {
		return
	}
	if a.in.Head == a.head && a.in.Head != a.in.Tail {
		x.Stall(r, timer, a.in)
		return
	}
	x.started(a.out-x.firstPort, a.flits)
	if x.arrived == nil {
		return
	}
	of := a.number - x.firstVC
	ready := x.arrived[of]
	if ready == 0 {
		ready = a.asked
	}
	if x.buffers != nil {
		x.measure(of)
	}
	if x.Hops {
		x.hop.Ready, x.hop.Asked = ready, a.asked
		x.leaves(x.outputs.OfVC(r, timer-uint32(r.First)).In)
	}
	x.arrived[of] = a.second
	if a.told {
		x.passage(r, timer-uint32(r.First), a.index, &x.message, a.flits, ready, a.asked, x.sums[of])
	}
	if x.sums != nil {
		x.sums[of] = tally{}
	}
}

// Came records when the first packet of a VC arrived, if it can make its request only later.
func (x *Observer) Came(number uint32, at int64) {
	if x.arrived != nil {
		x.arrived[number-x.firstVC] = at
	}
}

// pileUp lists the packets in a VC's buffer.
func (x *Observer) pileUp(number uint32, in *core.VC) {
	x.pile = x.pile[:0]
	for i := in.Head; i != in.Tail; i++ {
		p := x.vcs.Nth(in, i)
		since := p.Time
		if came := x.arrived[number]; i == in.Head && came != 0 {
			since = came
		}
		x.pile = append(x.pile, piled{int64(p.Flits & core.FlitMask), since})
	}
}

// Load prefetches the waits counted for a port, if it is one of the block's.
func (x *Observer) Load(port uint32) {
	if of := port - x.firstPort; of < x.waits.N {
		prefetch.Line(unsafe.Pointer(x.waits.At(of)))
	}
}
