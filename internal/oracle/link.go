package oracle

// enterBuffer lets the head of a packet come to its output buffer at the time
// head and its tail at the time tail.
func (o *Oracle) enterBuffer(r *router, before *packet, head, tail int64) {
	copied := *before
	p := &copied
	o.events.add(head, arrivals, r.number, func() {
		lane := &r.ports[p.outPort].lanes[p.outVC]
		p.ask, p.tail, p.started = head, tail, false
		lane.queue = append(lane.queue, p)
		o.linksAt(o.now, r)
	})
}

// linksAt arranges for the links to look for packets. Once more at an instant
// changes nothing.
func (o *Oracle) linksAt(t int64, r *router) {
	o.events.add(t, links, r.number, func() {
		for i := range r.ports {
			if r.ports[i].linkMove == nil {
				o.takeFromBuffers(r, &r.ports[i])
			}
		}
	})
}

// takeFromBuffers lets an idle link take the first packet that may start on it.
func (o *Oracle) takeFromBuffers(r *router, out *port) {
	var cs []candidate
	for v := range out.lanes {
		lane := &out.lanes[v]
		if len(lane.queue) == 0 {
			continue
		}
		if p := lane.queue[0]; !p.started && lane.credit >= p.wire {
			cs = append(cs, candidate{p, v, o.key(p, p.ask, &out.linkPast, v, 0)})
		}
	}
	if len(cs) > 0 {
		rank(cs)
		o.depart(r, out, cs[0].packet)
	}
}

// depart starts a packet on the link.
func (o *Oracle) depart(r *router, out *port, p *packet) {
	lane := &out.lanes[p.outVC]
	o.spend(&lane.credit, p.wire)
	lane.inside -= p.wire
	leave := max(out.link.transfer(o.now, p.wire), p.tail)
	out.link.end = leave
	out.linkPast.grant(p.outVC, o.now)
	p.started = true
	out.linkMove = p
	o.onward(p, out, o.now, leave)
	o.events.add(leave, arrivals, r.number, func() {
		if out.linkMove != p || lane.queue[0] != p {
			o.violation("router %d: a packet leaves an output buffer that was not on its way out", r.number)
		}
		out.linkMove = nil
		lane.queue = lane.queue[1:]
		if len(lane.queue) > 0 {
			lane.queue[0].ask = max(lane.queue[0].ask, o.now)
		}
		o.earnUpTo(&lane.room, p.wire, o.spec.Router.OutputBuffer)
		o.passAt(o.now, r)
	})
}
