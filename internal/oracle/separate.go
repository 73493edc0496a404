package oracle

import (
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// asksFrom sets the time of the packet's first request (ps): when it is eligible, but not before
// turn, the time at which the buffer allows the next request.
func (p *packet) asksFrom(ready, turn int64) { p.ask = max(ready, turn) }

// passSeparately is like pass for separate allocation: it allocates virtual channels first, then
// the crossbar.
func (s *switches) passSeparately(r *router) {
	if s.spec.Router.Allocator == fabric.SeparableAllocator {
		s.passSeparably(r)
		return
	}
	if s.spec.Adaptive != nil {
		s.chooseVCs(r)
	} else {
		for i := range r.ports {
			s.allocateVCs(r, i)
		}
	}
	cs := s.requesters(r, true, func(p *packet) *arbitrage { return &r.ports[p.outPort].past })
	for _, c := range cs {
		p := c.packet
		in, out := &r.ports[p.inPort], &r.ports[p.outPort]
		if in.inMove == nil && !out.busy() && s.hasSpace(r, p) {
			s.start(r, p)
		}
	}
	if s.buffered() {
		s.linksAt(s.now, r)
	}
}

// hasSpace reports whether there is space for a packet that owns a VC and whose ports are free. If not, the
// packet holds the VC while it waits for space.
func (s *switches) hasSpace(r *router, p *packet) bool {
	vc := &r.ports[p.outPort].vcs[p.outVC]
	if *s.space(vc) >= s.needs(r, p, p.outPort, p.outVC) {
		return true
	}
	vc.hold(s.now)
	return false
}

// allocateVCs grants the free virtual channels of an output port to requesting packets, starting
// with the channel after the one granted last.
func (s *switches) allocateVCs(r *router, port int) {
	out := &r.ports[port]
	for i, first := 0, out.turn; i < len(out.vcs); i++ {
		vc := (first + i) % len(out.vcs)
		l := &out.vcs[vc]
		if l.owner != nil {
			continue
		}
		for _, c := range s.requesters(r, false, func(*packet) *arbitrage { return &l.owned }) {
			if p := c.packet; p.outPort == port && s.does(out, vc, p.outVC) {
				out.turn = (vc + 1) % len(out.vcs)
				s.own(r, c, port, vc)
				break
			}
		}
	}
}

// own grants a packet a virtual channel of an output port.
func (s *switches) own(r *router, c candidate, port, vc int) {
	p, l := c.packet, &r.ports[port].vcs[vc]
	l.owner, p.owns, p.outPort, p.outVC = p, true, port, vc
	l.owned.grant(c.input, s.now)
	r.owned.grant(c.input, s.now)
	r.ports[p.inPort].vcs[p.inVC].got = [2]int{port, vc}
	p.ask = s.now + s.grantTime()
	p.vcAsked, p.since = p.since, p.ask
	s.passAt(p.ask, r)
}

// requesters lists the packets that currently request the crossbar (own is true: they own a virtual
// channel) or a virtual channel (own is false), in arbitration order. past returns the earlier
// grants of the resource that a packet requests.
func (s *switches) requesters(r *router, own bool, past func(*packet) *arbitrage) []candidate {
	vcs := s.spec.Router.VCs
	var cs []candidate
	for input := range len(r.ports) * vcs {
		for _, p := range s.heads(r.ports[input/vcs].fifos[input%vcs]) {
			if p.ask <= s.now && p.owns == own {
				if p.since < 0 {
					p.since = p.ask
				}
				output := p.outPort
				if s.spec.Adaptive != nil && !own { // it has no output yet
					output = 0
				}
				cs = append(cs, candidate{p, input, s.key(p, p.since, past(p), input, output)})
			}
		}
	}
	rank(cs)
	return cs
}

// does reports whether a packet may use virtual channel vc of an output although routing has
// selected VC `named`.
func (s *switches) does(out *port, vc, named int) bool {
	if out.NIC != topology.Unconnected || out.agent {
		return true // a NIC or an agent accepts packets on any VC
	}
	first, count := uint16(named), uint16(1)
	if a, ok := s.spec.Routing.(routing.Alike); ok {
		first, count = a.Alike(uint16(named))
	}
	return vc >= int(first) && vc < int(first+count)
}
