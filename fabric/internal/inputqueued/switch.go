package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// request makes the first packet of a VC of the active router request its output now. There are
// three possible results: the packet starts; its timer is set to the next time at which it may
// start; or it waits for credit or for the holder of its output VC.
//
// The engine spends most of its time in this function and its callees. Each ends in a tail call,
// and calls other functions only for rare cases, so that the compiler keeps its values in
// registers.
func (b *Routers) request(r *core.Router, timer uint32) {
	in, own := b.VCs.At(r.Base+timer), b.Ports.OfVC(r, timer-uint32(r.First))
	p := b.VCs.Nth(in, in.Head)
	out, port := b.VCs.At(r.FirstVC+uint32(in.Next)), b.Ports.OfVC(r, uint32(in.Next))
	if free := max(own.In, port.Out); free > b.Events.Now {
		b.Events.Schedule(r, timer, in, free)
		return
	}
	var leave int64
	if flits := int32(p.Flits & core.FlitMask); out.Busy() || out.Credit < flits {
		if !b.mayStart(r, timer, in, out, port, flits) {
			return
		}
		leave = b.start(r, timer, in, p, out, own, port)
	} else {
		leave = b.start(r, timer, in, p, out, own, port)
	}
	b.continueVC(r, timer, leave)
}

// start sends the first packet, p, of a VC of the active router to another VC, and returns the time
// (ps) at which its tail leaves. Its space becomes credit upstream then.
func (b *Routers) start(
	r *core.Router, timer uint32, in *core.VC, p *core.Packet, out *core.VC, own, port *core.Port,
) (leave int64) {
	flits := uint64(p.Flits & core.FlitMask)
	leave = b.Events.Now + int64(flits)*b.flitTime
	if b.special || out.Owner != 0 || in.Flags&(core.Wanted|core.ToOtherBlock) != 0 {
		leave = b.startSpecially(r, timer, in, p, out, port)
	}
	port.Out = leave
	own.In = leave
	out.Credit -= int32(flits)
	if port.Sent += 1<<core.SentPackets + flits; port.Sent>>63 != 0 {
		b.Ports.carry(port)
	}
	number := b.Ports.downstream(in, port)
	if in.Head++; in.Head == in.Tail {
		in.Timer = leave // before a sweep: the FIFO is empty, but its credit is not known yet
	}
	p.Time = leave + b.Classes.At(uint32(in.Class)).Credit
	switch {
	case out.Flags&core.ToHost != 0:
		b.eject(out, port, number, p, leave)
	case out.Flags&core.ToOtherBlock == 0:
		index, route := b.VCs.hop(p, uint32(port.Router), b.VCs.At(number))
		b.forward(p, out, port, number, leave, index, route)
	default:
		b.forwardBeyond(p, out, port, leave)
	}
	return leave
}

// continueVC schedules the request of the next packet in a VC of the active router, if there is
// one: when it is eligible, but not before the tail of the previous packet has left, at `left`
// (ps).
func (b *Routers) continueVC(r *core.Router, timer uint32, left int64) {
	in := b.VCs.At(r.Base + timer)
	if in.Head == in.Tail {
		if in.Flags&core.Streamed != 0 {
			if at := (streaming{b}).nextArrival(r, timer, in, left); at != model.Forever {
				b.Events.Schedule(r, timer, in, at)
			}
			return
		}
		in.Timer = left
		b.VCs.drain(in)
		return
	}
	if b.Uneven && (streaming{b}).departQueued(r, timer, in, left) {
		return
	}
	p := b.VCs.Nth(in, in.Head)
	in.Next = p.Out
	at := p.Time
	if at < left {
		if b.Uneven {
			b.VCs.shorten(in, left-at)
		}
		at = left
		p.Time = at
	}
	b.Events.Schedule(r, timer, in, at)
}

// mayStart reports whether the first packet of a VC may take an output VC that has a holder or
// seems to lack credit. If not, it registers the packet where it will be woken.
func (b *Routers) mayStart(
	r *core.Router, timer uint32, in, out *core.VC, port *core.Port, flits int32,
) bool {
	index := timer - uint32(r.First)
	if out.Busy() && out.Owner != uint16(timer+1) {
		more := b.VCs.More.At(r.FirstVC + uint32(in.Next))
		in.Timer = int64(more.Park)
		more.Park = uint16(index + 1)
		return false
	}
	if out.Credit < flits {
		number := b.Ports.downstream(in, port)
		if !b.VCs.credited(out, b.VCs.At(number), flits) {
			b.credit.hold(r, timer, out, number, flits)
			return false
		}
	}
	return true
}

// startSpecially handles what only some networks, or few packets, need when a packet starts. It
// advances the round robin, wakes packets that waited for an output VC, and returns credit that
// upstream waits for. It returns the time (ps) at which the packet's tail leaves.
func (b *Routers) startSpecially(
	r *core.Router, timer uint32, in *core.VC, p *core.Packet, out *core.VC, port *core.Port,
) int64 {
	if b.roundRobins {
		b.Ports.more.At(b.Ports.number(port)).Last = timer - uint32(r.First) + 1
	}
	flits := int64(p.Flits & core.FlitMask)
	leave := b.Events.Now + flits*b.flitTime
	if b.Uneven {
		span := *b.VCs.Pool.spans.At(in.Base + uint32(in.Head&in.Mask))
		leave = b.Ports.leave(b.Ports.number(port), out.Class, flits, p.Time+int64(span))
	}
	if out.Owner != 0 {
		if b.observer != nil {
			b.observer.Released(r, timer-uint32(r.First), uint32(in.Next), leave)
		}
		b.credit.unpark(r, uint32(in.Next), leave)
	}
	if in.Flags&(core.Wanted|core.ToOtherBlock) != 0 {
		b.credit.giveBack(r, timer, in, leave+b.Classes.At(uint32(in.Class)).Credit, p.Flits)
	}
	return leave
}

// forward sends a packet that has just started to the router of this block that its output VC leads
// to. Its tail leaves at `leave` (ps). At that router it takes the output VC `index` and has the
// header `route`.
func (b *Routers) forward(
	p *core.Packet, out *core.VC, port *core.Port, number uint32, leave int64, index uint16, route uint64,
) {
	b.Counters.Hops++
	down := b.VCs.At(number)
	if down.Flags&core.Streamed != 0 {
		next := core.Packet{Time: b.Events.Now + b.Classes.At(uint32(out.Class)).Hop, Route: route, Msg: p.Msg, Flits: p.Flits, Out: index}
		streaming{b}.pushBehind(out, down, number, next, leave-b.Events.Now)
		return
	}
	if down.Tail == down.Head {
		b.VCs.restart(out, down, b.Events.Now, int32(p.Flits&core.FlitMask))
	}
	if down.Tail-down.Pull > down.Mask {
		b.VCs.makeRoom(out, down)
	}
	tail := down.Tail
	down.Tail = tail + 1
	place := down.Base + uint32(tail&down.Mask)
	to := b.VCs.Pool.Packets.At(place)
	to.Time = b.Events.Now + b.Classes.At(uint32(out.Class)).Hop
	to.Route, to.Msg, to.Flits, to.Out = route, p.Msg, p.Flits, index
	if b.Uneven {
		*b.VCs.Pool.spans.At(place) = uint32(leave - b.Events.Now)
	}
	if tail == down.Head {
		b.arrive(port, number, down, to)
	}
}

// arrive sets the timer of the VC downstream for a packet that has entered its empty FIFO.
func (b *Routers) arrive(port *core.Port, channel uint32, down *core.VC, p *core.Packet) {
	if p.Time < down.Timer || b.Uneven {
		b.startRequest(uint32(port.Router), channel, down, p)
		return
	}
	down.Timer, down.Next = p.Time, p.Out
	router, number := uint32(port.Router), uint32(down.Number)
	if ahead := b.Events.Calendar.Ahead(p.Time); ahead < core.Wheel {
		// this avoids reading the router's record, which is not in the cache
		b.Events.MarkNear(router, b.Events.FirstWord(router)+number>>6, number, ahead)
	} else {
		b.Events.MarkDue(b.Routers.At(router), number, p.Time)
	}
}

// forwardBeyond is like forward, to a router of another block.
func (b *Routers) forwardBeyond(p *core.Packet, out *core.VC, port *core.Port, leave int64) {
	route, index := b.Onward(uint32(port.Router), p.Route)
	b.Counters.Hops++
	next := core.Packet{Time: b.Events.Now + b.Classes.At(uint32(out.Class)).Hop, Route: route, Msg: p.Msg, Flits: p.Flits, Out: index}
	b.Mail.SendPacket(
		uint32(port.Router), b.Beyond(b.Ports.number(port))+uint32(p.Out)%b.NumVCs, next,
		uint32(leave-b.Events.Now),
	)
}

// startRequest sets the timer of a VC for a packet that has entered its empty FIFO. The packet
// makes its request when it is eligible, but not before the tail of the previous one has left.
func (b *Routers) startRequest(router, number uint32, in *core.VC, p *core.Packet) {
	at := p.Time
	if late := in.Timer - at; late > 0 {
		if b.Uneven {
			b.VCs.shorten(in, late)
		}
		if b.observer != nil {
			b.observer.Came(number, at)
		}
		at = in.Timer
		p.Time = at
	}
	in.Timer, in.Next = at, p.Out
	r := b.Routers.At(router)
	if at < b.Events.Calendar.End && r.Number == b.Events.Visiting { // the packet comes from a NIC
		b.Events.Events.Insert(at-b.Events.Calendar.Start, number-r.Base)
		return
	}
	b.Events.MarkDue(r, number-r.Base, at)
}

// push appends a packet from another block to the FIFO of its VC.
func (b *Routers) push(m *core.PacketMail) {
	in := b.VCs.At(m.VC)
	if in.Flags&core.Streamed != 0 {
		streaming{b}.pushBehind(nil, in, m.VC, m.Packet, int64(m.Span))
		return
	}
	place := b.VCs.add(nil, in)
	to := b.VCs.Pool.Packets.At(place)
	*to = m.Packet
	if b.Uneven {
		*b.VCs.Pool.spans.At(place) = m.Span
	}
	if in.Tail-in.Head == 1 {
		b.startRequest(m.Router, m.VC, in, to)
	}
}
