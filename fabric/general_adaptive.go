package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/routing"
)

// answer is a candidate that adaptive routing has named.
type answer = routing.Candidate

// choose starts a packet of adaptive routing if one of the outputs that the routing algorithm
// names now is possible, and tells whether it has. The packet has not asked the algorithm before,
// or an output of the last answer is possible.
func (g *general) choose(slot, id uint32) bool {
	p := g.pool.parcels.at(id)
	flits := int32(p.flits & flitMask)
	g.answers = g.b.spec.Adaptive.Candidates(g.b.name(g.r.number), p.route, &g.view, g.answers[:0])
	if c := g.best(flits); c != nil {
		p.out, p.route = c.Port*uint16(g.vcs)+c.VC, c.Header
		g.start(slot, id, p, g.outlets.at(g.lanes+uint32(p.out)))
		return true
	}
	g.remember(slot, id)
	g.wantAll(g.wishesOf(slot, id), flits)
	return false
}

// reconsider adds the packets of adaptive routing that wait for some channels, from `first` on,
// of a free port, if there is space for them. Otherwise that is wanted.
func (g *general) reconsider(port, first, channels uint32) {
	room, lacking := g.roomFor(first, channels, int32(g.b.maxFlits)), uint64(0)
	for w, m := range g.waiters(g.x, port) {
		for m &= g.inputs[w]; m != 0; m &= m - 1 {
			slot := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			for id := g.inlets.at(g.lanes + slot).here.first; id != 0; {
				p := g.pool.parcels.at(id)
				wishes := bitRange(g.wishesOf(slot, id), first, channels)
				enough := room
				if int64(p.flits&flitMask) != g.b.maxFlits && wishes != 0 {
					enough = g.roomFor(first, channels, int32(p.flits&flitMask))
				}
				lacking |= wishes &^ enough
				if wishes &= enough; wishes != 0 {
					g.contendOnce(slot, first+uint32(bits.TrailingZeros64(wishes)), id)
				}
				if id = p.next; !g.voq {
					break
				}
			}
		}
	}
	g.wantAmong(first, lacking)
}

// roomFor is the bitmap of those of some channels, from `first` on, that have space for that many flits.
func (g *general) roomFor(first, channels uint32, flits int32) (room uint64) {
	for i := range channels {
		if g.hasSpace(first+i, flits) {
			room |= 1 << i
		}
	}
	return room
}

// wantAmong sees to it that space at the outputs in a bitmap that begins with `first` is noticed.
func (g *general) wantAmong(first uint32, outs uint64) {
	for ; outs != 0; outs &= outs - 1 {
		out := first + uint32(bits.TrailingZeros64(outs))
		g.want(out, g.outlets.at(g.lanes+out))
	}
}

// anyOutput stands for the output of a contender that may have several possible ones.
const anyOutput = 1<<16 - 1

// reconsiderFrom adds the packets of adaptive routing that ask at an input port which has
// become free, and have not asked the algorithm yet, or for which there is space.
func (g *general) reconsiderFrom(port uint32) {
	first := port * g.vcs
	for m := bitRange(g.asks, first, g.vcs); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		for id := g.inlets.at(g.lanes + slot).here.first; id != 0; id = g.pool.parcels.at(id).next {
			if g.mayStart(slot, id) {
				g.contendOnce(slot, anyOutput, id)
			}
			if !g.voq {
				break
			}
		}
	}
}

// contendOnce adds a packet of adaptive routing, unless it is there; with the only output that
// is possible, if that is known.
func (g *general) contendOnce(slot, out, id uint32) {
	for i := range g.contenders {
		if c := &g.contenders[i]; c.parcel == id {
			c.out = anyOutput
			return
		}
	}
	g.contenders = append(g.contenders, contender{slot: uint16(slot), out: uint16(out), parcel: id})
}

// siftAdaptive leaves those in a list of contenders that may still start.
func (g *general) siftAdaptive(list []contender) []contender {
	n := 0
	for i := range list {
		c := &list[i]
		if !hasBit(g.inputs, uint32(c.slot)) {
			continue
		}
		if c.out != anyOutput {
			if !hasBit(g.outputs, uint32(c.out)) {
				continue
			}
		} else if !g.mayStart(uint32(c.slot), c.parcel) {
			continue
		}
		list[n] = *c
		n++
	}
	return list[:n]
}

// wishesOf is the bitmap of the outputs of a packet's last answer; none if it has
// not asked yet.
func (g *general) wishesOf(slot, id uint32) []uint64 {
	if g.voq {
		return unsafe.Slice(g.pool.wishes.at(id*g.pool.words), g.x.words)
	}
	return g.wishes(g.x, slot)
}

// mayStart tells whether a packet has not asked the algorithm yet, or could start at an output
// of the last answer. Space that it lacks is wanted.
func (g *general) mayStart(slot, id uint32) bool {
	asked := false
	flits := int32(g.pool.parcels.at(id).flits & flitMask)
	for w, m := range g.wishesOf(slot, id) {
		asked = asked || m != 0
		if m &= g.outputs[w]; m != 0 && g.spaceAmong(uint32(w)<<6, m, flits) {
			return true
		}
	}
	return !asked
}

// spaceAmong tells whether there is space for that many flits at one of the outputs in a bitmap that
// begins with `first`. As far as there is none, it is wanted.
func (g *general) spaceAmong(first uint32, outs uint64, flits int32) bool {
	for ; outs != 0; outs &= outs - 1 {
		out := first + uint32(bits.TrailingZeros64(outs))
		if g.hasSpace(out, flits) {
			return true
		}
		g.want(out, g.outlets.at(g.lanes+out))
	}
	return false
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
	last := ^uint16(0)
	for i := range g.answers {
		c := &g.answers[i]
		setBit(wishes, uint32(c.Port)*g.vcs+uint32(c.VC))
		if c.Port != last {
			setBit(g.waiters(g.x, uint32(c.Port)), slot)
		}
		last = c.Port
	}
	if g.voq {
		g.join(slot, wishes)
	}
}

// forget clears all that a slot's packets wait for.
func (g *general) forget(slot uint32) {
	wishes := g.wishes(g.x, slot)
	last := ^uint32(0)
	for w, m := range wishes {
		for ; m != 0; m &= m - 1 {
			port := uint32(*g.portOf.at(uint32(w)<<6 + uint32(bits.TrailingZeros64(m))))
			if port != last {
				clearBit(g.waiters(g.x, port), slot)
			}
			last = port
		}
		wishes[w] = 0
	}
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

// Queues implements routing.View.
func (v *view) Queues(list []answer) {
	g := v.g
	for i := range list {
		c := &list[i]
		if out := uint32(c.Port)*g.vcs + uint32(c.VC); hasBit(g.outputs, out) {
			c.Cost = g.queueLength(out)
		}
	}
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
