package fabric

import "math/bits"

// contender is a packet that may start at this instant, and its place in the order
// of arbitration.
type contender struct {
	key    [2]int64 // the least is first
	ready  int64
	slot   uint32
	parcel uint32
}

// pass lets all contenders try to start, in the order of arbitration.
func (g *general) pass() {
	g.contenders = g.contenders[:0]
	asking, idle := g.asks, g.inputs
	for w := range asking {
		m := g.contend[w] & asking[w] & idle[w]
		g.contend[w] = 0
		for ; m != 0; m &= m - 1 {
			g.gatherContenders(uint32(w)<<6 + uint32(bits.TrailingZeros64(m)))
		}
	}
	if len(g.contenders) > 1 {
		g.arbitrate()
	}
	for i := range g.contenders {
		c := &g.contenders[i]
		if !hasBit(idle, c.slot) {
			continue
		}
		p := g.pool.parcels.at(c.parcel)
		if g.adaptive {
			g.choose(c.slot, c.parcel, p)
		} else {
			g.try(c.slot, c.parcel, p)
		}
	}
}

// gatherContenders adds the packets of a slot that ask, but for those that certainly
// cannot start.
func (g *general) gatherContenders(slot uint32) {
	in := g.inlets.at(g.r.lanes + slot)
	switch {
	case g.adaptive:
		for id := in.here.first; id != 0; id = g.pool.parcels.at(id).next {
			if g.mayStart(slot, id) {
				g.contenders = append(g.contenders, contender{slot: slot, parcel: id})
			}
			if !g.voq {
				return
			}
		}
	case g.voq:
		for w, m := range g.wishes(g.x, slot) {
			for m &= g.outputs[w]; m != 0; m &= m - 1 {
				if out := uint32(w)<<6 + uint32(bits.TrailingZeros64(m)); !g.held(slot, out) {
					g.contenders = append(g.contenders, contender{slot: slot, parcel: g.firstOf(slot, out)})
				}
			}
		}
	default:
		if out := uint32(g.pool.parcels.at(in.here.first).out); hasBit(g.outputs, out) && !g.held(slot, out) {
			g.contenders = append(g.contenders, contender{slot: slot, parcel: in.here.first})
		}
	}
}

// held tells whether a packet of another slot waits for space at an output.
func (g *general) held(slot, out uint32) bool {
	holder := g.outlets.at(g.r.lanes + out).holder
	return holder != 0 && holder != uint16(slot+1)
}

// arbitrate sorts the contenders.
func (g *general) arbitrate() {
	for i := range g.contenders {
		c := &g.contenders[i]
		p := g.pool.parcels.at(c.parcel)
		c.ready = p.ready
		ask := p.ready
		if !g.voq {
			ask = g.inlets.at(g.r.lanes + c.slot).ask
		}
		c.key = g.key(c.slot, p, ask)
	}
	for i := 1; i < len(g.contenders); i++ { // mostly there are two or three
		c := g.contenders[i]
		j := i
		for ; j > 0 && c.before(&g.contenders[j-1]); j-- {
			g.contenders[j] = g.contenders[j-1]
		}
		g.contenders[j] = c
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
	all, last, grants, port := uint32(g.r.slots), g.x.last, g.x.granted, uint32(0)
	if g.arbiter == RoundRobin || g.arbiter == Matrix {
		if !g.adaptive {
			port = uint32(*g.portOf.at(uint32(p.out)))
			last = g.ports.at(g.r.ports + port).last
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
			g.ports.at(g.r.ports + port).last = slot + 1
		}
	case Matrix:
		grants := g.x.granted
		if !g.adaptive {
			grants += port * uint32(g.r.slots)
		}
		*g.granted.at(grants + slot) = g.b.now + 1
	}
}

// try starts a packet with a fixed route if it may.
func (g *general) try(slot, id uint32, p *parcel) {
	out := uint32(p.out)
	if !hasBit(g.outputs, out) || g.held(slot, out) { // by a contender before this one
		return
	}
	o := g.outlets.at(g.r.lanes + out)
	if !g.hasSpace(out, int32(p.flits&flitMask)) {
		o.holder = uint16(slot + 1)
		g.want(out, o)
		return
	}
	o.holder = 0
	g.start(slot, id, p, o)
}
