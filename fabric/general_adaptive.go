package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/routing"
)

// answer is a candidate that adaptive routing has named.
type answer = routing.Candidate

// choose starts a packet of adaptive routing if it may. It asks the routing
// algorithm only if it has not yet, or one of the outputs of the last answer is possible.
func (g *general) choose(slot, id uint32) {
	p := g.pool.parcels.at(id)
	flits := int32(p.flits & flitMask)
	wishes := g.wishesOf(slot, id)
	if asked, possible := g.possible(wishes, flits); asked && !possible {
		g.wantAll(wishes, flits)
		return
	}
	g.answers = g.b.spec.Adaptive.Candidates(g.b.name(g.r.number), p.route, &g.view, g.answers[:0])
	if c := g.best(flits); c != nil {
		p.out, p.route = c.Port*uint16(g.vcs)+c.VC, c.Header
		g.start(slot, id, p, g.outlets.at(g.lanes+uint32(p.out)))
		return
	}
	g.remember(slot, id)
	g.wantAll(wishes, flits)
}

// wishesOf is the bitmap of the outputs of a packet's last answer; none if it has
// not asked yet.
func (g *general) wishesOf(slot, id uint32) []uint64 {
	if g.voq {
		return unsafe.Slice(g.pool.wishes.at(id*g.pool.words), g.x.words)
	}
	return g.wishes(g.x, slot)
}

// mayStart tells whether a packet has not asked yet, or an output of its last answer is free.
func (g *general) mayStart(slot, id uint32) bool {
	asked := false
	for w, m := range g.wishesOf(slot, id) {
		if m&g.outputs[w] != 0 {
			return true
		}
		asked = asked || m != 0
	}
	return !asked
}

// possible tells whether there are any outputs among the wishes, and whether a packet
// could start at one of them.
func (g *general) possible(wishes []uint64, flits int32) (any, possible bool) {
	idle := g.outputs
	for w, wish := range wishes {
		any = any || wish != 0
		for m := wish & idle[w]; m != 0; m &= m - 1 {
			if g.hasSpace(uint32(w)<<6+uint32(bits.TrailingZeros64(m)), flits) {
				return true, true
			}
		}
	}
	return any, false
}

// wantAll sees to it that space at a free output among the wishes is noticed.
func (g *general) wantAll(wishes []uint64, flits int32) {
	idle := g.outputs
	for w, wish := range wishes {
		for m := wish & idle[w]; m != 0; m &= m - 1 {
			out := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			g.want(out, g.outlets.at(g.lanes+out))
		}
	}
}

// best is the answer that may start and costs least, the first among equals; nil if none may.
func (g *general) best(flits int32) (best *answer) {
	idle := g.outputs
	for i := range g.answers {
		c := &g.answers[i]
		out := uint32(c.Port)*g.vcs + uint32(c.VC)
		if best != nil && c.Cost >= best.Cost || !hasBit(idle, out) {
			continue
		}
		if g.hasSpace(out, flits) {
			best = c
		}
	}
	return best
}

// remember makes the latest answers the outputs that a packet waits for.
func (g *general) remember(slot, id uint32) {
	if !g.voq {
		g.forget(slot)
	}
	wishes := g.wishesOf(slot, id)
	clear(wishes)
	for i := range g.answers {
		c := &g.answers[i]
		setBit(wishes, uint32(c.Port)*g.vcs+uint32(c.VC))
		setBit(g.waiters(g.x, uint32(c.Port)), slot)
	}
	if g.voq {
		g.join(slot, wishes)
	}
}

// forget clears all that a slot's packets wait for.
func (g *general) forget(slot uint32) {
	wishes := g.wishes(g.x, slot)
	for w, m := range wishes {
		for ; m != 0; m &= m - 1 {
			out := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			clearBit(g.waiters(g.x, uint32(*g.portOf.at(out))), slot)
		}
	}
	clear(wishes)
}

// join adds a packet's wishes to those of its slot.
func (g *general) join(slot uint32, wishes []uint64) {
	all := g.wishes(g.x, slot)
	for w, m := range wishes {
		all[w] |= m
	}
}

// rememberAll makes a slot wait for what its packets wait for.
func (g *general) rememberAll(slot uint32, in *inlet) {
	for id := in.here.first; id != 0; id = g.pool.parcels.at(id).next {
		g.join(slot, g.wishesOf(slot, id))
	}
	for w, m := range g.wishes(g.x, slot) {
		for ; m != 0; m &= m - 1 {
			out := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			setBit(g.waiters(g.x, uint32(*g.portOf.at(out))), slot)
		}
	}
}

// view is what the router being visited knows of its outputs.
type view struct{ g *general }

// Queue implements routing.View.
func (v *view) Queue(port, vc uint16) int64 {
	return v.g.queueLength(uint32(port)*v.g.vcs + uint32(vc))
}

// PortQueue implements routing.View.
func (v *view) PortQueue(port uint16) (sum int64) {
	for out := uint32(port) * v.g.vcs; out < (uint32(port)+1)*v.g.vcs; out++ {
		sum += v.g.queueLength(out)
	}
	return sum
}

// queueLength is the number of flits that have started toward an output and for
// which no credit has come back.
func (g *general) queueLength(out uint32) int64 {
	o := g.outlets.at(g.lanes + out)
	if o.n > 0 && o.times[0] <= g.b.now {
		g.pull(o, g.b.now)
	}
	return int64(g.capacity - o.credit + o.inside)
}
