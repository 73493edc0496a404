package inputqueued

import (
	"fabricast/fabric/internal/core"
)

// end ends the departures of a FIFO at the time `at` (ps): of its packets, those that start before
// it have started. The timer of the FIFO must have been cleared. The next packet of the FIFO makes a
// request of its own.
func (b streaming) end(s *stream, at int64) {
	r, in, out := b.Routers.At(s.router), b.VCs.At(s.number), b.VCs.At(s.out)
	n := s.before(at)
	b.settle(s, n)
	b.streams.ended(n)
	port, own := b.Ports.Ports.At(s.out/b.NumVCs), b.Ports.Ports.At(s.number/b.NumVCs)
	b.portStreams.At(s.out / b.NumVCs).Out = 0
	b.portStreams.At(s.number / b.NumVCs).In = 0
	r.Streams--
	beyond := inOtherBlock(in)
	if !beyond {
		b.VCs.takeImplied(b.VCs.At(b.upstream(s.number)), s, b.knownAbove(in))
	}
	s.active = false
	left := s.left
	if n > 0 {
		b.keepFraction(s, port, n)
		left = s.leaveOf(n - 1)
		port.Out, own.In = left, left
	}
	s.taken += n
	b.retreat(s, n)
	if beyond {
		border{b}.departedBeyond(s, n)
	} else {
		b.leave(in, s, n)
	}
	b.stopAhead(s, out, n)
	if n < s.count && !beyond {
		b.stopBehind(s.number)
	}
	b.resume(r, in, s, left)
}

// keepFraction sets the fraction of a ps that the first n departures leave at their output.
func (b streaming) keepFraction(s *stream, port *core.Port, n uint32) {
	if !b.Uneven {
		return
	}
	more, bytes := b.Ports.more.At(s.out/b.NumVCs), b.MaxFlits*b.Spec.Packet.Flit
	rate := b.Classes.At(uint32(b.VCs.At(s.out).Class)).Serialize
	atOnce := s.atOnce()
	if port.Out != s.start || !atOnce && n > 1 {
		more.Fraction = 0
	}
	if !atOnce {
		n = 1
	}
	more.Fraction = rate.Left(bytes, n, more.Fraction)
}

// retreat chooses the number of packets that pass one by one before the next attempt.
func (b streaming) retreat(s *stream, n uint32) {
	if n >= 2*leastPackets {
		s.backOff = 0
		return
	}
	s.backOff = min(2*s.backOff+leastPackets, 1<<8)
	s.pause = s.backOff
}

// leave adds the first n departures to the packets of a FIFO that have left, except for those whose
// credit has been taken.
func (b streaming) leave(in *core.VC, s *stream, n uint32) {
	if s.credited >= n {
		return
	}
	count := uint16(n - s.credited)
	b.makeGap(in, count)
	for i := range count {
		*b.VCs.Nth(in, in.Head) = core.Packet{Time: b.VCs.creditOf(s, s.credited+uint32(i)), Flits: uint16(b.MaxFlits)}
		in.Head++
	}
}

// makeGap makes places for `count` packets before the first packet of a FIFO. Its packets move
// towards the end.
func (b streaming) makeGap(in *core.VC, count uint16) {
	for in.Places() < uint32(in.Tail-in.Pull)+uint32(count) {
		if in.Mask == 0 {
			b.VCs.makeRoom(nil, in)
		} else {
			b.VCs.Pool.grow(in)
		}
	}
	for i := in.Tail; i != in.Head; i-- {
		*b.VCs.Nth(in, i-1+count) = *b.VCs.Nth(in, i-1)
		if b.Uneven {
			b.VCs.setSpan(in, i-1+count, *b.VCs.Pool.spans.At(in.Base + uint32((i-1)&in.Mask)))
		}
	}
	in.Tail += count
}

// stopAhead shortens what has been announced downstream to the first n departures, and takes the
// credit that is there.
func (b streaming) stopAhead(s *stream, out *core.VC, n uint32) {
	number := b.VCs.Below(s.out)
	down := b.VCs.At(number)
	if out.Flags&core.ToHost != 0 {
		b.stopAtNIC(s, out, number, n)
		return
	}
	switch {
	case n == s.announced || down.Flags&core.Streamed == 0:
	case out.Flags&core.ToOtherBlock != 0:
		border{b}.cutBeyond(s, out, number, n)
	default:
		b.cut(number, n, b.floor(b.VCs.streamAt(number).router)+b.streams.late.Fewer)
	}
	if down.Flags&core.Drained != 0 {
		out.Credit = b.Capacity - b.VCs.onTheWay(down)
		return
	}
	b.VCs.takeCredit(out, down, number, b.known(s.router))
}

// stopAtNIC takes the credit that a NIC has returned for the first n departures. Credit that is still on its way
// becomes that of single packets.
func (b streaming) stopAtNIC(s *stream, out *core.VC, number, n uint32) {
	if b.DeepReceive {
		return
	}
	down := b.VCs.At(number)
	b.VCs.takeCredit(out, down, number, b.known(s.router))
	b.takeReturned(out, s, b.known(s.router))
	for ; s.returned < n; s.returned++ {
		b.VCs.LeaveBehind(out, down, b.returnOf(s, s.returned), uint16(b.MaxFlits))
	}
}

// stopBehind plans the departures anew that send packets to a FIFO, because less of its credit will
// return.
func (b streaming) stopBehind(number uint32) {
	if up := b.departuresTo(b.upstream(number)); up != nil {
		b.reset(up, b.plan(up)+b.streams.late.Less)
	}
}

// resume makes the first packet of a FIFO, whose departures have ended, request its output. The tail
// of the packet before it leaves at `left` (ps).
func (b streaming) resume(r *core.Router, in *core.VC, s *stream, left int64) {
	timer := s.number - r.Base
	if rest := s.told - s.taken; rest > 0 && in.Tail == in.Head {
		b.takeArrival(b.above(s.number, in), in, s, left)
	} else {
		b.insertArrivals(in, s, rest)
		b.forget(s)
	}
	if in.Tail == in.Head {
		in.Timer = left
		return
	}
	p := b.VCs.Nth(in, in.Head)
	b.delay(in, p, left)
	in.Next = p.Out
	b.Events.Set(r, timer, p.Time)
}

// insertArrivals inserts the packets announced, all of which have been sent, before those of a FIFO.
func (b streaming) insertArrivals(in *core.VC, s *stream, count uint32) {
	b.makeGap(in, uint16(count))
	for i := range count {
		b.arrival(in, in.Head+uint16(i), s, s.taken+i)
	}
}

// EndStreams ends all streams between two windows. Afterwards every packet in the network is a
// packet of some FIFO or NIC, as if there had never been streams.
func (b *Routers) EndStreams() {
	t := &b.streams
	t.passed = t.passed[:0] // the other block forgets these FIFOs, too
	if t.live == 0 {
		return
	}
	now := b.Events.Now + 1
	for id := uint32(1); id <= t.used; id++ {
		if s := t.at(id); s.router != core.NoRouter {
			border{streaming{b}}.endAtBorder(s, now)
		}
	}
	for id := uint32(1); id <= t.used; id++ {
		s := t.at(id)
		if !s.active {
			continue
		}
		r := b.Routers.At(s.router)
		timer := s.timer(r)
		b.Events.Disarm(r, timer)
		if s.nic != 0 {
			n := b.Send.NICs.At(s.nic - 1)
			feeder{streaming{b}}.endNIC(s, n, now)
			b.Events.Arm(r, timer, max(n.Next(), now)) // later than Next if it has sent in the rhythm of credit
		} else {
			streaming{b}.end(s, now)
		}
	}
	for id := uint32(1); id <= t.used; id++ {
		s := t.at(id)
		if s.router == core.NoRouter {
			continue
		}
		in := b.VCs.At(s.number)
		up := streaming{b}.above(s.number, in)
		for s.taken < s.told {
			streaming{b}.appendArrival(up, in, s)
		}
		streaming{b}.forget(s)
	}
	t.passed = t.passed[:0]
}
