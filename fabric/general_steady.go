package fabric

import (
	"math"
	"math/bits"

	"fabricast/routing"
)

// choice is what a packet that waits knows of its outputs (its wishes) by a steady algorithm.
type choice struct {
	first  uint16 // output slot from which on the first among equals is searched; anyOutput if the algorithm has to be asked again
	escape uint16 // output slot to be taken if no other can be had; anyOutput if there is none
}

// chooseSteadily is choose with a steady algorithm, if that has an offer for the packet.
func (g *general) chooseSteadily(slot, id uint32) (started, ok bool) {
	wishes := g.wishesOf(slot, id)
	at := g.lanes + slot
	if g.voq {
		at = id
	}
	c := g.choices.at(at)
	switch {
	case !wishes.any(g.words):
		return g.chooseFirst(slot, id, c)
	case c.first == anyOutput:
		return false, false
	case g.startAmong(slot, id, c, wishes):
		return true, true
	}
	g.wantAll(wishes)
	return false, true
}

// chooseFirst is chooseSteadily for a packet that has not asked the algorithm.
func (g *general) chooseFirst(slot, id uint32, c *choice) (started, ok bool) {
	p, router := g.pool.parcels.at(id), g.b.name(g.r.number)
	o := g.steady.Offer(router, p.route)
	*c = choice{anyOutput, anyOutput}
	if o.Ports == 0 {
		return false, false
	}
	c.first = uint16(g.spread(&o))
	if g.startAmong(slot, id, c, g.fresh) {
		return true, true
	}
	if o.Resorts {
		port, vc := g.steady.Resort(router, p.route)
		c.escape = port*uint16(g.vcs) + vc
		g.fresh.set(uint32(c.escape))
		if g.idle(uint32(c.escape)) && g.startAt(slot, id, p, uint32(c.escape)) {
			return true, true
		}
	}
	g.remember(slot, id)
	g.wantAll(g.fresh)
	return false, true
}

// spread makes general.fresh the output slots of an offer, and returns the one that comes first. Ports that are free
// by now are noticed.
func (g *general) spread(o *routing.Options) (first uint32) {
	g.fresh.empty(g.words)
	left, n := uint32(o.First), uint32(o.End-o.From)
	for m := o.Ports; m != 0; m &= m - 1 {
		base := uint32(bits.TrailingZeros64(m))*g.vcs + uint32(o.From)
		g.fresh.setSpan(base, n)
		if !g.outputs.has(base) {
			g.idle(base)
		}
		if left < n {
			first = base + left
		}
		left -= n // beyond all others from then on
	}
	return first
}

// startAmong starts a packet toward the free output with the shortest queue, or else the escape
// channel, if one of them has space.
func (g *general) startAmong(slot, id uint32, c *choice, wishes bitmap) bool {
	p := g.pool.parcels.at(id)
	if out := g.shortest(c, wishes, int32(p.flits&flitMask)); out != anyOutput {
		if g.ahead {
			g.prefetchEnd(out)
		}
		p.out = uint16(out)
		g.start(slot, id, p, g.outlets.at(g.lanes+out))
		return true
	}
	escape := uint32(c.escape)
	return escape != anyOutput && g.outputs.has(escape) && g.startAt(slot, id, p, escape)
}

// startAt starts a packet toward a free output if that has space.
func (g *general) startAt(slot, id uint32, p *parcel, out uint32) bool {
	o := g.outlets.at(g.lanes + out)
	if g.spaceOf(o) < int32(p.flits&flitMask) {
		return false
	}
	p.out = uint16(out)
	g.start(slot, id, p, o)
	return true
}

// shortest is the free output with the shortest queue of those that have space, the escape channel
// aside; anyOutput if there is none.
func (g *general) shortest(c *choice, wishes bitmap, flits int32) uint32 {
	first, escape := uint32(c.first), uint32(c.escape)
	best, least := uint32(anyOutput), int32(math.MaxInt32)
	w, below := first>>6, uint64(1)<<(first&63)-1
	now := g.b.now
	m := *wishes.word(w) & *g.outputs.word(w) &^ below
	for turn := uint32(0); ; turn++ {
		for ; m != 0; m &= m - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(m))
			o := g.outlets.at(g.lanes + out)
			if o.n > 0 && o.times[0] <= now {
				g.pull(o, now)
			}
			queue, space := g.capacity-o.credit+o.inside, o.credit
			if g.buffered {
				space = o.room
			}
			if queue >= least || space < flits || out == escape {
				continue
			}
			if queue == 0 {
				return out
			}
			best, least = out, queue
		}
		if turn == g.words {
			return best
		}
		if w++; w == g.words {
			w = 0
		}
		if m = *wishes.word(w) & *g.outputs.word(w); turn+1 == g.words {
			m &= below
		}
	}
}
