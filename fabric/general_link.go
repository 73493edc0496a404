package fabric

import (
	"cmp"
	"math/bits"
)

// buffer lets a packet that starts through the crossbar now come to its output
// buffer; its tail leaves the input buffer at the time leave.
func (g *general) buffer(o *outlet, p *parcel, leave int64) {
	at := g.b.now + g.post
	id, q := g.pool.take()
	*q = *p
	q.ready, q.span = at, uint32(leave-g.b.now)
	idle := o.queue.first == 0
	g.pool.add(&o.queue, id, q)
	if idle && at >= g.ports.at(g.r.ports+uint32(*g.portOf.at(uint32(p.out)))).link {
		g.armOutlet(g.r, uint32(p.out), o, at)
	}
}

// serveLinks lets the links that have something to look for take packets from
// their output buffers.
func (g *general) serveLinks() {
	for w := range wordsOf(int(g.x.ports)) {
		for m := g.links[w]; m != 0; m &= m - 1 {
			g.serveLink(uint32(w)<<6 + uint32(bits.TrailingZeros64(m)))
		}
		g.links[w] = 0
	}
}

// serveLink lets a link, if it is idle, take the first packet in the order of
// arbitration that is there and has credit.
func (g *general) serveLink(port uint32) {
	c := g.ports.at(g.r.ports + port)
	if c.link > g.b.now {
		return
	}
	var best *outlet
	var bestOut uint32
	var bestKey [2]int64
	for out := port * g.vcs; out < (port+1)*g.vcs; out++ {
		o := g.outlets.at(g.r.lanes + out)
		if o.queue.first == 0 {
			continue
		}
		p := g.pool.parcels.at(o.queue.first)
		if p.ready > g.b.now {
			continue
		}
		if !g.credited(o, int32(p.flits&flitMask)) {
			if !o.armed {
				g.wantCredit(out, o)
			}
			continue
		}
		key := g.linkKey(c, out-port*g.vcs, o, p)
		if best == nil || cmp.Or(cmp.Compare(key[0], bestKey[0]), cmp.Compare(key[1], bestKey[1])) < 0 {
			best, bestOut, bestKey = o, out, key
		}
	}
	if best != nil {
		g.startLink(c, port, bestOut, best)
	}
}

// linkKey is the arbiter's for a packet that asks for a link.
func (g *general) linkKey(c *crossing, vc uint32, o *outlet, p *parcel) [2]int64 {
	switch g.arbiter {
	case RoundRobin:
		return [2]int64{int64((vc + g.vcs - c.linkLast) % g.vcs)}
	case Matrix:
		return [2]int64{o.granted}
	}
	return g.personalKey(p, max(p.ready, o.left))
}

// startLink sends the first packet of an output buffer out on the link.
func (g *general) startLink(c *crossing, port, out uint32, o *outlet) {
	b := g.b
	id := o.queue.first
	p := g.pool.parcels.at(id)
	o.queue.first = p.next
	flits := int32(p.flits & flitMask)
	o.credit -= flits
	o.inside -= flits
	if c.link != b.now {
		c.linkFraction = 0
	}
	var took int64
	class := uint32(b.wiring.at(g.r.ports + port).class)
	took, c.linkFraction = g.linkRates.at(class).duration(int64(flits)*b.spec.Packet.Flit, c.linkFraction)
	leave := max(b.now+took, p.ready+int64(p.span))
	c.link, c.leaving, c.leavingFlits = leave, out, uint32(flits)
	c.linkLast = out - port*g.vcs + 1
	o.left, o.granted = leave, b.now+1
	g.arm(g.r, uint32(g.r.slots)+uint32(g.x.ports)+port, leave)
	if next := o.queue.first; next != 0 {
		if at := g.pool.parcels.at(next).ready; at > leave {
			g.armOutlet(g.r, out, o, at)
		}
	}
	g.forward(o, p, leave)
	g.pool.give(id, p)
}
