package stage

import (
	"math"
	"math/bits"

	"fabricast/fabric/internal/core"

	"fabricast/routing"
)

// Choice is the state of a waiting packet whose routing algorithm is steady: its possible outputs
// do not change while it waits.
type Choice struct {
	// output VC at which the search for the shortest queue starts; AnyOutput if the algorithm has
	// to be called again
	First  uint16
	Escape uint16 // output VC to be taken if no other is available; AnyOutput if there is none
}

// pickSteadily implements Pick for a steady algorithm. ok is false if the algorithm makes no offer
// for the packet.
func (a *adaptiveChoice) pickSteadily(index, id uint32, p *Packet) (out uint32, ok bool) {
	c := a.ChoiceOf(index, id)
	switch {
	case !a.waits.isRecorded(index, id):
		return a.pickFirst(index, id, p, c)
	case c.First == AnyOutput:
		return AnyOutput, false
	}
	requests := a.waits.RequestsOf(index, id)
	if out = a.among(index, p, c, requests); out == AnyOutput {
		a.wantAll(requests)
	}
	return out, true
}

// pickFirst implements pickSteadily for a packet for which the algorithm has not been called yet.
func (a *adaptiveChoice) pickFirst(index, id uint32, p *Packet, c *Choice) (out uint32, ok bool) {
	o := &a.Offer
	out = a.PickAlone(index, p)
	*c = Choice{First: AnyOutput, Escape: AnyOutput}
	if o.Ports == 0 {
		return AnyOutput, false
	}
	if out == AnyOutput {
		out = a.Settle(index, id, p, o, c)
	}
	return out, true
}

// PickAlone calls a steady algorithm for a packet that is the only one with a request and whose
// input is free. It returns the output at which the packet can start, or AnyOutput. The offer has
// no ports if the algorithm has to be called for its full list of candidates.
func (a *adaptiveChoice) PickAlone(index uint32, p *Packet) uint32 {
	a.Steady.Offer(a.layout.Name(a.r.Number), p.Route, a.answers[:0], &a.Offer)
	if a.Offer.Ports == 0 {
		return AnyOutput
	}
	return a.searchOffer(&a.Offer, index, p)
}

// Settle handles a packet that cannot start at any output of an offer: the packet takes its escape
// channel if that has space, and waits otherwise.
func (a *adaptiveChoice) Settle(index, id uint32, p *Packet, o *routing.Options, c *Choice) uint32 {
	if o.Resorts {
		port, vc := a.Steady.Resort(a.layout.Name(a.r.Number), p.Route)
		c.Escape = port*uint16(a.NumVCs) + vc
		if out := uint32(c.Escape); a.crossbar.idle(out) && a.fits(out, p) {
			return out
		}
	}
	c.First = uint16(a.spread(index, o))
	if o.Resorts {
		a.fresh.Set(uint32(c.Escape))
		a.awaitPort(index, a.Port(uint32(c.Escape)))
	}
	a.record(index, id)
	a.wantAll(a.fresh)
	return AnyOutput
}

// fits reports whether an output has space for the requesting packet.
func (a *adaptiveChoice) fits(out uint32, p *Packet) bool {
	return a.out.SpaceOf(out) >= a.out.Flow.Needs(out, int32(p.Flits&core.FlitMask))
}

// among returns the free output with space and the shortest queue among those that a packet waits
// for. If there is none, it returns the escape channel if that has space, and otherwise AnyOutput.
func (a *adaptiveChoice) among(index uint32, p *Packet, c *Choice, requests core.Bitmap) uint32 {
	out := a.shortest(c, requests, a.out.Flow.Asks(index, p))
	if escape := uint32(c.Escape); out == AnyOutput && escape != AnyOutput &&
		a.crossbar.Outputs.Has(escape) && a.fits(escape, p) {
		return escape
	}
	return out
}

// ChoiceOf returns the Choice of a packet.
func (a *adaptiveChoice) ChoiceOf(index, id uint32) *Choice {
	if a.VOQ {
		return a.Choices.At(id)
	}
	return a.Choices.At(a.r.FirstVC + index)
}

// searchOffer returns the output of an offer with the shortest queue at which a packet can start.
// Ties go to the first in the offer's order. It returns AnyOutput if there is none.
func (a *adaptiveChoice) searchOffer(o *routing.Options, index uint32, p *Packet) uint32 {
	s := search{best: AnyOutput, least: math.MaxInt32, flits: a.out.Flow.Asks(index, p)}
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

// searchPorts searches the VCs from to end-1 of the free ports among the given ones. It returns
// true if it finds an empty queue, which no other can beat.
func (a *adaptiveChoice) searchPorts(ports uint64, from, end uint32, s *search) bool {
	outputs, channels := a.crossbar.Outputs, core.Ones(end-from)
	for ; ports != 0; ports &= ports - 1 {
		base := uint32(bits.TrailingZeros64(ports)) * a.NumVCs
		if !outputs.Has(base) && !a.crossbar.idle(base) {
			continue
		}
		m := channels
		if s.flits == a.out.Largest {
			m &^= a.out.dried.Span(base+from, channels)
		}
		if a.out.search(base+from, m, s) {
			return true
		}
	}
	return false
}

// spread writes the output VCs of an offer into the bitmap fresh, and makes a VC wait for their
// ports. It returns the first output VC.
func (a *adaptiveChoice) spread(index uint32, o *routing.Options) (first uint32) {
	a.fresh.Empty(a.words)
	left, n := uint32(o.First), uint32(o.End-o.From)
	mask := core.Ones(n)
	for m := o.Ports; m != 0; m &= m - 1 {
		port := uint32(bits.TrailingZeros64(m))
		base := port*a.NumVCs + uint32(o.From)
		a.fresh.SetSpan(base, mask)
		a.awaitPort(index, port)
		if left < n {
			first = base + left
		}
		left -= n // wraps around, and is greater than any n from then on
	}
	return first
}

// shortest returns the free output with space that has the shortest queue, excluding the escape
// channel. It returns AnyOutput if there is none.
func (a *adaptiveChoice) shortest(c *Choice, requests core.Bitmap, flits int32) uint32 {
	first, escape := uint32(c.First), uint32(c.Escape)
	s := search{best: AnyOutput, least: math.MaxInt32, flits: flits}
	w, below := first>>6, uint64(1)<<(first&63)-1
	hopeless := uint64(0) // mask of outputs that are known to lack space
	if flits == a.out.Largest {
		hopeless = ^hopeless
	}
	for turn := uint32(0); turn <= a.words; turn++ {
		m := *requests.Word(w) & *a.crossbar.Outputs.Word(w) &^ (*a.out.dried.Word(w) & hopeless)
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
