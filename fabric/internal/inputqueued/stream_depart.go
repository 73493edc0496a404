package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// depart makes the packets that will arrive in a FIFO at a constant interval leave it as a stream, which is
// simulated as a whole. It returns false if their output, its VC or its credit does not allow this. It is
// called when the packet before them has started through the same two ports, until whose tail leaves at
// `left` (ps) no other packet can start there.
func (b streaming) depart(r *core.Router, timer uint32, in *core.VC, s *stream, left int64) bool {
	if s.pause > 0 {
		s.pause--
		return false
	}
	if in.Flags&core.Wanted != 0 || s.told-s.taken < b.streams.least {
		return false
	}
	index := uint32(s.packet.Out)
	out, port := b.VCs.At(r.FirstVC+index), b.Ports.OfVC(r, index)
	if out.Owner != 0 || in.Next != s.packet.Out || !b.setDepartures(s, out, left) {
		return false
	}
	return b.begin(r, timer, in, out, port, s, left)
}

// begin begins the departures of depart, which have been set, if their output can take them.
func (b streaming) begin(
	r *core.Router, timer uint32, in, out *core.VC, port *core.Port, s *stream, left int64,
) bool {
	s.out = r.FirstVC + uint32(s.packet.Out)
	s.announced, s.settled, s.credited, s.returned, s.left = s.count, 0, 0, 0, left
	if s.count < b.streams.least || !b.mayDepart(s, in, out, port) {
		return false
	}
	s.active = true
	b.Counters.Streams.Streams++
	r.Streams++
	own := b.Ports.OfVC(r, timer-uint32(r.First))
	b.portStreams.At(b.Ports.number(port)).Out = s.id
	b.portStreams.At(b.Ports.number(own)).In = s.id
	in.Timer = model.Forever
	if inOtherBlock(in) {
		border{b}.departBeyond(s)
	}
	b.Events.Set(r, timer, b.plan(s))
	return true
}

// packetTime returns the time (ps) that a full packet takes through an output after an idle time.
func (b streaming) packetTime(out *core.VC) int64 {
	took, _ := b.Classes.At(uint32(out.Class)).Serialize.Duration(b.MaxFlits*b.Spec.Packet.Flit, 0)
	return took
}

// rhythm returns the rhythm of full packets that follow one another at once through an output, after a packet
// that left a fraction of a ps.
func (b streaming) rhythm(out *core.VC, fraction uint64) (core.Rhythm, bool) {
	return b.Classes.At(uint32(out.Class)).Serialize.Rhythm(b.MaxFlits*b.Spec.Packet.Flit, fraction)
}

// fractionOf returns the fraction of a ps that the last packet through an output has left.
func (b streaming) fractionOf(out *core.VC) uint64 {
	return b.Ports.more.At(b.VCs.numberOf(out) / b.NumVCs).Fraction
}

// setDepartures sets the times and the number of the departures of a FIFO that begin with the next
// packet announced, when the tail of the one before leaves at `left` (ps). A tail does not leave before it has
// arrived. It returns false if the departures would not have one rhythm.
func (b streaming) setDepartures(s *stream, out *core.VC, left int64) bool {
	if !s.uneven {
		s.setEven(left, int64(b.MaxFlits)*b.flitTime)
		return true
	}
	fraction := b.fractionOf(out)
	if s.taken < s.queued {
		return b.setQueued(s, out, left, fraction)
	}
	a, i := s.arrivals(), s.taken-s.queued
	ready := a.Times.From(i)
	if left < ready.First {
		fraction = 0
	}
	rate, ok := b.rhythm(out, fraction)
	s.count = a.count - i
	if !ok {
		return false
	}
	if left <= ready.First {
		if full, free := a.findFree(&rate, left < ready.First); free {
			s.departAt(ready, full, a.atOnce)
			return true
		}
	}
	starts := core.Times{First: max(left, ready.First), Rhythm: rate}
	s.departAt(starts, rate.Step, rate.Per != 0)
	s.count = a.fits(i, starts, s.count)
	return true
}

// setEven is setDepartures where rates are equal and a packet takes `full` ps through each output.
func (s *stream) setEven(left, full int64) {
	ready := core.Even{First: s.readyAt(s.taken), Step: s.step}
	s.start, s.pace, s.full, s.count = ready.First, s.step, uint32(full), s.told-s.taken
	if ready.First < left { // they have waited
		s.start, s.pace = left, full
		s.count = ready.NoLater(s.evenStarts(0), s.count)
	}
}

// findFree reports whether packets that arrive when an output with a rhythm is free find it free again and
// again, and how long they then take through it (ps). idle means that it has been so for a while before the
// first of them.
func (a *arrivals) findFree(rate *core.Rhythm, idle bool) (full int64, free bool) {
	longest := rate.Step
	if rate.Per != 0 {
		longest++
	}
	switch {
	case a.atOnce:
		return a.Step, longest <= a.Step
	case rate.Per == 0 || int64(a.span) >= longest:
		// a fraction that a packet leaves does not count if no packet follows, or each at once
		full = max(rate.Step, int64(a.span))
		return full, full < a.Step || full == a.Step && a.Per == 0
	}
	return rate.Step, rate.Step < a.Step && idle
}

// mayDepart reports whether the output of departures can take them, and announces them behind it if
// so.
func (b streaming) mayDepart(s *stream, in, out *core.VC, port *core.Port) bool {
	class := b.Classes.At(uint32(out.Class))
	if out.Flags&core.ToHost != 0 {
		return b.Receive.Steady(^port.Router, s.leaveOf(0)+class.Tail, s.pace) && b.lasts(s, b.returnOf(s, 0))
	}
	number := b.VCs.Below(s.out)
	down := b.VCs.At(number)
	if down.Flags&core.Streamed != 0 {
		return false
	}
	if out.Flags&core.ToOtherBlock != 0 {
		return border{b}.mayCross(s, out, port, number)
	}
	p := s.packet
	if down.Tail == down.Head {
		b.VCs.restart(out, down, b.Events.Now, 0)
	}
	p.Out, p.Route = b.VCs.hop(&p, uint32(port.Router), down)
	p.Time = s.start + class.Hop + b.streams.late.Ready
	if !b.lasts(s, p.Time) {
		return false
	}
	b.announce(out, uint32(port.Router), number, p, s)
	return true
}

// lasts reports whether the credit for departures lasts until their first packet is ready at the next
// router (ps). From then on that router may have departures, whose credit is known in advance.
func (b streaming) lasts(s *stream, ready int64) bool {
	n := b.covered(s)
	return n == s.count || n > 0 && (s.startOf(n) >= ready || b.streams.least == 1)
}

// endOf returns the time (ps) at which departures end: when the tail of the last one leaves, or if there
// will be none, of the packet before them. For a NIC, it is when the next packet may be injected.
func (s *stream) endOf() int64 {
	switch {
	case s.nic != 0:
		return s.startOf(s.count)
	case s.count == 0:
		return s.left
	}
	return s.leaveOf(s.count - 1)
}

// plan counts the departures up to now, and returns the time (ps) at which they have to be
// considered again: when they end, or when the next one lacks credit.
func (b streaming) plan(s *stream) int64 {
	if at := b.known(s.router); s.settled < s.count && s.startOf(s.settled) < at {
		b.settle(s, s.before(at))
	}
	at := s.endOf()
	if s.nic != 0 {
		at = min(at, s.startOf(max(s.settled, s.steady)))
	}
	if n := b.covered(s); n < s.count {
		at = min(at, s.startOf(n))
	}
	if s.announced < s.count {
		at = min(at, s.startOf(max(s.announced, 1)-1))
	}
	return max(at, b.floor(s.router))
}

// reset sets the timer of departures to a time (ps), unless it is set to an earlier one.
func (b streaming) reset(s *stream, at int64) {
	r := b.Routers.At(s.router)
	timer := s.timer(r)
	if at < b.Events.Time(r, timer) {
		b.Events.Disarm(r, timer)
		b.Events.Set(r, timer, at)
	}
}

// timer returns the timer of the FIFO or NIC of a record.
func (s *stream) timer(r *core.Router) uint32 {
	if s.nic != 0 {
		return uint32(r.Wakes) + s.nic - 1 - r.FirstNIC
	}
	return s.number - r.Base
}

// covered returns how many departures have credit, as far as is known.
func (b streaming) covered(s *stream) uint32 {
	out := b.VCs.At(s.out)
	toHost := out.Flags&core.ToHost != 0
	if toHost && b.DeepReceive {
		return s.count
	}
	number := b.VCs.Below(s.out)
	down := b.VCs.At(number)
	b.VCs.takeCredit(out, down, number, b.known(s.router))
	if down.Flags&core.Drained != 0 {
		return s.count
	}
	if toHost {
		b.takeReturned(out, s, b.known(s.router))
	}
	full, credit := int32(b.MaxFlits), out.Credit
	n := s.settled
	for i := down.Pull; ; i++ {
		if credit >= full {
			n, credit = n+uint32(credit/full), credit%full
		}
		if n >= s.count || i == down.Head {
			break
		}
		p := b.VCs.Nth(down, i)
		if p.Time > s.startOf(n) {
			return n
		}
		credit += int32(p.Flits & core.FlitMask)
	}
	switch {
	case n >= s.count || !toHost && down.Flags&core.Streamed == 0:
		return n
	case !toHost:
		return n + b.VCs.promised(b.VCs.streamAt(number), s, n)
	case !s.uneven: // credit returns in the rhythm of the departures
		if b.returnOf(s, s.returned) > s.startOf(n) {
			return n
		}
		return s.count
	}
	return n + b.returns(s).From(s.returned).NoLater(s.starts().From(n), s.count-n)
}

// returnOf returns the time (ps) at which the credit of departure i to a NIC, which is Steady, is known
// at the router.
func (b streaming) returnOf(s *stream, i uint32) int64 { return s.leaveOf(i) + b.returnTime(s) }

// returns returns the times of returnOf.
func (b streaming) returns(s *stream) core.Times { return s.leaves().After(b.returnTime(s)) }

// returnTime returns the time (ps) from when a departure to a NIC has left until its credit is known.
func (b streaming) returnTime(s *stream) int64 {
	class := b.Classes.At(uint32(b.VCs.At(s.out).Class))
	return class.Tail + b.Payload*int64(b.DMA.PerByte) + class.Credit + b.streams.late.Returned
}

// takeReturned takes the credit that a NIC has returned for departures by the time `until` (ps).
func (b streaming) takeReturned(out *core.VC, s *stream, until int64) {
	if s.returned >= s.count || b.returnOf(s, s.returned) > until {
		return
	}
	n := s.leftBy(until - b.returnTime(s))
	out.Credit += int32(n-s.returned) * int32(b.MaxFlits)
	s.returned = n
}

// promised returns how many departures from a FIFO return their credit in time for those departures of the
// stream `up` that start from the n-th on upstream.
func (v *VCs) promised(s, up *stream, n uint32) uint32 {
	if !s.active {
		return 0
	}
	left := s.count - s.credited
	if !s.uneven {
		return core.Even{First: v.creditOf(s, s.credited), Step: s.pace}.NoLater(up.evenStarts(n), left)
	}
	return s.leaves().After(v.creditTime(s)).From(s.credited).NoLater(up.starts().From(n), left)
}

// creditOf returns the time (ps) at which the credit of departure i is known upstream.
func (v *VCs) creditOf(s *stream, i uint32) int64 { return s.leaveOf(i) + v.creditTime(s) }

// creditTime returns the time (ps) from when a departure has left a FIFO until its credit is known upstream.
func (v *VCs) creditTime(s *stream) int64 {
	return v.classes.At(uint32(v.At(s.number).Class)).Credit + v.streams.late.Credit
}

// takeCredit takes the credit of all packets that have left a FIFO, with or without a stream, and
// whose space is free at the time `until` (ps).
func (v *VCs) takeCredit(out, down *core.VC, number uint32, until int64) {
	if down.Flags&core.Drained != 0 {
		return
	}
	v.pullUntil(out, down, until, down.Head-down.Pull)
	if down.Flags&core.Streamed != 0 {
		v.takeImplied(out, v.streamAt(number), until)
	}
}

// takeImplied takes the credit that departures from a FIFO have returned by the time `until` (ps).
func (v *VCs) takeImplied(out *core.VC, s *stream, until int64) {
	if !s.active || s.credited >= s.count || v.creditOf(s, s.credited) > until {
		return
	}
	n := s.leftBy(until - v.creditTime(s))
	out.Credit += int32(n-s.credited) * int32(v.MaxFlits)
	s.credited = n
}

// observeStream reports departures that have started to the observer.
func (b streaming) observeStream(s *stream, count uint32, first int64) {
	if s.nic != 0 {
		b.observer.StreamFrom(s.nic-1, count, first, s.pace, uint32(b.MaxFlits))
	} else {
		b.observer.StreamOn(s.out/b.NumVCs, count, first, s.pace, uint32(b.MaxFlits))
	}
}

// Settle counts the packets of streams that have started before a time (ps), which must not be after the
// start of the next window. It reports whether there are streams under way.
func (b *Routers) Settle(at int64) bool {
	for id := uint32(1); id <= b.streams.used && b.streams.live > 0; id++ {
		if s := b.streams.at(id); s.active && !s.ghost {
			streaming{b}.settle(s, s.before(at))
		}
	}
	return b.streams.live > 0
}

// SettleNow is like Settle between two windows, for all that has started so far.
func (b *Routers) SettleNow() {
	if at := b.Events.Now + 1; at != b.streams.settledTo {
		b.streams.settledTo = at
		b.Settle(at)
	}
}

// settle counts the first n departures as sent.
func (b streaming) settle(s *stream, n uint32) {
	if n <= s.settled {
		return
	}
	count, first := n-s.settled, s.startOf(s.settled)
	s.settled = n
	b.Counters.Streams.Packets += uint64(count)
	out := b.VCs.At(s.out)
	flits := uint64(count) * uint64(b.MaxFlits)
	if b.observer != nil {
		b.observeStream(s, count, first)
	}
	if s.nic != 0 {
		out.Credit -= int32(flits)
		times := s.startsFrom(n - count)
		b.Send.CountStream(s.nic-1, uint64(count), flits, times.Total(count))
		return
	}
	more := b.Ports.more.At(s.out / b.NumVCs)
	more.Flits += flits
	more.Packets += uint64(count)
	if out.Flags&core.ToHost == 0 {
		out.Credit -= int32(flits)
		b.Counters.Hops += uint64(count)
		return
	}
	if !b.DeepReceive {
		out.Credit -= int32(flits)
	}
	tails := s.leavesFrom(n - count).After(b.Classes.At(uint32(out.Class)).Tail + b.streams.late.Received)
	b.Receive.MoveStream(^b.Ports.Ports.At(s.out/b.NumVCs).Router, s.packet.Msg, count, tails)
}

// impliedTime returns the time (ps) at which departures from a FIFO have returned credit for the given
// number of flits, or Forever and the number of flits that is still lacking then.
func (v *VCs) impliedTime(number uint32, lacking int32) (at int64, rest int32) {
	s := v.streamAt(number)
	if !s.active {
		return model.Forever, lacking
	}
	full := int32(v.MaxFlits)
	packets := uint32((lacking + full - 1) / full)
	if left := s.count - s.credited; packets > left {
		return model.Forever, lacking - int32(left)*full
	}
	return v.creditOf(s, s.credited+packets-1), 0
}
