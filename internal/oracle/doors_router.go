package oracle

import (
	"slices"

	"fabricast/fabric"
)

// starts calls the hook for a packet that is about to start through the crossbar.
func (d *doors) starts(r *router, p *packet) {
	h := d.spec.Doors.Hooks
	if h == nil || h.Start == nil {
		return
	}
	port := r.ports[p.outPort].global
	if r.ports[p.outPort].agent {
		port = -1 - r.number
	}
	s := &fabric.Start{
		Now: d.now, Router: int32(r.number), InPort: uint16(p.inPort), OutPort: uint16(p.outPort),
		InVC: uint16(p.inVC), OutVC: uint16(p.outVC), Flits: p.wire / d.spec.Packet.Flit,
		Message: &p.msg.Message, Control: p.control, Meta: p.meta,
		State: d.words("port", int32(port), 0, h.PortState), RouterView: hookView{view{d.switches, r, 0}, p},
	}
	h.Start(s)
	if s.Meta != p.meta {
		d.totals.Marked++
	}
	p.meta = s.Meta
}

// hookView is the view of a router that a hook can read when a packet starts.
type hookView struct {
	view
	starting *packet
}

// Waiting implements fabric.RouterView.
func (v hookView) Waiting(port, vc uint16) (flits int64) {
	for _, p := range v.r.ports[port].fifos[vc] {
		if !p.started && p.ready-v.s.grantTime() <= v.s.now {
			flits += p.wire / v.s.spec.Packet.Flit
		}
	}
	return flits
}

// Toward implements fabric.RouterView.
func (v hookView) Toward(port uint16) (flits int64) {
	for i := range v.r.ports {
		for _, fifo := range v.r.ports[i].fifos {
			for _, p := range fifo {
				eligible := !p.started && p != v.starting && p.ready-v.s.grantTime() <= v.s.now
				if eligible && v.goesTo(int(port), p) {
					flits += p.wire / v.s.spec.Packet.Flit
				}
			}
		}
	}
	return flits
}

// goesTo reports whether it is known that a packet leaves the router through a port.
func (v hookView) goesTo(port int, p *packet) bool {
	if v.s.spec.Adaptive == nil {
		return p.outPort == port
	}
	return int(v.s.spec.Graph.NICPort[p.msg.Dst]) == v.r.ports[port].global
}

// takes reports whether the agent of a router receives a packet that arrives there.
func (d *doors) takes(r *router, p *packet) bool {
	return r.agent && d.spec.Doors.Agent.Takes(d.passing(r, p))
}

func (d *doors) passing(r *router, p *packet) *fabric.Passing {
	return &fabric.Passing{
		Router: int32(r.number), Flits: p.wire / d.spec.Packet.Flit, Message: &p.msg.Message,
		Control: p.control, Meta: p.meta,
	}
}

// agentOf returns the agent of a router, or nil if it has none.
func (s *switches) agentOf(router int) *fabric.Agent {
	if s.spec.Doors == nil || s.spec.Doors.Agent == nil {
		return nil
	}
	a := s.spec.Doors.Agent
	if a.Routers != nil && !slices.Contains(a.Routers, int32(router)) {
		return nil
	}
	return a
}

// give moves a packet that has started to a router's agent port into the agent. Its tail arrives at
// time tail (ps).
func (d *doors) give(r *router, p *packet, out *port, tail int64) {
	at := tail + int64(d.spec.Doors.Agent.Delay)
	copied, vc := *p, p.outVC // the tail is still in the router
	d.events.add(at, arrivals, r.number, func() {
		d.earn(&out.vcs[vc].credit, p.wire)
		d.switches.passAt(d.now, r)
	})
	d.plan(r.number, at, [4]int64{takeTask}, func() { d.take(r, &copied) })
}

// take passes a packet to the agent of a router.
func (d *doors) take(r *router, p *packet) {
	r.handles++
	t := &fabric.Taken{
		Passing: *d.passing(r, p), Now: d.now, InPort: uint16(p.inPort), Header: p.header,
		State: d.words("agent", int32(r.number), 0, d.spec.Doors.Agent.State), Handle: r.handles,
	}
	d.spec.Doors.Agent.Arrive(t)
	switch t.Fate {
	case fabric.Held:
		if r.held == nil {
			r.held = map[uint64]*packet{}
		}
		r.held[t.Handle] = p
	case fabric.Consumed:
		d.totals.DeliveredPackets++
		d.totals.Latency += d.now - p.injected
		d.totals.Consumed += p.payload
		d.totals.Messages--
		delete(d.messages.messages, p.msg.id)
	default:
		p.meta = t.Meta
		d.onward(r, p)
		d.enter(r, p)
	}
	for i := range t.Posts {
		d.post(r, &t.Posts[i], p.epoch)
	}
}

// onward determines the output of a packet by its route.
func (d *doors) onward(r *router, p *packet) {
	port, vc, header := d.routing(p.epoch).Next(int32(r.number), p.header)
	p.outPort, p.outVC, p.header = int(port), int(vc), header
}

// post sends a packet that the agent of a router has posted.
func (d *doors) post(r *router, s *fabric.Post, epoch int) {
	var p *packet
	if s.Handle == 0 {
		p = d.create(s, epoch)
	} else if p = r.held[s.Handle]; p == nil {
		d.violation("router %d: its agent posts a packet that it does not hold", r.number)
	}
	delete(r.held, s.Handle)
	p.meta = s.Meta
	if s.Port == fabric.ByRoute {
		d.onward(r, p)
	} else {
		p.outPort, p.outVC = int(s.Port), int(s.VC)
	}
	if s.After > 0 {
		d.plan(r.number, d.now+s.After, [4]int64{postTask}, func() { d.enter(r, p) })
		return
	}
	d.enter(r, p)
}

// create creates the packet of a new message, in the given epoch.
func (d *doors) create(s *fabric.Post, epoch int) *packet {
	id, _ := d.messages.NewMessage()
	m := d.messages.message(id)
	m.Message = s.Message
	m.Flags &^= fabric.HasExtra
	m.Post, m.posted, m.left = d.now, true, m.Size
	d.totals.Messages++
	d.totals.InjectedBytes += m.Size
	d.totals.Made++
	p := &packet{
		msg: m, last: true, payload: m.Size, wire: d.spec.Packet.Wire(m.Size), injected: d.now, epoch: epoch,
		header: s.Header,
	}
	return p
}

// enter puts a packet whose output is known into the input buffer of the agent's port.
func (d *doors) enter(r *router, p *packet) {
	s, in := d.switches, len(r.ports)-1
	delays, port, vc := &d.spec.Router, &r.ports[in], p.outVC
	p.inPort, p.inVC, p.answer = in, vc, nil
	p.ready = d.now + int64(delays.Routing) + int64(delays.VCAllocation) + int64(delays.SwitchAllocation)
	if n := len(port.fifos[vc]); n > 0 { // no two packets of a VC may be eligible at the same time
		p.ready = max(p.ready, port.fifos[vc][n-1].ready+1)
	}
	p.came = p.ready
	p.asksFrom(p.ready-d.grantTime(), port.left[vc]+int64(delays.Turnaround))
	p.span, p.started, p.owns, p.since = 0, false, false, -1
	port.fifos[vc] = append(port.fifos[vc], p)
	port.stored[vc] += p.wire
	s.passAt(p.ask, r)
}
