package oracle

// enterBuffer schedules the arrival of a packet in its output buffer: its head at time head, and
// its tail at time tail (ps).
func (s *switches) enterBuffer(r *router, before *packet, head, tail int64) {
	copied := *before
	p := &copied
	s.events.add(head, arrivals, r.number, func() {
		vc := &r.ports[p.outPort].vcs[p.outVC]
		p.came, p.ask, p.tail, p.started = head, head, tail, false
		vc.queue = append(vc.queue, p)
		s.linksAt(s.now, r)
	})
}

// linksAt schedules a check of a router's links at time t (ps). Additional checks have no effect.
func (s *switches) linksAt(t int64, r *router) {
	s.events.add(t, links, r.number, func() {
		for i := range r.ports {
			if r.ports[i].linkMove == nil && (!r.ports[i].down || r.ports[i].loses) {
				s.takeFromBuffers(r, &r.ports[i])
			}
		}
	})
}

// takeFromBuffers starts on an idle link the first packet, in arbitration order, that can start.
func (s *switches) takeFromBuffers(r *router, out *port) {
	var cs []candidate
	for v := range out.vcs {
		vc := &out.vcs[v]
		if len(vc.queue) == 0 {
			continue
		}
		if p := vc.queue[0]; !p.started && vc.credit >= s.linkNeeds(r, p) {
			cs = append(cs, candidate{p, v, s.key(p, p.ask, &out.linkPast, v, 0)})
		}
	}
	if len(cs) > 0 {
		rank(cs)
		s.depart(r, out, cs[0].packet)
	}
}

// depart starts a packet on the link.
func (s *switches) depart(r *router, out *port, p *packet) {
	vc := &out.vcs[p.outVC]
	s.spend(&vc.credit, p.wire)
	vc.inside -= p.wire
	leave := max(out.link.transfer(s.now, p.wire), p.tail)
	out.link.end = leave
	out.linkPast.grant(p.outVC, s.now)
	out.linkPast.tags.grant(s.core, s.classOf(p.msg), p.wire)
	p.started = true
	out.linkMove = p
	p.chargeLink(out, s.now, leave)
	s.linked(r, out, p, leave)
	s.onward(p, out, s.now, leave)
	s.events.add(leave, arrivals, r.number, func() {
		if out.linkMove != p || vc.queue[0] != p {
			s.violation("router %d: a packet leaves an output buffer that was not on its way out", r.number)
		}
		out.linkMove = nil
		vc.queue = vc.queue[1:]
		if len(vc.queue) > 0 {
			vc.queue[0].ask = max(vc.queue[0].ask, s.now)
		}
		s.earnUpTo(&vc.room, p.wire, int64(s.spec.Router.OutputBuffer))
		s.passAt(s.now, r)
	})
}
