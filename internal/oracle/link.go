package oracle

// enterBuffer lets a packet arrive in its output buffer: its head at time head, its tail at time
// tail (ps).
func (s *switches) enterBuffer(r *router, before *packet, head, tail int64) {
	copied := *before
	p := &copied
	s.events.add(head, arrivals, r.number, func() {
		lane := &r.ports[p.outPort].lanes[p.outVC]
		p.came, p.ask, p.tail, p.started = head, head, tail, false
		lane.queue = append(lane.queue, p)
		s.linksAt(s.now, r)
	})
}

// linksAt schedules a check of a router's links at time t (ps). Additional checks have no effect.
func (s *switches) linksAt(t int64, r *router) {
	s.events.add(t, links, r.number, func() {
		for i := range r.ports {
			if r.ports[i].linkMove == nil && !r.ports[i].down {
				s.takeFromBuffers(r, &r.ports[i])
			}
		}
	})
}

// takeFromBuffers lets an idle link take the first packet, in the order of arbitration, that may
// start.
func (s *switches) takeFromBuffers(r *router, out *port) {
	var cs []candidate
	for v := range out.lanes {
		lane := &out.lanes[v]
		if len(lane.queue) == 0 {
			continue
		}
		if p := lane.queue[0]; !p.started && lane.credit >= s.linkNeeds(r, p) {
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
	lane := &out.lanes[p.outVC]
	s.spend(&lane.credit, p.wire)
	lane.inside -= p.wire
	leave := max(out.link.transfer(s.now, p.wire), p.tail)
	out.link.end = leave
	out.linkPast.grant(p.outVC, s.now)
	p.started = true
	out.linkMove = p
	s.onward(p, out, s.now, leave)
	s.events.add(leave, arrivals, r.number, func() {
		if out.linkMove != p || lane.queue[0] != p {
			s.violation("router %d: a packet leaves an output buffer that was not on its way out", r.number)
		}
		out.linkMove = nil
		lane.queue = lane.queue[1:]
		if len(lane.queue) > 0 {
			lane.queue[0].ask = max(lane.queue[0].ask, s.now)
		}
		s.earnUpTo(&lane.room, p.wire, int64(s.spec.Router.OutputBuffer))
		s.passAt(s.now, r)
	})
}
