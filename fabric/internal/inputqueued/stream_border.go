package inputqueued

import (
	"fmt"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/invariants"
)

// A stream that crosses the border between two blocks has a record on either side. The FIFO behind the
// border has an ordinary one. The ghost before the border, from which the output VC pulls its credit,
// has one that holds the departures of that FIFO as far as they are known. It exists from the
// announcement of packets until the FIFO has no record any more. Notices keep both up to date. They
// are sent when something happens and take effect as late as a packet or its credit would, which is in
// a later window.

// inOtherBlock reports whether packets come to the FIFO of a port from another block.
func inOtherBlock(in *core.VC) bool { return in.Flags&core.ToOtherBlock != 0 }

// above is like VCs.At for the VC from which a FIFO gets its packets. It returns nil if that is in
// another block.
func (b streaming) above(number uint32, in *core.VC) *core.VC {
	if inOtherBlock(in) {
		return nil
	}
	return b.VCs.At(b.upstream(number))
}

// border continues streams across the borders of blocks.
type border struct{ streaming }

// mayCross reports whether departures through an output to another block have enough credit, and
// announces them there if so. Their credit must last until notice comes of how it returns.
func (b border) mayCross(s *stream, out *core.VC, port *core.Port, ghost uint32) bool {
	p := s.packet
	p.Route, p.Out = b.Onward(uint32(port.Router), p.Route)
	p.Time = s.start + b.Classes.At(uint32(out.Class)).Hop + b.streams.late.Ready
	if !b.lasts(s, p.Time+int64(s.full)+b.Classes.At(uint32(b.VCs.At(ghost).Class)).Credit) {
		return false
	}
	g := b.record(b.Events.Visiting, ghost)
	g.ghost, g.told, g.out = true, s.announced, s.out
	b.Counters.Streams.Crossed++
	a := s.announcement(p.Time)
	b.Mail.SendArrivals(core.ArrivalMail{
		Packet: p, Router: uint32(port.Router), VC: b.Beyond(b.Ports.number(port)) + s.out%b.NumVCs,
		Rhythm: a.Rhythm, Count: a.count, Span: a.span, AtOnce: a.atOnce,
	})
	return true
}

// cutBeyond shortens what has been announced to another block to n packets.
func (b border) cutBeyond(s *stream, out *core.VC, ghost uint32, n uint32) {
	g := b.VCs.streamAt(ghost)
	g.told = n
	g.limit()
	port := s.out / b.NumVCs
	at := b.Events.Now + b.Classes.At(uint32(out.Class)).Hop
	b.Mail.SendArrivals(core.ArrivalMail{
		Packet: core.Packet{Time: at}, Router: uint32(b.Ports.Ports.At(port).Router), VC: b.Beyond(port) + s.out%b.NumVCs,
		Count: n, Fewer: 1,
	})
}

// limit limits the departures of a ghost to the packets announced.
func (s *stream) limit() {
	if invariants.Enabled && s.active && s.told < s.taken {
		panic(fmt.Sprintf("of %d packets announced to a ghost, %d have left", s.told, s.taken))
	}
	if s.active {
		s.count = min(s.count, s.told-s.taken)
	}
}

// takeArrivals processes a notice about packets that come from another block.
func (b border) takeArrivals(m *core.ArrivalMail) {
	if m.Fewer != 0 {
		b.cut(m.VC, m.Count, m.Packet.Time)
		return
	}
	times := core.Times{First: m.Packet.Time, Rhythm: m.Rhythm}
	b.expect(nil, m.Router, m.VC, m.Packet, arrivals{times, m.Count, m.Span, m.AtOnce})
}

// departBeyond tells the block upstream that departures from a FIFO begin.
func (b border) departBeyond(s *stream) {
	b.sendDepartures(s.number, core.DepartureMail{
		At: b.VCs.creditOf(s, 0), Rhythm: s.starts().Rhythm, Full: int64(s.full), AtOnce: s.uneven && s.unevenPart().leaveAtOnce,
		First: s.taken, Count: s.count, Kind: core.Departing,
	})
}

// departedBeyond tells the block upstream that departures from a FIFO have ended after n packets.
func (b border) departedBeyond(s *stream, n uint32) {
	if b.Events.Visiting == core.NoRouter { // both sides end them
		return
	}
	at := b.Events.Now + int64(s.full) + b.Classes.At(uint32(b.VCs.At(s.number).Class)).Credit
	b.sendDepartures(s.number, core.DepartureMail{At: at, Count: n, Kind: core.Departed})
}

// passed tells the block upstream that a FIFO has no record any more.
func (b border) passed(number uint32) {
	if b.Events.Visiting == core.NoRouter {
		b.streams.passed = append(b.streams.passed, number)
		return
	}
	b.sendDepartures(number, core.DepartureMail{At: model.Forever, Kind: core.Passed})
}

// sendPassed sends what has been found between two windows.
func (b border) sendPassed() {
	for _, number := range b.streams.passed {
		b.sendDepartures(number, core.DepartureMail{At: model.Forever, Kind: core.Passed})
	}
	b.streams.passed = b.streams.passed[:0]
}

// sendDepartures sends a notice about a FIFO to the block upstream.
func (b border) sendDepartures(number uint32, m core.DepartureMail) {
	port := number / b.NumVCs
	m.Router, m.VC = uint32(b.Ports.Ports.At(port).Router), b.Beyond(port)+number%b.NumVCs
	b.Mail.SendDepartures(m)
}

// takeDepartures processes a notice about the FIFO of another block.
func (b border) takeDepartures(m *core.DepartureMail) {
	number := b.VCs.Below(m.VC)
	s := b.VCs.streamAt(number)
	switch m.Kind {
	case core.Departing:
		b.departsBeyond(s, m)
	case core.Departed:
		b.departedThere(s, m)
	case core.Passed:
		b.forget(s)
	}
}

// departsBeyond makes the departures of another block's FIFO known to its ghost.
func (b border) departsBeyond(s *stream, m *core.DepartureMail) {
	ghost := b.VCs.At(s.number)
	s.active, s.taken, s.count, s.credited = true, m.First, m.Count, 0
	s.departAt(core.Times{Rhythm: m.Rhythm}, m.Full, m.AtOnce)
	s.start = m.At - s.leaveOf(0) - b.Classes.At(uint32(ghost.Class)).Credit
	s.limit()
	if ghost.Flags&core.Wanted == 0 {
		return
	}
	if at, rest := b.VCs.impliedTime(s.number, int32(b.VCs.More.At(s.number).Lack)); rest <= 0 {
		ghost.Flags &^= core.Wanted
		b.credit.rouse(m.Router, m.VC, at)
	}
}

// departedThere ends the departures of a ghost. Credit on its way becomes that of single packets. What came
// before the notice was sent is taken, as no event here is earlier: since the last one here, far more packets may
// have gone by than a buffer holds.
func (b border) departedThere(s *stream, m *core.DepartureMail) {
	out, ghost := b.VCs.At(m.VC), b.VCs.At(s.number)
	sent := m.At - int64(s.full) - b.Classes.At(uint32(ghost.Class)).Credit
	b.VCs.takeCredit(out, ghost, s.number, max(b.Events.Now, sent))
	if invariants.Enabled && s.credited > m.Count {
		panic(fmt.Sprintf("credit of %d packets has been taken, and %d have returned it", s.credited, m.Count))
	}
	b.release(out, s, min(s.count, m.Count))
	if up := b.departuresTo(m.VC); up != nil {
		b.reset(up, max(m.At, b.floor(up.router)))
	}
}

// release ends the departures of a ghost after n packets.
func (b border) release(out *core.VC, s *stream, n uint32) {
	for ; s.credited < n; s.credited++ {
		b.VCs.LeaveBehind(out, b.VCs.At(s.number), b.VCs.creditOf(s, s.credited), uint16(b.MaxFlits))
	}
	s.active = false
}

// endAtBorder ends what a record holds of a stream that crosses a border, between two windows. Both
// blocks have received all notices, and so agree on what has been sent before the time now (ps).
func (b border) endAtBorder(s *stream, now int64) {
	if s.ghost {
		if s.active {
			b.release(b.VCs.At(s.out), s, s.before(now))
		}
		b.forget(s)
		return
	}
	if s.nic != 0 || !inOtherBlock(b.VCs.At(s.number)) {
		return
	}
	port := b.Wiring(s.number/b.NumVCs).Down / b.NumVCs
	hop := b.Classes.At(uint32(b.Wiring(port).Class)).Hop
	if a := s.arrivals(); a.UpTo(now-1+hop, s.told) < s.told {
		b.cut(s.number, a.UpTo(now-1+hop, s.told), now)
	}
}

// TakeCredits processes credit from another block.
func (b *Routers) TakeCredits(x *core.Box) {
	credits := x.Credits
	for i := range x.Departures {
		m := &x.Departures[i]
		for ; len(x.Credits)-len(credits) < int(m.After); credits = credits[1:] {
			b.credit.take(&credits[0])
		}
		border{streaming{b}}.takeDepartures(m)
	}
	for i := range credits {
		b.credit.take(&credits[i])
	}
}

// TakePackets processes packets from another block.
func (b *Routers) TakePackets(x *core.Box) {
	packets := x.Packets
	for i := range x.Arrivals {
		m := &x.Arrivals[i]
		for ; len(x.Packets)-len(packets) < int(m.After); packets = packets[1:] {
			b.push(&packets[0])
		}
		border{streaming{b}}.takeArrivals(m)
	}
	for i := range packets {
		b.push(&packets[i])
	}
}
