package fabric

import (
	"fmt"
	"math/bits"
)

// verifyGeneral implements verifyHere for the general path.
func (n *Network) verifyGeneral() (inside uint64, err error) {
	l := n.layout
	for lane := range l.nicLanes + uint32(len(l.spec.Graph.NICPort))*l.vcs {
		if owner, _, _ := n.otherEnd(lane); !n.here(owner.index) {
			continue
		}
		waiting, err := n.verifyOutlet(lane)
		if err != nil && lane >= l.nicLanes {
			return 0, fmt.Errorf("NIC %d, virtual channel %d: %w", (lane-l.nicLanes)/l.vcs, lane%l.vcs, err)
		}
		if err != nil {
			return 0, fmt.Errorf("port %d, virtual channel %d: %w", lane/l.vcs, lane%l.vcs, err)
		}
		inside += waiting
	}
	for _, b := range n.Blocks() {
		if d := b.general.doors; d != nil {
			inside += d.counts.inside + d.counts.consumed - d.counts.made
		}
	}
	return inside, nil
}

// verifyOutlet checks the sum of the buffer space before and behind an output VC. It returns the
// number of packets in its input and output buffer.
func (n *Network) verifyOutlet(lane uint32) (packets uint64, err error) {
	owner, down, target := n.otherEnd(lane)
	g := owner.general
	o := g.out.outlets.at(lane)
	_, back := g.pool.walk(list{first: o.more})
	for i := range o.n {
		back += int64(o.flits[(o.first+i)%inlineReturns] & flitMask)
	}
	if lane < n.layout.nicLanes {
		if packets, err = g.verifyBuffer(lane); err != nil {
			return packets, err
		}
		packets += uint64(g.in.inlets.at(lane).packets)
		if n.layout.wiring(lane/n.layout.vcs).router == unconnected {
			return packets, nil
		}
	}
	docked, there := n.dockedAt(lane)
	packets += docked
	if !n.here(down.index) { // what is there is known to the other process
		return packets, nil
	}
	if target < n.layout.nicLanes {
		there = int64(n.general.inlets.at(target).flits)
	}
	if o.credit < 0 || int64(o.credit)+back+there != int64(g.out.capacity) {
		return packets, broken(
			"credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits",
			o.credit, back+there, g.out.capacity,
		)
	}
	return packets, nil
}

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

// walk returns the number of parcels in a list and the sum of their flits.
func (p *parcelPool) walk(l list) (count uint64, flits int64) {
	for id := l.first; id != 0; id = p.parcels.at(id).next {
		count++
		flits += int64(p.parcels.at(id).flits & flitMask)
	}
	return count, flits
}

// waitOfGeneral implements waitOf for the general path. If the packets of a buffer wait for several
// outputs it follows the first: once nothing moves any more, each of them leads to a cycle.
func (n *Network) waitOfGeneral(lane uint32) (w Wait, next uint32, ok bool) {
	l := n.layout
	port := lane / l.vcs
	router := uint32(l.spec.Graph.Ports[port].Router)
	r := &l.routers[router]
	g := n.blocks[n.blockOf(router)].general
	if g.separate {
		out, owner := g.blockedSeparately(r, lane-r.lanes)
		w = Wait{
			int(l.name(router)),
			int(port - r.ports),
			int(lane % l.vcs),
			int(out / l.vcs),
			int(out % l.vcs),
		}
		if owner != 0 && r.lanes+owner-1 != lane {
			return w, r.lanes + owner - 1, true
		}
		lp := l.wiring(r.ports + out/l.vcs)
		return w, lp.down + out%l.vcs, lp.router >= 0
	}
	slot, found := g.firstWish(router, lane-r.lanes, lane)
	if !found {
		return w, 0, false
	}
	w = Wait{
		int(l.name(router)),
		int(port - r.ports),
		int(lane % l.vcs),
		int(slot / l.vcs),
		int(slot % l.vcs),
	}
	if holder := uint32(g.out.outlets.at(r.lanes + slot).holder); holder != 0 && r.lanes+holder-1 != lane {
		return w, r.lanes + holder - 1, true
	}
	lp := l.wiring(r.ports + slot/l.vcs)
	return w, lp.down + slot%l.vcs, lp.router >= 0
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
