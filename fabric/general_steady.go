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
	wishes, c := g.wishesOf(slot, id), g.choiceOf(slot, id)
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
	p := g.pool.parcels.at(id)
	o := g.steady.Offer(g.b.name(g.r.number), p.route, g.answers[:0])
	*c = choice{anyOutput, anyOutput}
	if o.Ports == 0 {
		return false, false
	}
	if out := g.searchOffer(&o, p); out != anyOutput {
		g.startTo(slot, id, p, out)
		return true, true
	}
	return g.settleFor(slot, id, p, &o, c), true
}

// askSteadily is chooseFirst for a packet that nothing contends with, whose input is free, and that has not begun
// to ask: if it may start it is never put in a queue. False if the algorithm has no offer.
func (g *general) askSteadily(slot, id uint32, p *parcel) (ok bool) {
	o := g.steady.Offer(g.b.name(g.r.number), p.route, g.answers[:0])
	if o.Ports == 0 {
		return false
	}
	out := g.searchOffer(&o, p)
	if out == anyOutput {
		g.beginAsking(slot, id, p)
		c := g.choiceOf(slot, id)
		*c = choice{anyOutput, anyOutput}
		g.settleFor(slot, id, p, &o, c)
		return true
	}
	if g.ahead {
		g.prefetchEnd(out)
	}
	if !g.voq {
		g.inlets.at(g.lanes + slot).here.first = p.next
	}
	p.out = uint16(out)
	g.launch(slot, id, p, g.outlets.at(g.lanes+out))
	return true
}

// settleFor lets a packet that can start on nothing of an offer take its escape channel, or wait.
func (g *general) settleFor(slot, id uint32, p *parcel, o *routing.Options, c *choice) (started bool) {
	c.first = uint16(g.spread(o))
	if o.Resorts {
		port, vc := g.steady.Resort(g.b.name(g.r.number), p.route)
		c.escape = port*uint16(g.vcs) + vc
		g.fresh.set(uint32(c.escape))
		if g.idle(uint32(c.escape)) && g.startAt(slot, id, p, uint32(c.escape)) {
			return true
		}
	}
	g.remember(slot, id)
	g.wantAll(g.fresh)
	return false
}

// choiceOf is the choice of a packet.
func (g *general) choiceOf(slot, id uint32) *choice {
	if g.voq {
		return g.choices.at(id)
	}
	return g.choices.at(g.lanes + slot)
}

// search is the output with the shortest queue that has been found.
type search struct {
	best  uint32 // slot; anyOutput if there is none
	least int32  // flits in its queue
	flits int32  // that it must have space for
}

// searchOffer is the output of an offer with the shortest queue, the first in its order among equals, on which a packet can start;
// anyOutput if there is none.
func (g *general) searchOffer(o *routing.Options, p *parcel) uint32 {
	s := search{best: anyOutput, least: math.MaxInt32, flits: int32(p.flits & flitMask)}
	from, end := uint32(o.From), uint32(o.End)
	left, later := uint32(o.First), o.Ports
	for n := end - from; left >= n; left -= n {
		later &= later - 1
	}
	port := uint32(bits.TrailingZeros64(later))
	if g.searchPort(port, from+left, end, &s) {
		return s.best
	}
	for m := later & (later - 1); m != 0; m &= m - 1 {
		if g.searchPort(uint32(bits.TrailingZeros64(m)), from, end, &s) {
			return s.best
		}
	}
	for m := o.Ports &^ later; m != 0; m &= m - 1 {
		if g.searchPort(uint32(bits.TrailingZeros64(m)), from, end, &s) {
			return s.best
		}
	}
	if left > 0 {
		g.searchPort(port, from, from+left, &s)
	}
	return s.best
}

// searchPort searches some channels of a port; true if one has no queue, so that none can be better.
func (g *general) searchPort(port, from, end uint32, s *search) bool {
	base := port * g.vcs
	if !g.outputs.has(base) && !g.idle(base) {
		return false
	}
	channels := ones(end - from)
	if s.flits == g.largest {
		channels &^= g.dried.span(base+from, channels)
	}
	for m := channels; m != 0; m &= m - 1 {
		out := base + from + uint32(bits.TrailingZeros64(m))
		queue := g.cost(g.outlets.at(g.lanes+out), s.flits)
		if queue == 0 {
			s.best = out
			return true
		}
		if queue < s.least {
			s.best, s.least = out, queue
		}
	}
	return false
}

// cost is the queue of an outlet; math.MaxInt32 if it has no space for that many flits.
func (g *general) cost(o *outlet, flits int32) int32 {
	if o.n > 0 && o.times[0] <= g.b.now {
		g.pull(o, g.b.now)
	}
	space := o.credit
	if g.buffered {
		space = o.room
	}
	if space < flits {
		return math.MaxInt32
	}
	return g.capacity - o.credit + o.inside
}

// spread makes general.fresh the output slots of an offer, and returns the one that comes first.
func (g *general) spread(o *routing.Options) (first uint32) {
	g.fresh.empty(g.words)
	left, n := uint32(o.First), uint32(o.End-o.From)
	mask := ones(n)
	for m := o.Ports; m != 0; m &= m - 1 {
		base := uint32(bits.TrailingZeros64(m))*g.vcs + uint32(o.From)
		g.fresh.setSpan(base, mask)
		if left < n {
			first = base + left
		}
		left -= n // beyond all others from then on
	}
	return first
}

// startTo starts a packet toward a free output that has space for it.
func (g *general) startTo(slot, id uint32, p *parcel, out uint32) {
	if g.ahead {
		g.prefetchUpstream(slot)
		g.prefetchEnd(out)
	}
	p.out = uint16(out)
	g.start(slot, id, p, g.outlets.at(g.lanes+out))
}

// startAmong starts a packet toward the free output with the shortest queue, or else the escape
// channel, if one of them has space.
func (g *general) startAmong(slot, id uint32, c *choice, wishes bitmap) bool {
	p := g.pool.parcels.at(id)
	if out := g.shortest(c, wishes, int32(p.flits&flitMask)); out != anyOutput {
		g.startTo(slot, id, p, out)
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
	hopeless := uint64(0) // a mask: what is dry
	if flits == g.largest {
		hopeless = ^hopeless
	}
	m := *wishes.word(w) & *g.outputs.word(w) &^ (*g.dried.word(w) & hopeless) &^ below
	for turn := uint32(0); ; turn++ {
		for ; m != 0; m &= m - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(m))
			o := g.outlets.at(g.lanes + out)
			queue := g.cost(o, flits)
			if queue >= least || out == escape {
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
		if m = *wishes.word(w) & *g.outputs.word(w) &^ (*g.dried.word(w) & hopeless); turn+1 == g.words {
			m &= below
		}
	}
}
