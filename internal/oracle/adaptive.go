package oracle

import (
	"slices"

	"fabricast/routing"
)

// choose starts a packet of adaptive routing if it may.
func (o *Oracle) choose(r *router, p *packet) {
	if r.ports[p.inPort].inMove != nil {
		return
	}
	if p.answer != nil && o.best(r, p) == nil {
		return
	}
	p.answer = o.spec.Adaptive.Candidates(int32(r.number), p.header, view{o, r}, nil)
	if c := o.best(r, p); c != nil {
		p.outPort, p.outVC, p.header = int(c.Port), int(c.VC), c.Header
		o.start(r, p)
	}
}

// best is the candidate of the packet's latest answer that may start and costs
// least; nil if none may.
func (o *Oracle) best(r *router, p *packet) *routing.Candidate {
	var best *routing.Candidate
	for i := range p.answer {
		c := &p.answer[i]
		out := &r.ports[c.Port]
		if out.outMove != nil || *o.space(&out.lanes[c.VC]) < p.wire {
			continue
		}
		if best == nil || c.Cost < best.Cost {
			best = c
		}
	}
	return best
}

// view is what a router knows of its outputs.
type view struct {
	o *Oracle
	r *router
}

func (v view) Queue(port, vc uint16) int64 {
	l := &v.r.ports[port].lanes[vc]
	return (l.inside + v.o.spec.Router.Buffer - l.credit) / v.o.spec.Packet.Flit
}

// Queues implements routing.View.
func (v view) Queues(list []routing.Candidate) {
	for i, c := range list {
		list[i].Cost = v.Queue(c.Port, c.VC)
	}
}

func (v view) PortQueue(port uint16) int64 {
	sum := int64(0)
	for vc := range v.r.ports[port].lanes {
		sum += v.Queue(port, uint16(vc))
	}
	return sum
}

// Published implements routing.GlobalView.
func (v view) Published(router int32, port uint16) int64 {
	known := v.o.now/v.o.spec.Adaptive.(routing.Informed).Interval() - 1
	if known < 1 {
		return 0
	}
	return v.o.published[known][v.o.spec.Graph.PortBase[router]+int32(port)]
}

// publish notes the lengths of all queues as they are before anything happens at
// the next instant, for the times of publication up to then.
func (o *Oracle) publish(next int64) {
	informed, ok := o.spec.Adaptive.(routing.Informed)
	if !ok || next/informed.Interval() == o.now/informed.Interval() {
		return
	}
	var lengths []int64
	for i := range o.routers {
		v := view{o, &o.routers[i]}
		for port := range v.r.ports {
			lengths = append(lengths, v.PortQueue(uint16(port)))
		}
	}
	last := next / informed.Interval()
	for k := max(o.now/informed.Interval()+1, last-2); k <= last; k++ { // those of long ago are not asked for
		o.published[k] = slices.Clone(lengths)
		delete(o.published, k-3)
	}
}
