package oracle

import (
	"slices"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// pass tries to start all requesting packets, in arbitration order.
func (s *switches) pass(r *router) {
	if s.separate() {
		s.passSeparately(r)
		return
	}
	for _, c := range s.asking(r) {
		if s.spec.Adaptive != nil {
			s.choose(r, c.packet)
		} else {
			s.try(r, c.packet)
		}
	}
	if s.buffered() {
		s.linksAt(s.now, r)
	}
}

// asking lists the requesting packets in arbitration order.
func (s *switches) asking(r *router) []candidate {
	vcs := s.spec.Router.VCs
	var cs []candidate
	for input := range len(r.ports) * vcs {
		for _, p := range s.heads(r.ports[input/vcs].fifos[input%vcs]) {
			if p.ask > s.now {
				continue
			}
			past, output := &r.past, 0
			if s.spec.Adaptive == nil {
				past, output = &r.ports[p.outPort].past, p.outPort
			}
			cs = append(cs, candidate{p, input, s.key(p, p.ask, past, input, output)})
		}
	}
	rank(cs)
	return cs
}

// heads returns the packets of an input buffer that may make requests: the first packet, or with
// virtual output queues the first packet for each output VC.
func (s *switches) heads(fifo []*packet) []*packet {
	if s.spec.Router.Queues == fabric.InputQueues {
		if len(fifo) == 0 || fifo[0].started {
			return nil
		}
		return fifo[:1]
	}
	var heads []*packet
	behind := map[[2]int]bool{}
	for _, p := range fifo {
		output := [2]int{p.outPort, p.outVC}
		if !p.started && (s.spec.Adaptive != nil || !behind[output]) {
			heads = append(heads, p)
			behind[output] = true
		}
	}
	return heads
}

// space returns the counter that limits the start of packets toward an output VC: its credit, or
// the free bytes of its output buffer.
func (s *switches) space(l *outputVC) *int64 {
	if s.buffered() {
		return &l.room
	}
	return &l.credit
}

// try starts the packet if its ports are free and there is space at the output.
func (s *switches) try(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	vc := &out.vcs[p.outVC]
	switch {
	case in.inMove != nil || out.busy():
		s.blocked(r, p)
	case vc.holder != nil && vc.holder != p:
		s.lacks(p)
	case *s.space(vc) < s.needs(r, p, p.outPort, p.outVC):
		vc.hold(s.now)
		vc.holder = p
		s.lacks(p)
	default:
		s.asks(p)
		s.noLongerLacks(r, p)
		held := vc.holder == p
		vc.holder = nil
		s.start(r, p)
		if held {
			s.released(r, p, out.server.end)
		}
	}
}

// start sends the packet through the crossbar, and onto the link if there is no output buffer.
func (s *switches) start(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	vc := &out.vcs[p.outVC]
	if s.doors != nil {
		s.doors.starts(r, p)
	}
	s.chargeAtStart(r, p)
	in.feeds, out.feeder, vc.held.to = out, in, min(vc.held.to, s.now)
	s.spend(s.space(vc), p.wire)
	sent := out.server.transfer(s.now, p.wire)
	begin, leave := s.now, max(sent, p.ready+p.span)
	if s.doors != nil && s.spec.Doors.BitErrors != nil {
		begin, leave = s.doors.damaged(out, p, sent-s.now, leave)
	}
	if s.doors != nil && s.spec.Doors.Retry {
		begin, leave = s.doors.again(out, p, begin, sent-s.now, leave)
	}
	out.server.end = leave
	s.crossed(r, p, leave)
	input := p.inPort*s.spec.Router.VCs + p.inVC
	out.past.grant(input, s.now)
	out.past.tags.grant(s.core, s.classOf(p.msg), p.wire)
	r.past.grant(input, s.now)
	p.started = true
	in.inMove, out.outMove = p, p
	s.events.add(leave, arrivals, r.number, func() { s.left(r, p) })
	post := int64(s.spec.Router.SwitchTraversal) + int64(s.spec.Router.Latency)
	p.charge(causes.Pipeline, post)
	if out.NIC != topology.Unconnected && !s.buffered() {
		p.charge(causes.Serialization, leave-begin)
	}
	if s.buffered() {
		vc.inside += p.wire
		s.enterBuffer(r, p, s.now+post, leave+post)
		return
	}
	s.onward(p, out, begin+post, leave+post)
}

// left releases the resources of a packet whose tail has left the router.
func (s *switches) left(r *router, p *packet) {
	in, vc, out := &r.ports[p.inPort], p.inVC, &r.ports[p.outPort]
	if in.inMove != p || out.outMove != p {
		s.violation("router %d: a packet leaves that was not on its way out", r.number)
	}
	in.inMove, out.outMove = nil, nil
	out.vcs[p.outVC].owner = nil
	in.left[vc] = s.now
	in.stored[vc] -= p.wire
	s.remove(in, p)
	if !in.agent {
		s.returnCredit(in, vc, p.wire)
	}
	s.passAt(s.now, r)
}

// remove removes a packet whose tail has left from its input buffer.
func (s *switches) remove(in *port, p *packet) {
	fifo := in.fifos[p.inVC]
	i := slices.Index(fifo, p)
	if i < 0 || i > 0 && s.spec.Router.Queues == fabric.InputQueues {
		s.violation("router %d: a packet leaves out of turn", in.Router)
	}
	fifo = slices.Delete(fifo, i, i+1)
	in.fifos[p.inVC] = fifo
	if len(fifo) > 0 && s.spec.Router.Queues == fabric.InputQueues {
		fifo[0].asksFrom(fifo[0].ready-s.grantTime(), s.now+int64(s.spec.Router.Turnaround))
		s.passAt(fifo[0].ask, &s.routers[in.Router])
	}
}

// onward sends a packet over a link. Its head starts on the link at time head, and its tail at time
// tail (ps).
func (s *switches) onward(p *packet, out *port, head, tail int64) {
	out.traffic.Packets++
	out.traffic.Bytes += p.wire
	latency := int64(s.link(out.Port).Latency)
	if s.doors != nil && s.doors.loses(out, tail+latency) {
		s.doors.lose(p, out, tail)
		return
	}
	p.charge(causes.Wire, latency)
	switch {
	case out.NIC != topology.Unconnected:
		s.hosts.receive(p, out, p.outVC, tail+latency)
	case out.Peer != topology.Unconnected:
		s.totals.PacketHops++
		s.arrive(p, out.Peer, p.outVC, head+latency, tail-head)
	case out.agent:
		s.doors.give(&s.routers[out.Router], p, out, tail)
	default:
		s.violation("router %d: a packet goes out at port %d, which leads nowhere", out.Router, p.outPort)
	}
}
