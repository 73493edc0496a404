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
	g.fresh.empty(g.words)
	for i := range g.answers {
		g.fresh.set(uint32(g.answers[i].Port)*g.vcs + uint32(g.answers[i].VC))
	}
	if !g.voq {
		g.forget(slot)
	}
	g.remember(slot, id)
	g.wantAll(g.wishesOf(slot, id))
	return false
}

// reconsider adds the packets of adaptive routing that wait for some channels (a mask), from `first` on,
// of a free port, if there is space for them. Otherwise that is wanted.
func (g *general) reconsider(port, first uint32, channels uint64) {
	if !g.voq {
		g.contendSlots(port, first, channels)
		return
	}
	here := newcomers{g: g, known: len(g.contenders), first: first, channels: channels}
	waiters := g.waitersFor(port)
	for w := range g.words {
		for m := *waiters.word(w) & *g.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for id := g.inlets.at(g.lanes + slot).here.first; id != 0; id = g.pool.parcels.at(id).next {
				here.consider(slot, id, g.wishesOf(slot, id).span(first, channels))
			}
		}
	}
	g.wantAmong(first, here.lacking&^g.dried.span(first, channels))
}

// firstParcel stands for the only packet of a slot that may ask, at input queues.
const firstParcel = 0

// flitsOf is the size of a packet that asks.
func (g *general) flitsOf(slot, id uint32) int32 {
	if !g.voq {
		if !g.small.has(slot) {
			return g.largest
		}
		id = g.firstIn(slot)
	}
	return int32(g.pool.parcels.at(id).flits & flitMask)
}

// newcomers are the packets that contend because of some channels of a port.
type newcomers struct {
	g        *general
	known    int // contenders before
	first    uint32
	channels uint64 // mask
	looked   bool   // room is known
	room     uint64 // bitmap of channels that have space for the largest packet
	lacking  uint64 // bitmap of channels that have not enough for some packet
}

// consider adds a packet if there is space for it at one of the channels that it waits for.
func (n *newcomers) consider(slot, id uint32, wishes uint64) {
	if wishes == 0 {
		return
	}
	g := n.g
	if !n.looked {
		n.looked, n.room = true, g.roomFor(n.first, n.channels, g.largest)
	}
	room := n.room
	if flits := g.flitsOf(slot, id); flits != g.largest {
		room = g.roomFor(n.first, n.channels, flits)
	}
	n.lacking |= wishes &^ room
	if wishes &= room; wishes != 0 {
		g.contendOnce(n.known, slot, n.first+uint32(bits.TrailingZeros64(wishes)), id)
	}
}

// roomFor is the bitmap of those of some channels, from `first` on, that have space for that many flits.
func (g *general) roomFor(first uint32, channels uint64, flits int32) (room uint64) {
	room = g.room.span(first, channels)
	unknown := channels &^ room
	if flits == g.largest {
		unknown &^= g.dried.span(first, channels)
	}
	for m := unknown; m != 0; m &= m - 1 {
		if g.spaceAt(first+uint32(bits.TrailingZeros64(m))) >= flits {
			room |= m & -m
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

// anyOutput stands for the output of a contender that may have several possible ones, or for none.
const anyOutput = 1<<16 - 1

// reconsiderFrom adds the packets of adaptive routing that ask at an input port which has
// become free, and have not asked the algorithm yet, or for which there is space.
func (g *general) reconsiderFrom(port uint32) {
	if !g.voq {
		g.contendSlotsFrom(port)
		return
	}
	first, known := port*g.vcs, len(g.contenders)
	for m := g.asks.span(first, g.portMask); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		for id := g.inlets.at(g.lanes + slot).here.first; id != 0; id = g.pool.parcels.at(id).next {
			if g.mayStart(slot, id) {
				g.contendOnce(known, slot, anyOutput, id)
			}
		}
	}
}

// contendOnce adds a packet of adaptive routing, unless it is among the first known ones; with the
// only output that is possible, if that is known.
func (g *general) contendOnce(known int, slot, out, id uint32) {
	if g.contending.has(slot) {
		for i := range known {
			if c := &g.contenders[i]; c.parcel == id {
				c.out = anyOutput
				return
			}
		}
	}
	g.contend(slot, out, id)
}

// contend adds a packet of adaptive routing.
func (g *general) contend(slot, out, id uint32) {
	g.contending.set(slot)
	if g.voq {
		g.add(slot, out, id)
	} else {
		g.contended = true
	}
}

// siftAdaptive leaves those in a list of contenders that may still start after the last start.
func (g *general) siftAdaptive(list []contender) []contender {
	n := 0
	for i := range list {
		c := &list[i]
		slot := uint32(c.slot)
		switch {
		case !g.inputs.has(slot):
			continue
		case c.out != anyOutput:
			if !g.outputs.has(uint32(c.out)) {
				continue
			}
		case g.wishesOf(slot, c.parcel).span(g.taken, g.portMask) != 0 && !g.mayStart(slot, c.parcel):
			continue
		}
		if n != i {
			list[n] = *c
		}
		n++
	}
	return list[:n]
}

// wishesOf is the bitmap of the outputs of a packet's last answer; none if it has
// not asked yet.
func (g *general) wishesOf(slot, id uint32) bitmap {
	if g.voq {
		return bitmap{unsafe.Pointer(g.pool.wishes.at(id * g.pool.words))}
	}
	return g.wishesAt(slot)
}

// mayStart tells whether a packet has not asked the algorithm yet, or could start at an output
// of the last answer. Space that it lacks is wanted.
func (g *general) mayStart(slot, id uint32) bool {
	wishes := g.wishesOf(slot, id)
	asked := uint64(0)
	for w := range g.words {
		wish := *wishes.word(w)
		asked |= wish
		if wish &= *g.outputs.word(w); wish == 0 {
			continue
		}
		if wish&*g.room.word(w) != 0 || g.spaceAmong(w, wish, g.flitsOf(slot, id)) {
			return true
		}
	}
	return asked == 0
}

// spaceAmong tells whether there is space for that many flits at one of the outputs in word w of a bitmap. As far as
// there is none, it is wanted.
func (g *general) spaceAmong(w uint32, outs uint64, flits int32) bool {
	if flits == g.largest {
		outs &^= *g.dried.word(w)
	}
	for ; outs != 0; outs &= outs - 1 {
		out := w<<6 + uint32(bits.TrailingZeros64(outs))
		if g.spaceAt(out) >= flits {
			return true
		}
		g.want(out, g.outlets.at(g.lanes+out))
	}
	return false
}

// wantAll sees to it that space at a free output among the wishes is noticed.
func (g *general) wantAll(wishes bitmap) {
	for w := range g.words {
		g.wantAmong(w<<6, *wishes.word(w)&*g.outputs.word(w)&^*g.dried.word(w))
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
	for w := range g.words {
		m := *g.fresh.word(w)
		*wishes.word(w) = m
		for m != 0 {
			port := uint32(*g.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			g.waitersFor(port).set(slot)
			if !g.outputs.has(port * g.vcs) {
				g.watch(port)
			}
			m = dropPort(m, w<<6, port*g.vcs, g.vcs)
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
	wishes := g.wishesAt(slot)
	for w := range g.words {
		at := wishes.word(w)
		m := *at
		*at = 0
		for m != 0 {
			port := uint32(*g.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			g.waitersFor(port).clear(slot)
			m = dropPort(m, w<<6, port*g.vcs, g.vcs)
		}
	}
}

// join adds a packet's wishes to those of its slot.
func (g *general) join(slot uint32, wishes bitmap) {
	all := g.wishesAt(slot)
	for w := range g.words {
		*all.word(w) |= *wishes.word(w)
	}
}

// rememberAll makes a slot wait for what its packets wait for.
func (g *general) rememberAll(slot uint32, in *inlet) {
	for id := in.here.first; id != 0; id = g.pool.parcels.at(id).next {
		g.join(slot, g.wishesOf(slot, id))
	}
	wishes := g.wishesAt(slot)
	for w := range g.words {
		for m := *wishes.word(w); m != 0; {
			port := uint32(*g.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			g.waitersFor(port).set(slot)
			m = dropPort(m, w<<6, port*g.vcs, g.vcs)
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
