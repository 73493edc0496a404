package oracle

import (
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// Routers on the engine's general path divide a packet's wait only when it starts, by the latest state
// of its ports. The packet has waited behind others until its first request. After that, it has waited
// for credit since both ports were free, or while its output VC was held by a packet without credit,
// whichever is longer. It has waited for its input while that was busy and the output was not, and for
// the output otherwise.

// hold is a period (ps) in which a packet held an output VC, waiting for space. to is Forever as long
// as it does.
type hold struct{ from, to int64 }

// hold records that a packet holds the output VC from now on, if none does yet.
func (l *outputVC) hold(now int64) {
	if l.held.to != fabric.Forever {
		l.held = hold{now, fabric.Forever}
	}
}

// chargeAtStart divides the wait of a packet that starts through the crossbar now.
func (s *switches) chargeAtStart(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	held := &out.vcs[p.outVC].held
	asked := s.askedAt(p)
	outFree, inFree := max(asked, out.server.end), int64(0)
	if in.feeds != nil && in.feeds.feeder == in { // otherwise the input has been free for longer
		inFree = in.feeds.server.end
	}
	credit := max(s.now-max(outFree, inFree), min(s.now, held.to)-max(asked, held.from), 0)
	if s.separate() { // waiting for a virtual channel is waiting for credit
		first := p.vcAsked + s.grantTime()
		credit += asked - first
		asked = first
		outFree = max(asked, out.server.end)
	}
	credit = min(credit, s.now-asked)
	inside := min(max(0, inFree-outFree), s.now-asked-credit)
	p.chargeStart(out, causes.Order, asked-p.ready)
	p.chargeStart(out, causes.Credit, credit)
	p.chargeStart(out, causes.Crossbar, inside)
	p.chargeStart(out, causes.Output, s.now-asked-credit-inside)
}

// askedAt returns when a packet requested the crossbar first (ps).
func (s *switches) askedAt(p *packet) int64 {
	switch {
	case s.separate():
		return p.since
	case s.spec.Router.Queues != fabric.InputQueues:
		return p.ready
	}
	return p.ask
}

// chargeStart adds a wait (ps) for an output to the parts of the packet's message.
func (p *packet) chargeStart(out *port, part causes.Part, time int64) {
	if out.NIC != topology.Unconnected && (part == causes.Credit || part == causes.Output) {
		part = causes.Ejection
	}
	if p.last {
		p.msg.atStarts[part] += time
	}
}

// chargeLink charges what a packet has waited in its output buffer, from which it starts now. Its tail
// leaves at the time leave (ps).
func (p *packet) chargeLink(out *port, now, leave int64) {
	p.chargeStart(out, causes.Output, now-p.came)
	if out.NIC != topology.Unconnected {
		p.charge(causes.Serialization, leave-now)
	}
}
