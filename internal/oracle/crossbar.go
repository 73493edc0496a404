package oracle

import (
	"slices"

	"fabricast/fabric"
	"fabricast/topology"
)

// pass lets all packets that ask try to start, in the order of arbitration.
func (o *Oracle) pass(r *router) {
	for _, c := range o.asking(r) {
		if o.spec.Adaptive != nil {
			o.choose(r, c.packet)
		} else {
			o.try(r, c.packet)
		}
	}
	if o.buffered() {
		o.linksAt(o.now, r)
	}
}

// asking lists the packets that ask, in the order of arbitration.
func (o *Oracle) asking(r *router) []candidate {
	vcs := o.spec.Router.VCs
	var cs []candidate
	for input := range len(r.ports) * vcs {
		for _, p := range o.heads(r.ports[input/vcs].fifos[input%vcs]) {
			if p.ask > o.now {
				continue
			}
			past, output := &r.past, 0
			if o.spec.Adaptive == nil {
				past, output = &r.ports[p.outPort].past, p.outPort
			}
			cs = append(cs, candidate{p, input, o.key(p, p.ask, past, input, output)})
		}
	}
	rank(cs)
	return cs
}

// heads are the packets of an input buffer that have nobody before them.
func (o *Oracle) heads(fifo []*packet) []*packet {
	if o.spec.Router.Queues == fabric.InputQueues {
		if len(fifo) == 0 || fifo[0].started {
			return nil
		}
		return fifo[:1]
	}
	var heads []*packet
	behind := map[[2]int]bool{}
	for _, p := range fifo {
		output := [2]int{p.outPort, p.outVC}
		if !p.started && (o.spec.Adaptive != nil || !behind[output]) {
			heads = append(heads, p)
			behind[output] = true
		}
	}
	return heads
}

// space is what a packet needs to start toward an output: the credit, or the
// room in its output buffer.
func (o *Oracle) space(l *lane) *int64 {
	if o.buffered() {
		return &l.room
	}
	return &l.credit
}

// try starts the packet if it may.
func (o *Oracle) try(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	lane := &out.lanes[p.outVC]
	switch {
	case in.inMove != nil || out.outMove != nil:
	case lane.holder != nil && lane.holder != p:
	case *o.space(lane) < p.wire:
		lane.holder = p
	default:
		lane.holder = nil
		o.start(r, p)
	}
}

// start sends the packet on its way through the crossbar, and out if there is
// no output buffer.
func (o *Oracle) start(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	lane := &out.lanes[p.outVC]
	o.spend(o.space(lane), p.wire)
	leave := max(out.server.transfer(o.now, p.wire), p.ready+p.span)
	out.server.end = leave
	input := p.inPort*o.spec.Router.VCs + p.inVC
	out.past.grant(input, o.now)
	r.past.grant(input, o.now)
	p.started = true
	in.inMove, out.outMove = p, p
	o.events.add(leave, arrivals, r.number, func() { o.left(r, p) })
	post := o.spec.Router.SwitchTraversal + o.spec.Router.Latency
	if o.buffered() {
		lane.inside += p.wire
		o.enterBuffer(r, p, o.now+post, leave+post)
		return
	}
	o.onward(p, out, o.now+post, leave+post)
}

// left frees what the packet used while its tail was leaving.
func (o *Oracle) left(r *router, p *packet) {
	in, vc, out := &r.ports[p.inPort], p.inVC, &r.ports[p.outPort]
	if in.inMove != p || out.outMove != p {
		o.violation("router %d: a packet leaves that was not on its way out", r.number)
	}
	in.inMove, out.outMove = nil, nil
	in.stored[vc] -= p.wire
	o.remove(in, p)
	o.returnCredit(in, vc, p.wire)
	o.passAt(o.now, r)
}

// remove takes a packet whose tail has left out of its input buffer.
func (o *Oracle) remove(in *port, p *packet) {
	fifo := in.fifos[p.inVC]
	i := slices.Index(fifo, p)
	if i < 0 || i > 0 && o.spec.Router.Queues == fabric.InputQueues {
		o.violation("router %d: a packet leaves out of turn", in.Router)
	}
	fifo = slices.Delete(fifo, i, i+1)
	in.fifos[p.inVC] = fifo
	if len(fifo) > 0 && o.spec.Router.Queues == fabric.InputQueues {
		fifo[0].ask = max(fifo[0].ready, o.now)
	}
}

// onward lets the packet, whose head goes out on the link at the time head and
// whose tail at the time tail, arrive at the other end.
func (o *Oracle) onward(p *packet, out *port, head, tail int64) {
	out.traffic.Packets++
	out.traffic.Bytes += p.wire
	latency := o.link(out.Port).Latency
	switch {
	case out.NIC != topology.Unconnected:
		o.receive(p, out, p.outVC, tail+latency)
	case out.Peer != topology.Unconnected:
		o.totals.PacketHops++
		o.arrive(p, out.Peer, p.outVC, head+latency, tail-head)
	default:
		o.violation("router %d: a packet goes out at port %d, which leads nowhere", out.Router, p.outPort)
	}
}
