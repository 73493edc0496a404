package fabric

import (
	"math"
	"math/bits"

	"fabricast/routing"
)

// choice is the state of a waiting packet whose routing algorithm is steady: its possible outputs
// do not change while it waits.
type choice struct {
	// output slot at which the search for the shortest queue begins; anyOutput if the algorithm has
	// to be called again
	first  uint16
	escape uint16 // output slot to be taken if no other can be had; anyOutput if there is none
}

// pickSteadily implements pick for a steady algorithm. It returns ok=false if the algorithm makes
// no offer for the packet.
func (a *adaptiveChoice) pickSteadily(slot, id uint32, p *parcel) (out uint32, ok bool) {
	c := a.choiceOf(slot, id)
	switch {
	case !a.waits.isRecorded(slot, id):
		return a.pickFirst(slot, id, p, c)
	case c.first == anyOutput:
		return anyOutput, false
	}
	wishes := a.waits.wishesOf(slot, id)
	if out = a.among(slot, p, c, wishes); out == anyOutput {
		a.wantAll(wishes)
	}
	return out, true
}

// pickFirst implements pickSteadily for a packet for which the algorithm has not been called yet.
func (a *adaptiveChoice) pickFirst(slot, id uint32, p *parcel, c *choice) (out uint32, ok bool) {
	o := &a.offer
	out = a.pickAlone(slot, p)
	*c = choice{first: anyOutput, escape: anyOutput}
	if o.Ports == 0 {
		return anyOutput, false
	}
	if out == anyOutput {
		out = a.settle(slot, id, p, o, c)
	}
	return out, true
}

// pickAlone calls a steady algorithm for a packet that is the only one to ask and whose input is
// free. It returns the output at which the packet can start, or anyOutput. The offer has no ports if
// the algorithm has to be called for its full candidates.
func (a *adaptiveChoice) pickAlone(slot uint32, p *parcel) uint32 {
	a.steady.Offer(a.layout.name(a.r.number), p.route, a.answers[:0], &a.offer)
	if a.offer.Ports == 0 {
		return anyOutput
	}
	return a.searchOffer(&a.offer, slot, p)
}

// settle handles a packet that cannot start on any output of an offer: the packet takes its escape
// channel if that has space, and waits otherwise.
func (a *adaptiveChoice) settle(slot, id uint32, p *parcel, o *routing.Options, c *choice) uint32 {
	if o.Resorts {
		port, vc := a.steady.Resort(a.layout.name(a.r.number), p.route)
		c.escape = port*uint16(a.vcs) + vc
		if out := uint32(c.escape); a.crossbar.idle(out) && a.fits(out, p) {
			return out
		}
	}
	c.first = uint16(a.spread(slot, o))
	if o.Resorts {
		a.fresh.set(uint32(c.escape))
		a.awaitPort(slot, a.port(uint32(c.escape)))
	}
	a.record(slot, id)
	a.wantAll(a.fresh)
	return anyOutput
}

// fits reports whether an output has space for the packet that asks.
func (a *adaptiveChoice) fits(out uint32, p *parcel) bool {
	return a.out.spaceOf(out) >= a.out.flow.needs(out, int32(p.flits&flitMask))
}

// among returns, of the outputs that a packet waits for, the free one with space and the shortest
// queue. If there is none it returns the escape channel if that has space, else anyOutput.
func (a *adaptiveChoice) among(slot uint32, p *parcel, c *choice, wishes bitmap) uint32 {
	out := a.shortest(c, wishes, a.out.flow.asks(slot, p))
	if escape := uint32(c.escape); out == anyOutput && escape != anyOutput &&
		a.crossbar.outputs.has(escape) && a.fits(escape, p) {
		return escape
	}
	return out
}

// choiceOf returns the choice of a packet.
func (a *adaptiveChoice) choiceOf(slot, id uint32) *choice {
	if a.voq {
		return a.choices.at(id)
	}
	return a.choices.at(a.r.lanes + slot)
}

// searchOffer returns the output of an offer with the shortest queue at which a packet can start.
// Of equals it returns the first in the offer's order; anyOutput if there is none.
func (a *adaptiveChoice) searchOffer(o *routing.Options, slot uint32, p *parcel) uint32 {
	s := search{best: anyOutput, least: math.MaxInt32, flits: a.out.flow.asks(slot, p)}
	from, end := uint32(o.From), uint32(o.End)
	left, later := uint32(o.First), o.Ports
	for n := end - from; left >= n; left -= n {
		later &= later - 1
	}
	first := later & -later
	if a.searchPorts(first, from+left, end, &s) {
		return s.best
	}
	if later &^= first; later != 0 && a.searchPorts(later, from, end, &s) {
		return s.best
	}
	if before := o.Ports &^ (later | first); before != 0 && a.searchPorts(before, from, end, &s) {
		return s.best
	}
	if left > 0 {
		a.searchPorts(first, from, from+left, &s)
	}
	return s.best
}

// searchPorts searches the VCs from..end-1 of the free ports among some. It returns true if it finds
// an empty queue, which no other can beat.
func (a *adaptiveChoice) searchPorts(ports uint64, from, end uint32, s *search) bool {
	outputs, channels := a.crossbar.outputs, ones(end-from)
	for ; ports != 0; ports &= ports - 1 {
		base := uint32(bits.TrailingZeros64(ports)) * a.vcs
		if !outputs.has(base) && !a.crossbar.idle(base) {
			continue
		}
		m := channels
		if s.flits == a.out.largest {
			m &^= a.out.dried.span(base+from, channels)
		}
		if a.out.search(base+from, m, s) {
			return true
		}
	}
	return false
}

// spread writes the output slots of an offer into the bitmap fresh, and lets a slot wait for their
// ports. It returns the first one.
func (a *adaptiveChoice) spread(slot uint32, o *routing.Options) (first uint32) {
	a.fresh.empty(a.words)
	left, n := uint32(o.First), uint32(o.End-o.From)
	mask := ones(n)
	for m := o.Ports; m != 0; m &= m - 1 {
		port := uint32(bits.TrailingZeros64(m))
		base := port*a.vcs + uint32(o.From)
		a.fresh.setSpan(base, mask)
		a.awaitPort(slot, port)
		if left < n {
			first = base + left
		}
		left -= n // beyond all others from then on
	}
	return first
}

// shortest returns the free output with space that has the shortest queue. It leaves out the escape
// channel, and returns anyOutput if there is none.
func (a *adaptiveChoice) shortest(c *choice, wishes bitmap, flits int32) uint32 {
	first, escape := uint32(c.first), uint32(c.escape)
	s := search{best: anyOutput, least: math.MaxInt32, flits: flits}
	w, below := first>>6, uint64(1)<<(first&63)-1
	hopeless := uint64(0) // a mask: what is dry
	if flits == a.out.largest {
		hopeless = ^hopeless
	}
	for turn := uint32(0); turn <= a.words; turn++ {
		m := *wishes.word(w) & *a.crossbar.outputs.word(w) &^ (*a.out.dried.word(w) & hopeless)
		switch turn {
		case 0:
			m &^= below
		case a.words:
			m &= below
		}
		if escape>>6 == w {
			m &^= 1 << (escape & 63)
		}
		if m != 0 && a.out.search(w<<6, m, &s) {
			break
		}
		if w++; w == a.words {
			w = 0
		}
	}
	return s.best
}
