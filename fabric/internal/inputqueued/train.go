package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// A packet that has started is often followed by others for the same output, and often nothing else
// happens at the router in between. Such packets pass one after another as a train, without the
// event list. Each packet of a train goes through the steps of request, start, forward and
// continueVC, at the same times and in the same order, but the data they read is looked up only
// once for all packets. The event list limits a train: it contains, or implies, everything else
// that could happen at the router.

// serve makes the first packet of a VC of the active router request its output now. It continues
// with the packets behind it while their requests are before the time `until` (ps) and before any
// other event at the router.
func (b *Routers) serve(r *core.Router, timer uint32, until int64) {
	if !b.Direct {
		b.serveSlowly(r, timer, until)
		return
	}
	// the observer only needs to see packets that wait, and these are few
	in, own := b.VCs.At(r.Base+timer), b.Ports.OfVC(r, timer-uint32(r.First))
	for {
		if until = b.Events.Quiet(until); r.Streams != 0 {
			until = b.Events.Now // the next packet may request a port that a stream uses
		}
		out, port := b.VCs.At(r.FirstVC+uint32(in.Next)), b.Ports.OfVC(r, uint32(in.Next))
		if free := max(own.In, port.Out); free > b.Events.Now {
			if b.observer != nil {
				b.observer.Blocked(r, timer, in)
			}
			if free >= until {
				b.Events.Schedule(r, timer, in, free)
				return
			}
			b.Events.Now = free
		}
		var at int64
		switch {
		case in.Flags&(core.Wanted|core.ToOtherBlock|core.Streamed)|out.Flags&core.ToOtherBlock != 0 || out.Busy():
			at = b.serveOne(r, timer, in, out, own, port)
		case out.Flags&core.ToHost != 0:
			at = b.trainToHost(r, timer, in, out, own, port, until)
		case in.Tail-in.Head == 1:
			at = b.passAlone(r, timer, in, out, own, port)
		default:
			at = b.train(r, timer, in, out, own, port, until)
		}
		if at >= until || at >= b.Events.Quiet(until) {
			if at != model.Forever {
				b.Events.Schedule(r, timer, in, at)
			} else if b.observer != nil {
				b.observer.Stall(r, timer, in)
			}
			return
		}
		b.Events.Now = at
	}
}

// serveSlowly is like serve, for packets that do not pass as trains.
func (b *Routers) serveSlowly(r *core.Router, timer uint32, until int64) {
	x := b.observer
	switch {
	case x == nil:
		b.request(r, timer)
	case x.Packetwise():
		x.Before(r, timer)
		b.request(r, timer)
		x.After(r, timer)
	default:
		b.Direct = true
		b.serve(r, timer, min(until, x.Until()))
		b.Direct = false
	}
}

// serveOne performs one step of serve. It returns the time (ps) of the next packet's request, or
// Forever if there is none or the first packet has to wait.
func (b *Routers) serveOne(
	r *core.Router, timer uint32, in, out *core.VC, own, port *core.Port,
) int64 {
	p := b.VCs.Nth(in, in.Head)
	if flits := int32(p.Flits & core.FlitMask); (out.Busy() || out.Credit < flits) &&
		!b.mayStart(r, timer, in, out, port, flits) {
		return model.Forever
	}
	left := b.start(r, timer, in, p, out, own, port)
	if in.Head == in.Tail {
		if in.Flags&core.Streamed != 0 {
			return streaming{b}.nextArrival(r, timer, in, left)
		}
		in.Timer = left
		b.VCs.drain(in)
		return model.Forever
	}
	p = b.VCs.Nth(in, in.Head)
	in.Next = p.Out
	p.Time = max(p.Time, left)
	return p.Time
}

// train forwards consecutive packets of a VC to another router of the block, as long as they go to
// the same output and their requests are before the time `until` (ps). It returns the time (ps) of
// the next packet's request, or Forever if there is none or the first packet has to wait for
// credit.
func (b *Routers) train(
	r *core.Router, timer uint32, in, out *core.VC, own, port *core.Port, until int64,
) int64 {
	number := b.Ports.downstream(in, port)
	down := b.VCs.At(number)
	if down.Flags&core.Streamed != 0 {
		return b.serveOne(r, timer, in, out, own, port)
	}
	hop, back := b.Classes.At(uint32(out.Class)).Hop, b.Classes.At(uint32(in.Class)).Credit
	head, sent, left, at := in.Head, port.Sent, b.Events.Now, model.Forever
	var before *core.Packet // previous packet of the train
	var next uint16
	var route uint64
	for {
		p := b.VCs.Nth(in, head)
		now := max(p.Time, left)
		if head != in.Head {
			if p.Time = now; p.Out != in.Next || now >= until {
				in.Next, at = p.Out, now
				break
			}
		}
		flits := uint64(p.Flits & core.FlitMask)
		if out.Credit < int32(flits) {
			if b.Events.Now = now; !b.VCs.credited(out, down, int32(flits)) {
				b.credit.hold(r, timer, out, number, int32(flits))
				break
			}
		}
		out.Credit -= int32(flits)
		if down.Tail == down.Head {
			b.VCs.restart(out, down, now, int32(flits))
		}
		if down.Tail-down.Pull > down.Mask {
			b.Events.Now = now
			b.VCs.makeRoom(out, down)
		}
		sent += 1<<core.SentPackets + flits
		if before == nil || !before.Precedes(p) {
			next, route = b.VCs.hop(p, uint32(port.Router), down)
		}
		before = p
		tail := down.Tail
		to := b.VCs.Nth(down, tail)
		to.Time = now + hop
		to.Route, to.Msg, to.Flits, to.Out = route, p.Msg, p.Flits, next
		down.Tail = tail + 1
		if tail == down.Head {
			b.arrive(port, number, down, to)
		}
		left = now + int64(flits)*b.flitTime
		p.Time = left + back
		if head++; head == in.Tail {
			in.Timer = left
			break
		}
	}
	b.Ports.departed(in, own, port, head, sent, left)
	b.Counters.Hops += uint64(head - in.Head)
	if in.Head = head; head == in.Tail {
		b.VCs.drain(in)
	}
	return at
}

// passAlone is like train, for the only packet of its VC. Most packets of short messages are alone.
func (b *Routers) passAlone(r *core.Router, timer uint32, in, out *core.VC, own, port *core.Port) int64 {
	number := b.Ports.downstream(in, port)
	down := b.VCs.At(number)
	if down.Flags&core.Streamed != 0 {
		return b.serveOne(r, timer, in, out, own, port)
	}
	p, now := b.VCs.Nth(in, in.Head), b.Events.Now
	flits := uint64(p.Flits & core.FlitMask)
	if out.Credit < int32(flits) && !b.VCs.credited(out, down, int32(flits)) {
		b.credit.hold(r, timer, out, number, int32(flits))
		return model.Forever
	}
	left := now + int64(flits)*b.flitTime
	in.Timer, port.Out, own.In = left, left, left
	if port.Sent += 1<<core.SentPackets + flits; port.Sent>>63 != 0 {
		b.Ports.carry(port)
	}
	b.Counters.Hops++
	if in.Pull == in.Head && in.Mask == SmallestRing-1 && down.Flags&core.Drained != 0 {
		p.Out, p.Route = b.VCs.hop(p, uint32(port.Router), down)
		p.Time = now + b.Classes.At(uint32(out.Class)).Hop
		b.VCs.handOver(in, out, down, now, int32(flits))
		b.arrive(port, number, down, p)
		return model.Forever
	}
	out.Credit -= int32(flits)
	if down.Tail == down.Head {
		b.VCs.restart(out, down, now, int32(flits))
	}
	if down.Tail-down.Pull > down.Mask {
		b.VCs.makeRoom(out, down)
	}
	next, route := b.VCs.hop(p, uint32(port.Router), down)
	tail := down.Tail
	to := b.VCs.Nth(down, tail)
	to.Time = now + b.Classes.At(uint32(out.Class)).Hop
	to.Route, to.Msg, to.Flits, to.Out = route, p.Msg, p.Flits, next
	down.Tail = tail + 1
	if tail == down.Head {
		b.arrive(port, number, down, to)
	}
	p.Time = left + b.Classes.At(uint32(in.Class)).Credit
	in.Head++
	b.VCs.drain(in)
	return model.Forever
}

// trainToHost is like train, for packets to a host of the router. It ends with each message.
func (b *Routers) trainToHost(
	r *core.Router, timer uint32, in, out *core.VC, own, port *core.Port, until int64,
) int64 {
	number := b.Ports.downstream(in, port)
	down := b.VCs.At(number)
	class := b.Classes.At(uint32(out.Class))
	back := b.Classes.At(uint32(in.Class)).Credit
	head, sent, left, at := in.Head, port.Sent, b.Events.Now, model.Forever
	done, id, end := model.NoMsg, ^port.Router, int64(0)
	for {
		p := b.VCs.Nth(in, head)
		now := max(p.Time, left)
		if head != in.Head {
			if p.Time = now; p.Out != in.Next || now >= until || done != model.NoMsg {
				in.Next, at = p.Out, now
				break
			}
		}
		flits := uint64(p.Flits & core.FlitMask)
		if out.Credit < int32(flits) {
			if b.Events.Now = now; !b.VCs.credited(out, down, int32(flits)) {
				b.credit.hold(r, timer, out, number, int32(flits))
				break
			}
		}
		sent += 1<<core.SentPackets + flits
		left = now + int64(flits)*b.flitTime
		p.Time = left + back
		var all bool
		if end, all = b.Receive.Move(id, p.Msg, p.Flits, left+class.Tail); all {
			done = p.Msg
		}
		if !b.DeepReceive {
			out.Credit -= int32(flits)
			b.Events.Now = now
			b.VCs.LeaveBehind(out, down, end+class.Credit, uint16(flits))
		}
		if head++; head == in.Tail {
			in.Timer = left
			break
		}
	}
	b.Ports.departed(in, own, port, head, sent, left)
	if in.Head = head; head == in.Tail {
		b.VCs.drain(in)
	}
	if done != model.NoMsg {
		b.Endpoint.Delivered(b.Send.HostOf(id), done, end+b.BusLatency)
	}
	return at
}
