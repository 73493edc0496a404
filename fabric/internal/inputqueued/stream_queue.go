package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// Where an output is slower than the input, packets queue until the buffer is full. From then on each
// packet that comes waits for the credit of one that leaves, so that the sender upstream has the rhythm
// of the output. Packets in the buffer then begin to depart as a stream. They become arrivals of which
// no time is known but that they have waited. A NIC that lacks credit adds those that it will send.

// departQueued is like depart for the packets in a FIFO.
func (b streaming) departQueued(r *core.Router, timer uint32, in *core.VC, left int64) bool {
	count := in.Waiting()
	if !b.streams.On || uint32(count) < b.streams.least || in.Flags&(core.Streamed|core.Wanted|core.ToOtherBlock) != 0 {
		return false
	}
	first := b.VCs.Nth(in, in.Head)
	out, port := b.VCs.At(r.FirstVC+uint32(first.Out)), b.Ports.OfVC(r, uint32(first.Out))
	took := b.packetTime(out)
	if first.Out != in.Next || out.Owner != 0 || b.starved(out, b.Ports.downstream(in, port), took) ||
		!b.alike(in, left, took) || b.streams.resting() {
		return false
	}
	s := b.record(r.Number, r.Base+timer)
	s.packet, s.told, s.queued = *first, uint32(count), uint32(count)
	in.Tail = in.Head
	if b.setQueued(s, out, left, b.fractionOf(out)) && b.begin(r, timer, in, out, port, s, left) {
		return true
	}
	in.Tail += count
	b.forget(s)
	return false
}

// starved reports whether a sender with the interval pace (ps) lacks credit before packets that start now
// reach the next router, so that it would form a stream in vain.
func (b streaming) starved(out *core.VC, number uint32, pace int64) bool {
	if b.streams.least == 1 || out.Flags&core.ToHost != 0 || pace >= b.Classes.At(uint32(out.Class)).Hop {
		return false
	}
	return !b.VCs.credited(out, b.VCs.At(number), 2*int32(b.MaxFlits))
}

// alike reports whether the packets in a FIFO are full ones of one message, other than its last, and arrive
// before their turn, if the first one starts at the time `left` and each takes `took` (ps).
func (b streaming) alike(in *core.VC, left, took int64) bool {
	first := b.VCs.Nth(in, in.Head)
	if first.Flits != uint16(b.MaxFlits) {
		return false
	}
	for i := in.Tail - 1; ; i-- {
		p := b.VCs.Nth(in, i)
		span := int64(*b.VCs.Pool.spans.At(in.Base + uint32(i&in.Mask)))
		if p.Msg != first.Msg || p.Flits != first.Flits || p.Out != first.Out || p.Time+span > left+int64(i-in.Head)*took {
			return false
		}
		if i == in.Head {
			return true
		}
	}
}

// setQueued is like setDepartures if the next packet announced is queued. A packet before has left a fraction of
// a ps.
func (b streaming) setQueued(s *stream, out *core.VC, left int64, fraction uint64) bool {
	rate, ok := b.rhythm(out, fraction)
	starts := core.Times{First: left, Rhythm: rate}
	s.departAt(starts, rate.Step, rate.Per != 0)
	s.count = s.queued - s.taken
	a := s.arrivals()
	s.count += a.fits(0, starts.From(s.count), a.count)
	return ok
}

// injectBehind is like injectStream for a NIC that lacks credit, while packets queued at its router depart
// as a stream: each of its packets follows when one of those has returned its space.
func (b feeder) injectBehind(r *core.Router, timer uint32, n *nic.Sender, out, in *core.VC) bool {
	id := r.FirstNIC + timer - uint32(r.Wakes)
	channel := b.FirstNICVC + id*b.NumVCs + n.VC
	f := b.VCs.streamAt(b.VCs.Below(channel))
	b.VCs.takeCredit(out, in, f.number, b.Events.Now)
	class, full := b.Classes.At(uint32(in.Class)), int32(b.MaxFlits)
	if !f.continues(n, in) || out.Credit < full || out.Credit >= 2*full || f.credited == f.count {
		return false
	}
	// the credit that is there now has come an interval before the next one
	credits := f.leaves().After(b.VCs.creditTime(f)).From(f.credited).Earlier()
	if credits.First != b.Events.Now {
		return false
	}
	took, _ := class.Inject.Duration(b.MaxFlits*b.Spec.Packet.Flit, 0)
	steady, count := b.Send.Waiting(n, b.Events.Now, credits.Step, class.Inject)
	a := arrivals{credits.After(class.Entry + b.streams.late.Entry), count, uint32(took), false}
	if count < b.streams.least || a.fits(0, f.starts().From(f.count), count) < count {
		return false
	}
	f.expectAt(a)
	f.told += count
	f.count += count
	s := b.streams.add()
	s.number, s.out, s.nic, s.router = channel, channel, id+1, r.Number
	s.departAt(credits, took, false)
	s.steady, s.count, s.announced = steady, count, count
	s.active, n.Streaming = true, true
	b.Counters.Streams.Streams++
	b.portStreams.At(b.FirstNICPort + id).Out = s.id
	b.reset(f, b.plan(f))
	b.Events.Set(r, timer, b.plan(s))
	return true
}

// continues reports whether all packets announced to a FIFO, which are of the message that a NIC sends, are
// departing, and nothing is behind them.
func (s *stream) continues(n *nic.Sender, in *core.VC) bool {
	return s.active && s.told == s.queued && s.count == s.told-s.taken && in.Pull == in.Tail &&
		s.packet.Msg == model.MsgID(n.Head) && s.packet.Route == n.Route && s.packet.Out == n.Out
}

// further announces those departures behind their output that have been added since they began. If it cannot,
// they do not belong to the stream.
func (b streaming) further(s *stream) {
	if s.announced >= s.count || b.Events.Now < s.startOf(max(s.announced, 1)-1) {
		return
	}
	out, number := b.VCs.At(s.out), b.VCs.Below(s.out)
	switch {
	case out.Flags&core.ToHost != 0:
	case out.Flags&core.ToOtherBlock != 0 || b.VCs.At(number).Flags&core.Streamed == 0:
		s.count = s.announced
		b.stopBehind(s.number)
		return
	default:
		b.add(b.VCs.streamAt(number), s.count-s.announced)
	}
	s.announced = s.count
}

// add adds packets to those announced to a FIFO, at the same interval.
func (b streaming) add(s *stream, more uint32) {
	all := s.active && s.count == s.told-s.taken
	s.told += more
	if !all {
		return
	}
	a, i := s.arrivals(), max(s.taken, s.queued)
	n := i - s.taken
	if n += a.fits(i-s.queued, s.starts().From(n), s.told-i); n > s.count {
		s.count = n
		b.reset(s, b.plan(s))
	}
}
