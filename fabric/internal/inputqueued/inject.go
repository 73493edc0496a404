package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// inject sends the next packet of a NIC of the active router into the router's buffer, and further
// packets within this window. No other NIC uses the link into the router, so the times of the NIC's
// packets are known in advance as far as its credit lasts.
func (b *Routers) inject(r *core.Router, timer uint32) {
	id := r.FirstNIC + timer - uint32(r.Wakes)
	n := b.Send.NICs.At(id)
	if n.Streaming && !(feeder{streaming{b}}).continueStream(r, timer, n) {
		return
	}
	for began := b.Events.Now; ; {
		if b.observer != nil && n.InjectLeft > b.Payload {
			b.Send.Begins(n)
		}
		number := b.VCs.Below(b.FirstNICVC + id*b.NumVCs + n.VC)
		out, in := b.VCs.At(b.FirstNICVC+id*b.NumVCs+n.VC), b.VCs.At(number)
		if b.Bursts && !n.Paced && n.InjectLeft > b.Payload {
			if n.Stalled && b.VCs.credited(out, in, int32(b.MaxFlits)) {
				b.observer.UnstallNIC(id, n)
			}
			if !b.burst(r, timer, n, out) {
				return
			}
		}
		if b.Uneven && b.streamsNext(n) && (feeder{streaming{b}}).injectSome(r, timer, n, out, in) {
			return
		}
		size := b.Send.NextSize(n)
		flits := int32(size & core.FlitMask)
		if !b.VCs.credited(out, in, flits) {
			if b.Events.Now == began {
				if b.observer != nil {
					n.Stalled = true
				}
				b.credit.await(r, timer, out, number, flits)
			} else {
				b.Events.Arm(r, timer, b.Events.Now)
			}
			return
		}
		if b.observer != nil {
			b.observer.Injected(id, n, uint32(flits))
		}
		b.enter(r.Number, n, core.Packet{Route: n.Route, Msg: model.MsgID(n.Head), Flits: size, Out: n.Out}, out, number)
		if !b.Advance(r, id, n) {
			return
		}
		// The next packet may be of another message. Credit that departures imply is certain only up to now.
		next := b.VCs.At(b.VCs.Below(b.FirstNICVC + id*b.NumVCs + n.VC))
		if b.Events.Now = n.Next(); b.Events.Now >= b.Events.Calendar.End || next.Flags&core.Streamed != 0 {
			b.Events.Arm(r, timer, b.Events.Now)
			return
		}
	}
}

// enter sends a NIC's packet now, through the output VC `out` into the given router. The NIC must
// have credit for it.
func (b *Routers) enter(router uint32, n *nic.Sender, p core.Packet, out *core.VC, number uint32) {
	flits := p.Flits & core.FlitMask
	out.Credit -= int32(flits)
	in := b.VCs.At(number)
	if in.Flags&core.Streamed != 0 {
		tail := b.Send.Send(n, int64(flits), b.Classes.At(uint32(in.Class)).Inject)
		p.Time = b.Events.Now + b.Classes.At(uint32(in.Class)).Entry
		streaming{b}.pushBehind(out, in, number, p, tail-b.Events.Now)
		return
	}
	if in.Tail == in.Head {
		b.VCs.restart(out, in, b.Events.Now, int32(flits))
	}
	class := b.Classes.At(uint32(in.Class))
	tail := b.Send.Send(n, int64(flits), class.Inject)
	place := b.VCs.add(out, in)
	to := b.VCs.Pool.Packets.At(place)
	p.Time = b.Events.Now + class.Entry
	*to = p
	if b.Uneven {
		*b.VCs.Pool.spans.At(place) = uint32(tail - b.Events.Now)
	}
	if in.Tail-in.Head == 1 {
		b.startRequest(router, number, in, to)
	}
}

// burst is like inject, for full packets other than the last of their message. These can be
// delayed only by credit. It continues as far as the window, the message and the known credit
// allow. For the next packet, it either sets the NIC's timer or returns true, in which case the
// caller must inject that packet now.
func (b *Routers) burst(r *core.Router, timer uint32, n *nic.Sender, out *core.VC) bool {
	number := b.VCs.Below(b.FirstNICVC + (r.FirstNIC+timer-uint32(r.Wakes))*b.NumVCs + n.VC)
	in := b.VCs.At(number)
	if in.Flags&core.Streamed != 0 {
		return true
	}
	if b.mayStream(n) && (feeder{streaming{b}}).injectStream(r, timer, n, out) {
		return false
	}
	now, flits := b.Events.Now, int32(b.MaxFlits)
	took, fetching := int64(flits)*b.flitTime, b.Payload*int64(b.DMA.PerByte)
	entry := b.Classes.At(uint32(in.Class)).Entry
	for n.InjectLeft > b.Payload {
		if out.Credit < flits {
			if b.Events.Now = now; !b.VCs.credited(out, in, flits) {
				return true
			}
		}
		out.Credit -= flits
		if in.Tail == in.Head {
			b.VCs.restart(out, in, now, flits)
		}
		n.PrevTail, n.LastTail, n.Free = n.LastTail, now+took, now+took
		n.Flits += uint64(flits)
		n.Packets++
		b.Counters.Packets++
		b.Counters.InjectSum += now
		if in.Tail-in.Pull > in.Mask {
			b.Events.Now = now
			b.VCs.makeRoom(out, in)
		}
		p := b.VCs.Nth(in, in.Tail)
		p.Time = now + entry
		p.Route, p.Msg, p.Flits, p.Out = n.Route, model.MsgID(n.Head), uint16(flits), n.Out
		if in.Tail++; in.Tail-in.Head == 1 {
			b.startRequest(r.Number, number, in, p)
		}
		n.InjectLeft -= b.Payload
		n.Ready[0] = n.Ready[1]
		if n.Fetched--; n.Fetched == 1 && fetching != 0 && n.FetchLeft > b.Payload {
			n.DmaEnd = max(n.DmaEnd, n.LastTail) + fetching
			n.Ready[1] = n.DmaEnd
			n.Fetched = 2
			n.FetchLeft -= b.Payload
		} else {
			b.Send.Fetch(n)
		}
		if now = n.Next(); now >= b.Events.Calendar.End {
			b.Events.Arm(r, timer, now)
			return false
		}
	}
	b.Events.Now = now
	return true
}

// streamsNext is like mayStream where rates differ. There, packets do not leave in bursts.
func (b *Routers) streamsNext(n *nic.Sender) bool {
	return b.streams.On && !n.Paced && n.InjectLeft > b.Payload && b.mayStream(n)
}

// mayStream reports whether a NIC's next packets may be a stream. Those of short messages are not, see
// nic.Senders.Steady.
func (b *Routers) mayStream(n *nic.Sender) bool {
	return b.streams.On && !b.streams.resting() && n.FetchLeft > (int64(b.streams.least)-2)*b.Payload
}
