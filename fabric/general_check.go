package fabric

import (
	"math/bits"
)

// verifyBuffer checks the sum of the space of an output buffer, and returns the number of packets
// in it.
func (g *general) verifyBuffer(lane uint32) (packets uint64, err error) {
	if !g.buffered {
		return 0, nil
	}
	buf := g.links.buffers.at(lane)
	packets, inside := g.pool.walk(buf.queue)
	if full := int64(g.b.spec.Router.OutputBuffer) / g.b.spec.Packet.Flit; int64(buf.room)+inside != full ||
		int64(buf.inside) != inside {
		return packets, broken(
			"room %d flits and %d flits in the output buffer do not make up its %d flits",
			buf.room, inside, full,
		)
	}
	return packets, nil
}

// firstWish returns the first output slot that the packets of a slot wait for.
func (g *general) firstWish(router, slot, lane uint32) (out uint32, ok bool) {
	if !g.voq && !g.adaptive {
		return uint32(g.pool.parcels.at(g.in.inlets.at(lane).here.first).out), true
	}
	x := g.all.routers.at(router)
	wishes := g.all.wishes(x, slot)
	for w := range uint32(x.words) {
		if m := *wishes.word(w); m != 0 {
			return w<<6 + uint32(bits.TrailingZeros64(m)), true
		}
	}
	return 0, false
}

// blockedSeparately returns the output slot that the first packet of a slot waits for. owner is the
// slot+1 of the packet that owns that VC, or 0.
func (g *general) blockedSeparately(r *routerState, slot uint32) (out, owner uint32) {
	out = uint32(g.pool.parcels.at(g.in.inlets.at(r.lanes + slot).here.first).out)
	if x := g.all.routers.at(r.number); g.alloc.chooses && !g.all.owning(x).has(slot) {
		out = 0
		for w := uint32(x.words); w > 0; w-- {
			if m := *g.all.wishes(x, slot).word(w - 1); m != 0 {
				out = (w-1)<<6 + uint32(bits.TrailingZeros64(m))
			}
		}
	}
	return out, uint32(g.alloc.owned.at(r.lanes + out).owner)
}
