package fabric

import "math/bits"

// round is the round robin among the packets with fixed routes that wait for a port which has
// become free. Where many wait, as in overload, the first one in order is found
// in the bitmap of those that wait, so that none of the others is looked at. Those that hold an
// output of the port contend for themselves.
type round struct {
	port    uint32
	open    uint64 // outputs of the port, from its first one on, that nobody holds
	last    uint32 // slot at which it begins
	next    uint32 // slot to go on with
	wrapped bool   // the slots before `last` are being looked at
	slot    uint32 // being looked at
	outs    uint64 // outputs of the port that this slot's packets wait for and have not tried, from the port's first one on
	first   contender
}

// open begins a round for a port that has become free.
func (g *general) open(port uint32) {
	last := uint32(g.ports.at(g.firstPort+port).last) % g.slots
	g.rounds = append(g.rounds, round{port: port, last: last, next: last})
	g.inRounds.setSpan(port*g.vcs, g.portMask)
}

// begin finds out which outputs nobody holds, and lets the holders of the others contend.
func (g *general) begin(r *round) {
	base := r.port * g.vcs
	for i := range g.vcs {
		holder := g.outlets.at(g.lanes + base + i).holder
		if holder == 0 {
			r.open |= 1 << i
			continue
		}
		slot := uint32(holder) - 1
		if g.inputs.has(slot) {
			g.add(slot, base+i, g.head(slot, base+i))
		}
	}
}

// head is the packet of a slot that asks for an output.
func (g *general) head(slot, out uint32) uint32 {
	if g.voq {
		return g.firstOf(slot, out)
	}
	return g.inlets.at(g.lanes + slot).here.first
}

// find makes the first packet of a round that may still start its first; false if there is none.
func (g *general) find(r *round) bool {
	base := r.port * g.vcs
	for r.open != 0 && g.outputs.has(base) {
		if r.outs &= r.open; r.outs != 0 && g.inputs.has(r.slot) {
			g.oldest(r, base)
			return true
		}
		if !g.turn(r) {
			return false
		}
		r.outs = g.asksAt(r.slot, base)
	}
	return false
}

// turn goes on to the next slot in which packets wait for the port; false if there is none.
func (g *general) turn(r *round) bool {
	waiters := g.waitersFor(r.port)
	for {
		end := g.slots
		if r.wrapped {
			end = r.last
		}
		for w := r.next >> 6; w < g.words; w++ {
			m := *waiters.word(w) & *g.inputs.word(w)
			if w == r.next>>6 {
				m &= ^uint64(0) << (r.next & 63)
			}
			if m == 0 {
				continue
			}
			if slot := w<<6 + uint32(bits.TrailingZeros64(m)); slot < end {
				r.slot, r.next = slot, slot+1
				return true
			}
			break
		}
		if r.wrapped {
			return false
		}
		r.wrapped, r.next = true, 0
	}
}

// asksAt is the outputs of a port, from its first one on, for which a slot's packets wait.
func (g *general) asksAt(slot, base uint32) uint64 {
	if g.voq {
		return g.wishesAt(slot).span(base, g.portMask)
	}
	id := g.inlets.at(g.lanes + slot).here.first
	return 1 << (uint32(g.pool.parcels.at(id).out) - base)
}

// oldest makes that of a slot's packets the first which has been ready longest.
func (g *general) oldest(r *round, base uint32) {
	for m := r.outs; m != 0; m &= m - 1 {
		out := base + uint32(bits.TrailingZeros64(m))
		id := g.head(r.slot, out)
		if ready := g.pool.parcels.at(id).ready; m == r.outs || ready < r.first.ready {
			r.first = contender{
				key:   [2]int64{int64((r.slot + g.slots - r.last) % g.slots), int64(r.port)},
				ready: ready, parcel: id, slot: uint16(r.slot), out: uint16(out),
			}
		}
	}
}

// passRounds is pass where ports that have become free go round robin among those that wait.
func (g *general) passRounds() {
	for i := range g.rounds {
		g.begin(&g.rounds[i])
	}
	list := g.contenders
	g.contenders = list[:0]
	g.rank(list)
	for {
		list = g.sift(list)
		var first *contender
		var from *round
		for i := range list {
			if first == nil || list[i].before(first) {
				first = &list[i]
			}
		}
		for i := range g.rounds {
			if r := &g.rounds[i]; g.find(r) && (first == nil || r.first.before(first)) {
				first, from = &r.first, r
			}
		}
		if first == nil {
			break
		}
		c := *first
		if from != nil { // it starts, and the port is busy, or it holds the output
			from.open &^= 1 << (uint32(c.out) - from.port*g.vcs)
		} else {
			*first = list[len(list)-1]
			list = list[:len(list)-1]
		}
		g.try(&c)
	}
	g.rounds = g.rounds[:0]
	g.inRounds.empty(g.words)
}
