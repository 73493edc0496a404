package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// feeder lets NICs inject streams.
type feeder struct{ streaming }

// injectStream makes the next packets of a NIC, which may inject the first of them now, leave as a
// stream. The last packet of a message does not belong to it. When the two before it are injected, the
// NIC has an event: it then fetches the last packet, which the endpoint is notified of, and the next
// message.
func (b feeder) injectStream(r *core.Router, timer uint32, n *nic.Sender, out *core.VC) bool {
	in := b.VCs.At(b.VCs.Below(b.FirstNICVC + (r.FirstNIC+timer-uint32(r.Wakes))*b.NumVCs + n.VC))
	link := b.Classes.At(uint32(in.Class)).Inject
	x, steady, count := b.Send.Steady(n, b.Events.Now, link)
	if count < b.streams.least || b.Uneven && b.starved(out, b.VCs.numberOf(in), x.Step) {
		return false
	}
	id := r.FirstNIC + timer - uint32(r.Wakes)
	channel := b.FirstNICVC + id*b.NumVCs + n.VC
	number := b.VCs.Below(channel)
	if in.Tail == in.Head {
		b.VCs.restart(out, in, b.Events.Now, 0)
	}
	s := b.streams.add()
	s.number, s.out, s.nic, s.router = channel, channel, id+1, r.Number
	s.departAt(x.Times, x.Full, x.AtOnce)
	s.steady, s.count, s.announced = steady, count, count
	ready := s.start + b.Classes.At(uint32(in.Class)).Entry + b.streams.late.Entry
	if !b.lasts(s, ready) {
		b.streams.remove(s)
		return false
	}
	s.active, n.Streaming = true, true
	b.Counters.Streams.Streams++
	b.portStreams.At(b.FirstNICPort + id).Out = s.id
	p := core.Packet{
		Time: ready, Route: n.Route, Msg: model.MsgID(n.Head),
		Flits: uint16(b.MaxFlits), Out: n.Out,
	}
	b.announce(out, r.Number, number, p, s)
	b.Events.Set(r, timer, b.plan(s))
	return true
}

// injectSome implements injectStream, or injectBehind, where rates differ.
func (b feeder) injectSome(r *core.Router, timer uint32, n *nic.Sender, out, in *core.VC) bool {
	if in.Flags&core.Streamed != 0 {
		return b.injectBehind(r, timer, n, out, in)
	}
	return b.injectStream(r, timer, n, out)
}

// continueStream considers a NIC's stream again, whose timer is due. It reports whether the stream
// has ended and the NIC may inject its next packet now.
func (b feeder) continueStream(r *core.Router, timer uint32, n *nic.Sender) bool {
	id := r.FirstNIC + timer - uint32(r.Wakes)
	s := b.streams.at(b.portStreams.At(b.FirstNICPort + id).Out)
	for s.settled < s.count || !s.apart {
		if at := b.plan(s); at > b.Events.Now {
			b.Events.Set(r, timer, at)
			return false
		}
		if !b.injectApart(s, n) {
			break
		}
	}
	b.endNIC(s, n, b.Events.Now)
	if at := n.Next(); at > b.Events.Now {
		b.Events.Arm(r, timer, at)
		return false
	}
	return true
}

// injectApart injects one of a stream's last packets now, which the NIC considers by themselves. It
// reports whether it is one of them, and has credit.
func (b feeder) injectApart(s *stream, n *nic.Sender) bool {
	i := s.settled
	if i < s.steady || i == s.count || s.startOf(i) > b.Events.Now || b.covered(s) == i {
		return false
	}
	if !s.apart {
		s.apart = true
		b.Send.EndStream(n, b.injected(s, i))
	}
	b.settle(s, i+1)
	b.Send.StepStream(n, b.injectRate(s))
	return true
}

// injectRate returns the rate of the link of a NIC's stream.
func (b feeder) injectRate(s *stream) core.Rate {
	return b.Classes.At(uint32(b.VCs.At(b.VCs.Below(s.out)).Class)).Inject
}

// injected describes the first n packets of a NIC's stream.
func (b feeder) injected(s *stream, n uint32) nic.Injected {
	return nic.Injected{
		Times: s.starts(), Full: int64(s.full), AtOnce: s.uneven && s.unevenPart().leaveAtOnce, Count: n, Link: b.injectRate(s),
	}
}

// endNIC ends a NIC's stream at the time `at` (ps).
func (b feeder) endNIC(s *stream, n *nic.Sender, at int64) {
	count := max(s.before(at), s.settled) // including a packet that it has injected just now
	if count < s.count {
		b.Counters.Streams.Starved++
	}
	b.settle(s, count)
	b.streams.ended(count)
	s.active, n.Streaming = false, false
	b.portStreams.At(s.out / b.NumVCs).Out = 0
	if !s.apart {
		b.Send.EndStream(n, b.injected(s, count))
	}
	b.stopAhead(s, b.VCs.At(s.out), count)
	b.streams.remove(s)
}
