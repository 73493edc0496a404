package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// announce tells the FIFO behind an output VC of the departures that begin there. Its first packet
// is p at that router, ready at the time p.Time (ps).
func (b streaming) announce(out *core.VC, router, number uint32, p core.Packet, from *stream) {
	b.expect(out, router, number, p, from.announcement(p.Time))
}

// arrivals are packets that are announced to a FIFO.
type arrivals struct {
	core.Times        // when they are eligible for their output (ps)
	count      uint32 // their number
	span       uint32 // from when a head is eligible until its tail has arrived (ps), at least
	atOnce     bool   // each tail arrives when the next packet is eligible
}

// announcement describes departures, the first of which is ready at the next router at a time (ps).
func (s *stream) announcement(ready int64) arrivals {
	t := s.starts()
	return arrivals{t.After(ready - t.First), s.announced, s.full, s.uneven && s.unevenPart().leaveAtOnce}
}

// expect makes a FIFO expect packets like p. out is the VC from which they come, or nil if that is
// in another block.
func (b streaming) expect(out *core.VC, router, number uint32, p core.Packet, a arrivals) {
	down := b.VCs.At(number)
	s := b.record(router, number)
	s.packet, s.told = p, a.count
	s.expectAt(a)
	if down.Tail != down.Head {
		return
	}
	s.left = down.Timer
	next := b.takeArrival(out, down, s, s.left)
	down.Timer, down.Next = next.Time, next.Out
	r := b.Routers.At(router)
	b.Events.Set(r, number-r.Base, next.Time)
}

// takeArrival makes the next packet announced a packet at the end of its FIFO, and the first one
// there. The tail of the packet before it leaves at `left` (ps).
func (b streaming) takeArrival(up, in *core.VC, s *stream, left int64) *core.Packet {
	p := b.appendArrival(up, in, s)
	s.left = left
	b.delay(in, p, left)
	return p
}

// appendArrival makes the next packet announced a packet at the end of its FIFO.
func (b streaming) appendArrival(up, in *core.VC, s *stream) *core.Packet {
	if in.Full() {
		if in.Mask != 0 && up != nil {
			b.VCs.pullUntil(up, in, b.knownAbove(in), pullAtOnce)
		}
		if in.Full() {
			b.VCs.makeRoom(nil, in)
		}
	}
	p := b.arrival(in, in.Tail, s, s.taken)
	in.Tail++
	s.taken++
	return p
}

// arrival makes arrival i of a record packet number `at` of its FIFO.
func (b streaming) arrival(in *core.VC, at uint16, s *stream, i uint32) *core.Packet {
	p := b.VCs.Nth(in, at)
	*p = s.packet
	p.Time = s.readyAt(i)
	if b.Uneven {
		b.VCs.setSpan(in, at, s.spanOf(i))
	}
	return p
}

// delay makes p, the first packet of a FIFO, request its output at the time `left` (ps) or later.
func (b streaming) delay(in *core.VC, p *core.Packet, left int64) {
	if late := left - p.Time; late > 0 {
		p.Time = left
		if b.Uneven {
			b.VCs.shorten(in, late)
		}
	}
}

// pullUntil takes the credit of up to `most` packets that have left the FIFO `down` and whose space
// is free at the time `until` (ps).
func (v *VCs) pullUntil(out, down *core.VC, until int64, most uint16) {
	for n := uint16(0); n < most && down.Pull != down.Head; n++ {
		p := v.Nth(down, down.Pull)
		if p.Time > until {
			return
		}
		out.Credit += int32(p.Flits & core.FlitMask)
		down.Pull++
	}
}

// nextArrival continues a FIFO whose last packet has started, and whose tail leaves at `left` (ps).
// The packets announced form departures, or the first of them becomes the FIFO's first packet. It
// returns the time (ps) at which that packet makes its request, or Forever.
func (b streaming) nextArrival(r *core.Router, timer uint32, in *core.VC, left int64) int64 {
	number := r.Base + timer
	s := b.VCs.streamAt(number)
	if s.taken == s.told {
		b.forget(s)
		in.Timer = left
		b.VCs.drain(in)
		return model.Forever
	}
	if b.depart(r, timer, in, s, left) {
		return model.Forever
	}
	p := b.takeArrival(b.above(number, in), in, s, left)
	in.Timer, in.Next = p.Time, p.Out
	return p.Time
}

// cut shortens what has been announced to a FIFO to n packets: the sender has stopped. What it sends
// instead is ready at the time `at` (ps) or later.
func (b streaming) cut(number uint32, n uint32, at int64) {
	s := b.VCs.streamAt(number)
	n += s.queued
	s.told = n
	if s.active {
		if n -= s.taken; n < s.count {
			s.count = n
			b.reset(s, max(s.endOf(), at))
		}
		return
	}
	if s.taken <= n {
		return
	}
	s.taken--
	in, r := b.VCs.At(number), b.Routers.At(s.router)
	in.Tail--
	b.Events.Disarm(r, number-r.Base)
	in.Timer = s.left
	b.forget(s)
}

// pushBehind appends a packet to a FIFO with a stream. All packets announced have been sent before it.
// span is as in arrivals.
func (b streaming) pushBehind(up, in *core.VC, number uint32, p core.Packet, span int64) {
	s := b.VCs.streamAt(number)
	for !s.active && s.taken < s.told {
		b.appendArrival(up, in, s)
	}
	if in.Full() {
		if up != nil {
			b.VCs.pullUntil(up, in, b.knownAbove(in), pullAtOnce)
		}
		if in.Full() {
			b.VCs.makeRoom(nil, in)
		}
	}
	*b.VCs.Nth(in, in.Tail) = p
	b.VCs.setSpan(in, in.Tail, uint32(span))
	in.Tail++
	if !s.active {
		b.forget(s)
	}
}
