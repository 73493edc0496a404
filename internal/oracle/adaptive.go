package oracle

import "fabricast/routing"

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

func (v view) PortQueue(port uint16) int64 {
	sum := int64(0)
	for vc := range v.r.ports[port].lanes {
		sum += v.Queue(port, uint16(vc))
	}
	return sum
}
