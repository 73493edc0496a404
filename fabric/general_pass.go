package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// contender is a packet that may start at this instant, and its place in the order
// of arbitration.
type contender struct {
	key    [2]int64 // the least is first
	ready  int64
	parcel uint32
	slot   uint16
	out    uint16 // the only output that is possible; anyOutput if it is not known
}

// pass lets all contenders try to start, in the order of arbitration. Mostly there are
// few, and where there are many the first that starts leaves the others without a port. So
// the first one is searched for again and again among those that are still possible.
func (g *general) pass() {
	switch {
	case g.contended:
		g.passSlots()
		return
	case len(g.rounds) > 0:
		g.passRounds()
		return
	}
	list := g.contenders
	g.contenders = list[:0]
	if g.adaptive {
		g.contending.empty(g.words)
	}
	if len(list) == 1 {
		g.settle(&list[0])
		return
	}
	g.rank(list)
	for len(list) > 0 {
		first := 0
		for i := 1; i < len(list); i++ {
			if list[i].before(&list[first]) {
				first = i
			}
		}
		c := list[first]
		list[first] = list[len(list)-1]
		list = list[:len(list)-1]
		if !g.adaptive {
			g.try(&c)
			list = g.sift(list)
		} else if g.choose(uint32(c.slot), c.parcel) {
			list = g.siftAdaptive(list)
		}
	}
}

// settle lets the only contender try to start.
func (g *general) settle(c *contender) {
	if g.adaptive {
		g.choose(uint32(c.slot), c.parcel)
	} else {
		g.try(c)
	}
}

// sift leaves those in a list of contenders with fixed routes that may still start.
func (g *general) sift(list []contender) []contender {
	n := 0
	for i := range list {
		c := &list[i]
		slot, out := uint32(c.slot), uint32(c.out)
		if g.inputs.has(slot) && g.outputs.has(out) && !g.outOfReach(slot, out) {
			if n != i {
				list[n] = *c
			}
			n++
		}
	}
	return list[:n]
}

// contendAt adds a packet with a fixed route that asks, if its input and output are free
// and no other waits for space there.
func (g *general) contendAt(slot, out, id uint32) {
	if g.inputs.has(slot) && g.outputs.has(out) && !g.inRounds.has(out) && !g.holds.has(out) {
		g.add(slot, out, id)
	}
}

// add adds a contender. It is written field by field where it stays, because a copy would have to wait for its parts.
func (g *general) add(slot, out, id uint32) {
	n := len(g.contenders)
	if n == cap(g.contenders) {
		g.contenders = append(g.contenders, contender{})
	}
	g.contenders = g.contenders[:n+1]
	if g.voq && !g.adaptive { // else it is the first of its slot, and loaded already
		prefetch.Line(unsafe.Pointer(g.pool.parcels.at(id)))
	}
	c := &g.contenders[n]
	c.slot, c.out, c.parcel = uint16(slot), uint16(out), id
}

// contendForPort adds the packets with fixed routes that wait for a port which has become free.
func (g *general) contendForPort(port uint32) {
	if g.arbiter == RoundRobin {
		g.open(port)
		return
	}
	first := port * g.vcs
	held := g.holds.span(first, g.portMask)
	waiters := g.waitersFor(port)
	for w := range g.words {
		for m := *waiters.word(w) & *g.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for outs := g.asksAt(slot, first) &^ held; outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				g.add(slot, out, g.head(slot, out))
			}
		}
	}
	for ; held != 0; held &= held - 1 {
		g.contendHolder(first + uint32(bits.TrailingZeros64(held)))
	}
}

// contendFrom adds the packets with fixed routes that ask at an input port which has become free.
func (g *general) contendFrom(port uint32) {
	first := port * g.vcs
	for m := g.asks.span(first, g.portMask); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		if !g.voq {
			id := g.inlets.at(g.lanes + slot).here.first
			g.contendNow(slot, uint32(g.pool.parcels.at(id).out), id)
			continue
		}
		wishes := g.wishesAt(slot)
		for w := range g.words {
			for outs := *wishes.word(w) & *g.outputs.word(w) &^ *g.inRounds.word(w); outs != 0; outs &= outs - 1 {
				out := w<<6 + uint32(bits.TrailingZeros64(outs))
				g.contendNow(slot, out, g.firstOf(slot, out))
			}
		}
	}
}

// contendNow is contendAt for a packet that may be the one for whose output space was waited.
func (g *general) contendNow(slot, out, id uint32) {
	switch {
	case !g.holds.has(out):
		g.contendAt(slot, out, id)
	case uint32(g.outlets.at(g.lanes+out).holder) == slot+1:
		g.contendHolder(out)
	}
}

// contendHolder lets the holder of an output try again, unless it is known that it has got no space since.
func (g *general) contendHolder(out uint32) {
	o := g.outlets.at(g.lanes + out)
	slot := uint32(o.holder) - 1
	if g.awaitsSpace(o) || !g.inputs.has(slot) || !g.outputs.has(out) || g.inRounds.has(out) {
		return
	}
	id := g.head(slot, out)
	for i := range g.contenders {
		if g.contenders[i].parcel == id {
			return
		}
	}
	g.add(slot, out, id)
}

// outOfReach tells whether a packet of another slot waits for space at an output.
func (g *general) outOfReach(slot, out uint32) bool {
	return g.holds.has(out) && uint32(g.outlets.at(g.lanes+out).holder) != slot+1
}

// rank notes the place of each of several contenders in the order of arbitration.
func (g *general) rank(list []contender) {
	for i := range list {
		c := &list[i]
		if g.arbiter == FCFS && !g.voq { // the only packet of its slot
			c.key, c.ready = [2]int64{g.inlets.at(g.lanes + uint32(c.slot)).ask}, 0
			continue
		}
		p := g.pool.parcels.at(c.parcel)
		c.ready = p.ready
		ask := p.ready
		if !g.voq {
			ask = g.inlets.at(g.lanes + uint32(c.slot)).ask
		}
		if g.arbiter == FCFS {
			c.key = [2]int64{ask}
		} else {
			c.key = g.key(uint32(c.slot), p, ask)
		}
	}
}

// before is the order of arbitration.
func (c *contender) before(d *contender) bool {
	switch {
	case c.key[0] != d.key[0]:
		return c.key[0] < d.key[0]
	case c.key[1] != d.key[1]:
		return c.key[1] < d.key[1]
	case c.slot != d.slot:
		return c.slot < d.slot
	}
	return c.ready < d.ready
}

// key is the arbiter's for a packet that asks at the crossbar.
func (g *general) key(slot uint32, p *parcel, ask int64) [2]int64 {
	all, last, grants, port := g.slots, g.x.last, g.x.granted, uint32(0)
	if g.arbiter == RoundRobin || g.arbiter == Matrix {
		if !g.adaptive {
			port = uint32(*g.portOf.at(uint32(p.out)))
			last = uint32(g.ports.at(g.firstPort + port).last)
			grants += port * all
		}
	}
	switch g.arbiter {
	case RoundRobin:
		return [2]int64{int64((slot + all - last) % all), int64(port)}
	case Matrix:
		return [2]int64{*g.granted.at(grants + slot), int64(port)}
	}
	return g.personalKey(p, ask)
}

// personalKey is the key of arbiters that go by the packet.
func (g *general) personalKey(p *parcel, ask int64) [2]int64 {
	switch g.arbiter {
	case Age:
		return [2]int64{g.b.Message(p.msg).Post, ask}
	case Priority:
		return [2]int64{-int64(g.b.Message(p.msg).Class), ask}
	}
	return [2]int64{ask}
}

// grant notes that a slot has been granted an output port.
func (g *general) grant(slot, port uint32) {
	switch g.arbiter {
	case RoundRobin:
		if g.adaptive {
			g.x.last = slot + 1
		} else {
			g.ports.at(g.firstPort + port).last = uint16(slot + 1)
		}
	case Matrix:
		grants := g.x.granted
		if !g.adaptive {
			grants += port * g.slots
		}
		*g.granted.at(grants + slot) = g.b.now + 1
	}
}

// try starts a packet with a fixed route, whose input and output are free, if it may.
func (g *general) try(c *contender) {
	out := uint32(c.out)
	o := g.outlets.at(g.lanes + out)
	p := g.pool.parcels.at(c.parcel)
	if !g.hasSpace(out, int32(p.flits&flitMask)) {
		o.holder = c.slot + 1
		g.holds.set(out)
		if g.b.observer != nil {
			g.b.observer.held(g.lanes + out - g.b.observer.firstLane)
		}
		g.want(out, o)
		return
	}
	if o.holder != 0 {
		o.holder = 0
		g.holds.clear(out)
	}
	g.start(uint32(c.slot), c.parcel, p, o)
}
