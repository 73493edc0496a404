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
	if g.steady != nil {
		if started, ok := g.chooseSteadily(slot, id); ok {
			return started
		}
	}
	return g.chooseAnew(slot, id)
}

// chooseAnew is choose by asking the routing algorithm.
func (g *general) chooseAnew(slot, id uint32) bool {
	p := g.pool.parcels.at(id)
	flits := int32(p.flits & flitMask)
	g.answers = g.b.spec.Adaptive.Candidates(g.b.name(g.r.number), p.route, &g.view, g.answers[:0])
	if c := g.best(flits); c != nil {
		p.out, p.route = c.Port*uint16(g.vcs)+c.VC, c.Header
		g.start(slot, id, p, g.outlets.at(g.lanes+uint32(p.out)))
		return true
	}
	clear(g.fresh)
	for i := range g.answers {
		setBit(g.fresh, uint32(g.answers[i].Port)*g.vcs+uint32(g.answers[i].VC))
	}
	if !g.voq {
		g.forget(slot)
	}
	g.remember(slot, id)
	g.wantAll(g.wishesOf(slot, id))
	return false
}

// reconsider adds the packets of adaptive routing that wait for some channels, from `first` on,
// of a free port, if there is space for them. Otherwise that is wanted.
func (g *general) reconsider(port, first, channels uint32) {
	here := newcomers{g: g, known: len(g.contenders), first: first, channels: channels}
	here.room = g.roomFor(first, channels, int32(g.b.maxFlits))
	for w, m := range g.waiters(g.x, port) {
		for m &= g.inputs[w]; m != 0; m &= m - 1 {
			slot := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			id := g.inlets.at(g.lanes + slot).here.first
			if !g.voq {
				here.consider(slot, id, g.wishRange(slot, first, channels))
				continue
			}
			for ; id != 0; id = g.pool.parcels.at(id).next {
				here.consider(slot, id, bitRange(g.wishesOf(slot, id), first, channels))
			}
		}
	}
	g.wantAmong(first, here.lacking)
}

// newcomers are the packets that contend because of some channels of a port.
type newcomers struct {
	g               *general
	known           int // contenders before
	first, channels uint32
	room            uint64 // bitmap of channels that have space for the largest packet
	lacking         uint64 // bitmap of channels that have not enough for some packet
}

// consider adds a packet if there is space for it at one of the channels that it waits for.
func (n *newcomers) consider(slot, id uint32, wishes uint64) {
	if wishes == 0 {
		return
	}
	g, room := n.g, n.room
	if flits := g.pool.parcels.at(id).flits & flitMask; int64(flits) != g.b.maxFlits {
		room = g.roomFor(n.first, n.channels, int32(flits))
	}
	n.lacking |= wishes &^ room
	if wishes &= room; wishes != 0 {
		g.contendOnce(n.known, slot, n.first+uint32(bits.TrailingZeros64(wishes)), id)
	}
}

// wishRange is some of the output slots that a slot's packets wait for, from `first` on.
func (g *general) wishRange(slot, first, n uint32) uint64 {
	i := g.wishesAt + slot*uint32(g.x.words) + first>>6
	m := *g.maps.at(i) >> (first & 63)
	if first&63+n > 64 {
		m |= *g.maps.at(i + 1) << (64 - first&63)
	}
	return m & (1<<n - 1)
}

// roomFor is the bitmap of those of some channels, from `first` on, that have space for that many flits.
func (g *general) roomFor(first, channels uint32, flits int32) (room uint64) {
	for i := range channels {
		if o := g.outlets.at(g.lanes + first + i); g.spaceOf(o) >= flits {
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
	first, known := port*g.vcs, len(g.contenders)
	for m := bitRange(g.asks, first, g.vcs); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		for id := g.inlets.at(g.lanes + slot).here.first; id != 0; id = g.pool.parcels.at(id).next {
			if g.mayStart(slot, id) {
				g.contendOnce(known, slot, anyOutput, id)
			}
			if !g.voq {
				break
			}
		}
	}
}

// contendOnce adds a packet of adaptive routing, unless it is among the first known ones; with the
// only output that is possible, if that is known.
func (g *general) contendOnce(known int, slot, out, id uint32) {
	for i := range known {
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
	asked := uint64(0)
	for w, idle := range g.outputs {
		wishes := g.wishWord(slot, id, uint32(w))
		asked |= wishes
		if wishes &= idle; wishes == 0 {
			continue
		}
		if g.spaceAmong(uint32(w)<<6, wishes, int32(g.pool.parcels.at(id).flits&flitMask)) {
			return true
		}
	}
	return asked == 0
}

// wishWord is a word of the bitmap of the outputs of a packet's last answer.
func (g *general) wishWord(slot, id, w uint32) uint64 {
	if g.voq {
		return *g.pool.wishes.at(id*g.pool.words + w)
	}
	return *g.maps.at(g.wishesAt + slot*uint32(g.x.words) + w)
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
func (g *general) wantAll(wishes []uint64) {
	for w, wish := range wishes {
		g.wantAmong(uint32(w)<<6, wish&g.outputs[w])
	}
}

// best is the answer that may start and costs least, the first among equals; nil if none may.
func (g *general) best(flits int32) (best *answer) {
	for i := range g.answers {
		c := &g.answers[i]
		out := uint32(c.Port)*g.vcs + uint32(c.VC)
		if g.idle(out) && (best == nil || c.Cost < best.Cost) && g.spaceOf(g.outlets.at(g.lanes+out)) >= flits {
			best = c
		}
	}
	return best
}

// remember makes what is in general.fresh the outputs that a packet waits for, and sees to it that those of their
// ports which are busy are noticed when they become free.
func (g *general) remember(slot, id uint32) {
	wishes := g.wishesOf(slot, id)
	for w, m := range g.fresh[:len(wishes)] {
		wishes[w] = m
		for m != 0 {
			port := uint32(*g.portOf.at(uint32(w)<<6 + uint32(bits.TrailingZeros64(m))))
			setBit(g.waiters(g.x, port), slot)
			if !hasBit(g.outputs, port*g.vcs) {
				g.watch(port)
			}
			m = dropPort(m, uint32(w)<<6, port*g.vcs, g.vcs)
		}
	}
	if g.voq {
		g.join(slot, wishes)
	}
}

// dropPort is a word of a bitmap, which begins with the output slot `from`, without those of a port, whose first one is given.
func dropPort(m uint64, from, first, vcs uint32) uint64 {
	if end := first + vcs - from; end < 64 {
		return m & (^uint64(0) << end)
	}
	return 0
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
		if out := uint32(c.Port)*g.vcs + uint32(c.VC); g.idle(out) {
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

// queueLength is queueAt for an output slot.
func (g *general) queueLength(out uint32) int64 {
	return int64(g.queueAt(g.outlets.at(g.lanes + out)))
}

// queueAt is the number of flits that have started toward an output and for
// which no credit has come back.
func (g *general) queueAt(o *outlet) int32 {
	if o.n > 0 && o.times[0] <= g.b.now {
		g.pull(o, g.b.now)
	}
	return g.capacity - o.credit + o.inside
}
