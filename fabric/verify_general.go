package fabric

import "fmt"

// verifyGeneral implements verifyHere for the general path.
func (n *Network) verifyGeneral() (inside uint64, err error) {
	l := n.layout
	for lane := range l.nicLanes + uint32(len(l.spec.Graph.NICPort))*l.vcs {
		if owner, _, _ := n.otherEnd(lane); !n.here(owner.nics.index) {
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
	if !n.here(down.nics.index) { // what is there is known to the other process
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
