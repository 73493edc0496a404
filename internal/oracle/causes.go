package oracle

import (
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// The latency of a message is divided along its last packet. At a router, a packet's wait is divided
// whenever it requests its output. If the output or its input is busy, it waits for the output as
// long as that is busy, and for the crossbar from then on, until both are free; then it makes its next
// request. Otherwise it waits for credit, until there is enough for it, or, if another packet waits
// for the same credit, until that one starts.

// waiting is the state of a packet that waits at a router.
type waiting struct {
	asked bool  // it has made a request
	until int64 // until then, its wait has been charged (ps)
	since int64 // since when it has waited for credit (ps)
	lacks bool  // it waits for credit
}

// Parts returns the latency of a message from its Post to its delivery, by cause.
func (o *Oracle) Parts(id fabric.MsgID) *causes.Parts {
	m := o.message(id)
	parts := m.parts
	parts.Add(&m.atRequests)
	return &parts
}

// PartsAtStarts is like Parts, but waits at routers are divided when packets start (see chargeAtStart).
func (o *Oracle) PartsAtStarts(id fabric.MsgID) *causes.Parts {
	m := o.message(id)
	parts := m.parts
	parts.Add(&m.atStarts)
	return &parts
}

// charge adds a time (ps) to a part of the latency, if the packet is its message's last.
func (p *packet) charge(part causes.Part, time int64) {
	if p.last {
		p.msg.parts[part] += time
	}
}

// chargeWait is like charge, for a wait at a router that is divided when the packet makes requests.
func (p *packet) chargeWait(part causes.Part, time int64) {
	if p.last {
		p.msg.atRequests[part] += time
	}
}

// waits charges the wait of a packet at its NIC up to now. The packet is in the NIC from p.fetched on,
// and the NIC's link was free at the time `free` (ps). It returns when the wait began, how long others had
// the NIC, and from when on the packet waited for credit (ps).
func (h *hosts) waits(p *packet, free int64) (since, queue, asked int64) {
	m := p.msg
	since, least := m.reached, h.transferTime(p.payload)
	if p.index == 0 {
		since = m.Post
		least += int64(h.spec.IOBus.Latency)
	}
	next := max(p.fetched, free)
	dma := min(least, next-since)
	m.parts[causes.SendDMA] += dma
	m.parts[causes.NICQueue] += next - since - dma
	m.parts[causes.InjectionCredit] += h.now - next
	return since, next - since - dma, next
}

// transferTime returns how long a NIC takes at most to transfer bytes from memory (ps), if nothing
// hinders it.
func (h *hosts) transferTime(n int64) int64 {
	hi, lo := bits.Mul64(uint64(n), second)
	rate := uint64(h.nics[0].fetcher.rate)
	time, rest := bits.Div64(hi, lo, rate)
	if rest > 0 {
		time++
	}
	return int64(time)
}

// sends charges the packet that a NIC sends now. Its tail leaves at the time tail, and the link is
// free again at the time `free` (ps).
func (h *hosts) sends(n *nic, p *packet, tail, free int64) {
	m := p.msg
	m.reached = free
	if !p.last {
		m.parts[causes.Serialization] += tail - h.now
		m.parts[causes.Pacing] += free - tail
	}
}

// moves charges the transfer of a packet to memory, which begins at the time start and ends at the
// time `end` (ps).
func (h *hosts) moves(n *nic, a *arrival, start, end int64) {
	h.received(n, a, start, end)
	a.charge(causes.ReceiveNIC, start-a.tail)
	a.charge(causes.ReceiveDMA, end-start+int64(h.spec.IOBus.Latency))
}

// asks charges what a packet has waited behind others, when it makes its first request.
func (s *switches) asks(p *packet) {
	if !p.wait.asked {
		p.wait.asked = true
		p.chargeWait(causes.Order, s.now-p.ready)
	}
}

// outputPart returns the part to which a packet's wait belongs that would be another one at any but
// the last router.
func (s *switches) outputPart(r *router, p *packet, otherwise causes.Part) causes.Part {
	if r.ports[p.outPort].NIC != topology.Unconnected {
		return causes.Ejection
	}
	return otherwise
}

// blocked charges the wait of a packet whose input or output is busy.
func (s *switches) blocked(r *router, p *packet) {
	s.asks(p)
	w := &p.wait
	if s.now < w.until {
		return
	}
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	vc := &out.vcs[p.outVC]
	if w.lacks {
		if vc.holder != p || *s.space(vc) < s.needs(r, p, p.outPort, p.outVC) {
			return
		}
		s.noLongerLacks(r, p)
	}
	outEnd, inEnd := s.now, s.now
	if out.outMove != nil {
		outEnd = out.server.end
	}
	if in.inMove != nil {
		inEnd = r.ports[in.inMove.outPort].server.end
	}
	p.chargeWait(s.outputPart(r, p, causes.Output), outEnd-s.now)
	p.chargeWait(causes.Crossbar, max(0, inEnd-outEnd))
	w.until = max(inEnd, outEnd)
}

// lacks records that a packet waits for credit from now on.
func (s *switches) lacks(p *packet) {
	s.asks(p)
	if !p.wait.lacks && s.now >= p.wait.until {
		p.wait.lacks, p.wait.since = true, s.now
	}
}

// noLongerLacks charges a packet's wait for credit, which ends now.
func (s *switches) noLongerLacks(r *router, p *packet) {
	if p.wait.lacks {
		p.wait.lacks = false
		p.chargeWait(s.outputPart(r, p, causes.Credit), s.now-p.wait.since)
	}
}

// released ends the wait for credit of the packets that waited for the same credit as a packet that
// starts now. They wait for the output, which is free again at the time leave (ps).
func (s *switches) released(r *router, of *packet, leave int64) {
	for i := range r.ports {
		for _, fifo := range r.ports[i].fifos {
			for _, p := range s.heads(fifo) {
				if p.wait.lacks && p.outPort == of.outPort && p.outVC == of.outVC {
					s.noLongerLacks(r, p)
					p.chargeWait(s.outputPart(r, p, causes.Output), leave-s.now)
					p.wait.until = leave
				}
			}
		}
	}
}
