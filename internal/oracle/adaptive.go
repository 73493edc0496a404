package oracle

import (
	"slices"

	"fabricast/fabric"
	"fabricast/routing"
)

// choose selects an output for an adaptively routed packet, and starts the packet if possible.
func (s *switches) choose(r *router, p *packet) {
	if r.ports[p.inPort].inMove != nil {
		return
	}
	if p.answer != nil && s.best(r, p) == nil {
		return
	}
	p.answer = s.avoiding(r, s.spec.Adaptive.Candidates(int32(r.number), p.header, view{s, r, s.base(p.msg)}, nil))
	for i := range p.answer {
		p.answer[i].VC += uint16(s.base(p.msg))
	}
	if c := s.best(r, p); c != nil {
		p.outPort, p.outVC, p.header = int(c.Port), int(c.VC), c.Header
		s.start(r, p)
	}
}

// best returns the cheapest candidate of the packet's latest routing answer that can start now, or
// nil if there is none.
func (s *switches) best(r *router, p *packet) *routing.Candidate {
	var best *routing.Candidate
	for i := range p.answer {
		c := &p.answer[i]
		out := &r.ports[c.Port]
		if out.busy() || *s.space(&out.vcs[c.VC]) < s.needs(r, p, int(c.Port), int(c.VC)) {
			continue
		}
		if best == nil || c.Cost < best.Cost {
			best = c
		}
	}
	return best
}

// view is the state of a router's outputs, as the routing algorithm sees it.
type view struct {
	s *switches
	r *router
	// the first virtual channel of the class of messages that looks at them
	base int
}

func (v view) Queue(port, vc uint16) int64 {
	if v.r.ports[port].down {
		return v.length(port, vc) + fabric.DownQueue
	}
	return v.length(port, vc)
}

// length returns the number of flits that have started toward an output and whose credit has not
// returned.
func (v view) length(port, vc uint16) int64 {
	l := &v.r.ports[port].vcs[v.base+int(vc)]
	return (l.inside + int64(v.s.spec.Router.Buffer) - l.credit) / v.s.spec.Packet.Flit
}

// Queues implements routing.View.
func (v view) Queues(list []routing.Candidate) {
	for i, c := range list {
		list[i].Cost = v.Queue(c.Port, c.VC)
	}
}

func (v view) PortQueue(port uint16) int64 {
	sum := int64(0)
	for vc := range v.s.set() {
		sum += v.Queue(port, uint16(vc))
	}
	return sum
}

// Published implements routing.GlobalView.
func (v view) Published(router int32, port uint16) int64 {
	known := v.s.now/v.s.spec.Adaptive.(routing.Informed).Interval() - 1
	if known < 1 {
		return 0
	}
	return v.s.published[known][v.s.spec.Graph.PortBase[router]+int32(port)]
}

// publish records the lengths of all queues at each time of publication up to next (ps). It must be
// called before the events at those times.
func (s *switches) publish(next int64) {
	informed, ok := s.spec.Adaptive.(routing.Informed)
	if !ok || next/informed.Interval() == s.now/informed.Interval() {
		return
	}
	var lengths []int64
	for i := range s.routers {
		v := view{s, &s.routers[i], 0}
		for port := range v.r.ports {
			sum := int64(0)
			for vc := range v.r.ports[port].vcs {
				sum += v.length(uint16(port), uint16(vc))
			}
			lengths = append(lengths, sum)
		}
	}
	last := next / informed.Interval()
	// older lengths will not be read
	for k := max(s.now/informed.Interval()+1, last-2); k <= last; k++ {
		s.published[k] = slices.Clone(lengths)
		delete(s.published, k-3)
	}
}
