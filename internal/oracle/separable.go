package oracle

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/routing"
)

// passSeparably is like passSeparately for separable allocators. It performs one round of each
// allocator per instant.
func (s *switches) passSeparably(r *router) {
	if r.passed < s.now {
		r.passed = s.now
		s.roundOfVCs(r)
		s.roundOfCrossbar(r)
	}
	if s.buffered() {
		s.linksAt(s.now, r)
	}
}

// vcRequest is an input's request for an output VC.
type vcRequest struct {
	candidate
	port, vc int    // requested output port and VC
	header   uint64 // route header that the packet has at the next router
}

// roundOfVCs performs one round of the VC allocator.
func (s *switches) roundOfVCs(r *router) {
	chosen := map[[2]int][]vcRequest{} // by output port and VC
	for _, c := range s.requesters(r, false, func(*packet) *arbitrage { return &r.owned }) {
		a := s.requestedVC(r, c.packet)
		if a == nil {
			continue
		}
		q := vcRequest{c, int(a.Port), int(a.VC), a.Header}
		q.key = s.key(c.packet, c.packet.since, &r.ports[q.port].vcs[q.vc].owned, c.input, 0)
		chosen[[2]int{q.port, q.vc}] = append(chosen[[2]int{q.port, q.vc}], q)
	}
	for _, all := range chosen {
		first := slices.MinFunc(all, func(a, b vcRequest) int { return compare(a.candidate, b.candidate) })
		for _, q := range all {
			if q.packet != first.packet {
				s.lose(r, q.packet, int64(s.spec.Router.VCAllocation))
			}
		}
		first.packet.header = first.header
		s.own(r, first.candidate, first.port, first.vc)
	}
}

// requestedVC returns the virtual channel that a packet requests in a round, or nil if no suitable
// one is free.
func (s *switches) requestedVC(r *router, p *packet) *routing.Candidate {
	if s.spec.Adaptive != nil {
		return s.chosenVC(r, p)
	}
	// The first suitable and free VC of the router, in cyclic order after the one granted last.
	vcs := s.spec.Router.VCs
	last := r.ports[p.inPort].vcs[p.inVC].got
	for i := range len(r.ports) * vcs {
		at := (last[0]*vcs + last[1] + 1 + i) % (len(r.ports) * vcs)
		port, vc := at/vcs, at%vcs
		if port == p.outPort && r.ports[port].vcs[vc].owner == nil && s.does(&r.ports[port], vc, p.outVC) {
			return &routing.Candidate{Port: uint16(port), VC: uint16(vc), Header: p.header}
		}
	}
	return nil
}

// lose makes a packet repeat its request after the length of a round (ps).
func (s *switches) lose(r *router, p *packet, round int64) {
	p.ask = s.now + round
	s.passAt(p.ask, r)
}

// roundOfCrossbar performs one round of the switch allocator.
func (s *switches) roundOfCrossbar(r *router) {
	inputs := map[int][]candidate{}
	for _, c := range s.requesters(r, true, func(p *packet) *arbitrage { return &r.ports[p.inPort].chosen }) {
		p := c.packet
		out := &r.ports[p.outPort]
		if r.ports[p.inPort].inMove == nil && !out.busy() && s.hasSpace(r, p) {
			c.key = s.inputKey(r, c)
			inputs[p.inPort] = append(inputs[p.inPort], c)
		}
	}
	outputs := map[int][]candidate{}
	for _, all := range inputs {
		first := slices.MinFunc(all, compare)
		for _, c := range all {
			if c.packet != first.packet {
				s.lose(r, c.packet, int64(s.spec.Router.SwitchAllocation))
			}
		}
		p := first.packet
		first.key = s.key(p, p.since, &r.ports[p.outPort].past, first.input, 0)
		outputs[p.outPort] = append(outputs[p.outPort], first)
	}
	var winners []candidate
	for _, all := range outputs {
		first := slices.MinFunc(all, compare)
		for _, c := range all {
			if c.packet != first.packet {
				s.lose(r, c.packet, int64(s.spec.Router.SwitchAllocation))
			}
		}
		winners = append(winners, first)
	}
	// hooks must see the starts in the order of inputs
	slices.SortFunc(winners, func(a, b candidate) int { return cmp.Compare(a.input, b.input) })
	for _, first := range winners {
		in := &r.ports[first.packet.inPort]
		in.toward = (first.packet.outPort + 1) % len(r.ports)
		in.chosen.grant(first.input, s.now)
		s.start(r, first.packet)
	}
}

// inputKey returns the arbitration key of a crossbar request at its input port. Round robin is by
// output ports first, then by virtual channels.
func (s *switches) inputKey(r *router, c candidate) [4]int64 {
	p := c.packet
	in := &r.ports[p.inPort]
	toward := int64((p.outPort - in.toward + len(r.ports)) % len(r.ports))
	turn := toward*int64(len(r.past.granted)) + int64(in.chosen.distance(c.input))
	switch own := s.spec.Router.OwnArbiter; {
	case own != nil:
		return s.ownKey(own, p, p.since, turn, in.chosen.granted[c.input], 0)
	case s.spec.Router.Arbiter == fabric.RoundRobin:
		return [4]int64{turn}
	}
	return s.key(p, p.since, &in.chosen, c.input, 0)
}
