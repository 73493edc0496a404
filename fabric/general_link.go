package fabric

import (
	"math"
	"math/bits"
)

// buffer lets a packet that starts through the crossbar now come to its output
// buffer; its tail leaves the input buffer at the time leave.
func (g *general) buffer(o *outlet, id uint32, p *parcel, leave int64) {
	out := uint32(p.out)
	flits := int32(p.flits & flitMask)
	o.room -= flits
	g.spend(out, o.room)
	o.inside += flits
	p.ready, p.span = g.b.now+g.post, uint32(leave-g.b.now)
	q := &g.buffers.at(g.lanes + out).queue
	idle := q.first == 0
	g.pool.add(q, id, p)
	if idle && p.ready >= g.links.at(g.firstPort+uint32(*g.portOf.at(out))).free {
		g.armOutlet(g.r, out, o, p.ready)
	}
}

// serveLinks lets the links that have something to look for take packets from
// their output buffers.
func (g *general) serveLinks() {
	for w := range g.words {
		links := g.busyLinks.word(w)
		for m := *links; m != 0; m &= m - 1 {
			g.serveLink(w<<6 + uint32(bits.TrailingZeros64(m)))
		}
		*links = 0
	}
}

// serveLink lets a link, if it is idle, take the first packet in the order of
// arbitration that is there and has credit.
func (g *general) serveLink(port uint32) {
	link := g.links.at(g.firstPort + port)
	if link.free > g.b.now {
		return
	}
	first := port * g.vcs
	chosen, key := uint32(0), [2]int64{math.MaxInt64, math.MaxInt64}
	for vc := range g.vcs {
		p := g.atLink(first + vc)
		if p == nil {
			continue
		}
		if k := g.linkKey(link, first, vc, p); k[0] < key[0] || k[0] == key[0] && k[1] < key[1] {
			chosen, key = vc, k
		}
	}
	if key[0] != math.MaxInt64 {
		g.startLink(link, port, first+chosen)
	}
}

// atLink is the first packet of an output buffer if it is there and has credit; if it
// only lacks credit, that is wanted.
func (g *general) atLink(out uint32) *parcel {
	id := g.buffers.at(g.lanes + out).queue.first
	if id == 0 {
		return nil
	}
	p := g.pool.parcels.at(id)
	if p.ready > g.b.now {
		return nil
	}
	o := g.outlets.at(g.lanes + out)
	if g.credited(o, int32(p.flits&flitMask)) {
		return p
	}
	if !o.armed {
		g.wantCredit(out, o)
	}
	return nil
}

// linkKey is the arbiter's for a packet that asks for a link whose first output slot is given.
func (g *general) linkKey(link *outLink, first, vc uint32, p *parcel) [2]int64 {
	switch g.arbiter {
	case RoundRobin:
		return [2]int64{int64((vc + g.vcs - link.last) % g.vcs)}
	case Matrix:
		return [2]int64{g.buffers.at(g.lanes + first + vc).granted}
	}
	return g.personalKey(p, max(p.ready, g.buffers.at(g.lanes+first+vc).left))
}

// startLink sends the first packet of an output buffer out on the link.
func (g *general) startLink(link *outLink, port, out uint32) {
	b := g.b
	buf, o := g.buffers.at(g.lanes+out), g.outlets.at(g.lanes+out)
	id := buf.queue.first
	p := g.pool.parcels.at(id)
	buf.queue.first = p.next
	flits := int32(p.flits & flitMask)
	o.credit -= flits
	o.inside -= flits
	if link.free != b.now {
		link.fraction = 0
	}
	var took int64
	c := g.ports.at(g.firstPort + port)
	took, link.fraction = g.linkRates.at(uint32(c.class)).duration(int64(flits)*b.spec.Packet.Flit, link.fraction)
	leave := max(b.now+took, p.ready+int64(p.span))
	link.free, link.leaving, link.flits, link.last = leave, out, uint32(flits), out-port*g.vcs+1
	buf.left, buf.granted = leave, b.now+1
	g.armHere(g.timers.links+port, leave)
	if next := buf.queue.first; next != 0 {
		if at := g.pool.parcels.at(next).ready; at > leave {
			g.armOutlet(g.r, out, o, at)
		}
	}
	g.forward(id, p, c, port, leave)
}
