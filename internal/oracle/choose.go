package oracle

import (
	"fabricast/routing"
	"fabricast/topology"
)

// chooseVCs allocates virtual channels to adaptively routed packets that request one, in
// arbitration order. Each packet chooses its channel.
func (s *switches) chooseVCs(r *router) {
	for _, c := range s.requesters(r, false, func(*packet) *arbitrage { return &r.owned }) {
		if a := s.chosenVC(r, c.packet); a != nil {
			c.packet.header = a.Header
			s.own(r, c, int(a.Port), int(a.VC))
		}
	}
}

// chosenVC calls the routing algorithm and returns the cheapest available candidate, or nil if none
// is available.
func (s *switches) chosenVC(r *router, p *packet) *routing.Candidate {
	if p.answer != nil && s.cheapest(r, p) == nil {
		return nil
	}
	p.answer = nil
	for _, c := range s.avoiding(r, s.spec.Adaptive.Candidates(int32(r.number), p.header, view{s, r, 0}, nil)) {
		p.answer = append(p.answer, c)
		// a NIC accepts packets on any VC
		if out := &r.ports[c.Port]; out.NIC != topology.Unconnected {
			for i := 1; i < len(out.vcs); i++ {
				c.VC = uint16((int(c.VC) + 1) % len(out.vcs))
				p.answer = append(p.answer, c)
			}
		}
	}
	return s.cheapest(r, p)
}

// cheapest returns the cheapest candidate of the latest routing answer whose virtual channel is
// free and has space for the packet, or nil if there is none.
func (s *switches) cheapest(r *router, p *packet) *routing.Candidate {
	var best *routing.Candidate
	for i := range p.answer {
		c := &p.answer[i]
		l := &r.ports[c.Port].vcs[c.VC]
		if l.owner == nil && *s.space(l) >= s.needs(r, p, int(c.Port), int(c.VC)) &&
			(best == nil || c.Cost < best.Cost) {
			best = c
		}
	}
	return best
}
