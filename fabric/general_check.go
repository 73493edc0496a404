package fabric

import (
	"fmt"
	"math/bits"
)

// verifyGeneral is Verify on the general path.
func (n *Network) verifyGeneral() error {
	var inside uint64
	l := n.layout
	for lane := range l.nicLanes + uint32(len(l.spec.Graph.NICPort))*l.vcs {
		waiting, err := n.verifyOutlet(lane)
		if err != nil && lane >= l.nicLanes {
			return fmt.Errorf("NIC %d, virtual channel %d: %w", (lane-l.nicLanes)/l.vcs, lane%l.vcs, err)
		}
		if err != nil {
			return fmt.Errorf("port %d, virtual channel %d: %w", lane/l.vcs, lane%l.vcs, err)
		}
		inside += waiting
	}
	t := n.Totals()
	if t.Packets != t.Delivered+inside {
		return broken("%d packets injected, %d delivered, %d in buffers", t.Packets, t.Delivered, inside)
	}
	return nil
}

// verifyOutlet adds up the buffers before and behind an outlet, and returns the packets
// in its input and output buffer.
func (n *Network) verifyOutlet(lane uint32) (packets uint64, err error) {
	owner, _, target := n.otherEnd(lane)
	g := owner.general
	o := g.outlets.at(lane)
	_, back := g.walk(o.more)
	for _, flits := range o.flits[:o.n] {
		back += int64(flits & flitMask)
	}
	if lane < n.layout.nicLanes {
		if packets, err = g.verifyBuffer(lane); err != nil {
			return packets, err
		}
		packets += uint64(g.inlets.at(lane).packets)
		if n.layout.wiring[lane/n.layout.vcs].router == unconnected {
			return packets, nil
		}
	}
	docked, there := n.dockedAt(lane)
	packets += docked
	if target < n.layout.nicLanes {
		there = int64(n.general.inlets.at(target).flits)
	}
	if o.credit < 0 || int64(o.credit)+back+there != int64(g.capacity) {
		return packets, broken("credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits", o.credit, back+there, g.capacity)
	}
	return packets, nil
}

// verifyBuffer adds up an output buffer, and returns the packets in it.
func (g *general) verifyBuffer(lane uint32) (packets uint64, err error) {
	if !g.buffered {
		return 0, nil
	}
	o := g.outlets.at(lane)
	packets, inside := g.walk(g.buffers.at(lane).queue)
	if full := g.b.spec.Router.OutputBuffer / g.b.spec.Packet.Flit; int64(o.room)+inside != full || int64(o.inside) != inside {
		return packets, broken("room %d flits and %d flits in the output buffer do not make up its %d flits", o.room, inside, full)
	}
	return packets, nil
}

// walk counts a list of parcels and adds up their flits.
func (g *general) walk(l list) (count uint64, flits int64) {
	for id := l.first; id != 0; id = g.pool.parcels.at(id).next {
		count++
		flits += int64(g.pool.parcels.at(id).flits & flitMask)
	}
	return count, flits
}

// waitOfGeneral is waitOf on the general path. Of several outputs that the packets of
// a buffer wait for it takes the first: when nothing moves any more, each of them leads to a circle.
func (n *Network) waitOfGeneral(lane uint32) (w Wait, next uint32, ok bool) {
	l := n.layout
	port := lane / l.vcs
	router := uint32(l.spec.Graph.Ports[port].Router)
	r := &l.routers[router]
	g := n.blocks[n.blockOf(router)].general
	slot, found := g.firstWish(router, lane-r.lanes, lane)
	if !found {
		return w, 0, false
	}
	w = Wait{int(l.name(router)), int(port - r.ports), int(lane % l.vcs), int(slot / l.vcs), int(slot % l.vcs)}
	if holder := uint32(g.outlets.at(r.lanes + slot).holder); holder != 0 && r.lanes+holder-1 != lane {
		return w, r.lanes + holder - 1, true
	}
	lp := &l.wiring[r.ports+slot/l.vcs]
	return w, lp.down + slot%l.vcs, lp.router >= 0
}

// firstWish is the first output slot that the packets of a slot wait for.
func (g *general) firstWish(router, slot, lane uint32) (out uint32, ok bool) {
	if !g.voq && !g.adaptive {
		return uint32(g.pool.parcels.at(g.inlets.at(lane).here.first).out), true
	}
	x := g.routers.at(router)
	wishes := g.wishes(x, slot)
	for w := range uint32(x.words) {
		if m := *wishes.word(w); m != 0 {
			return w<<6 + uint32(bits.TrailingZeros64(m)), true
		}
	}
	return 0, false
}
