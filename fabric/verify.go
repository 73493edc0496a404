package fabric

import "fmt"

// Verify checks the invariants that hold between windows for any traffic. For every virtual
// channel, the credit upstream, the returning credit and the packets under way or in the buffer sum
// up to the whole buffer. Credit is never negative. No packet is lost or in two places. A NIC asks
// for its I/O bus if and only if it has a packet for it. Call Verify after the last window. It also
// holds with packets left in the network (a deadlock).
func (n *Network) Verify() error {
	inside, err := n.verifyHere()
	if err = n.agreeOn(err); err != nil {
		return err
	}
	n.Share()
	inside = n.total(inside)
	t := n.Totals()
	if t.Packets != t.Delivered+inside {
		return broken("%d packets injected, %d delivered, %d in buffers", t.Packets, t.Delivered, inside)
	}
	return nil
}

// verifyHere checks what this process simulates, and returns the number of packets in its buffers.
func (n *Network) verifyHere() (inside uint64, err error) {
	if err := n.nics.verifyBuses(); err != nil {
		return 0, err
	}
	if n.general != nil {
		return n.verifyGeneral()
	}
	g := n.layout.spec.Graph
	for p := range g.Ports {
		if !n.routerHere(uint32(g.Ports[p].Router)) {
			continue
		}
		for v := range n.layout.vcs {
			waiting, err := n.verifyLane(uint32(p)*n.layout.vcs + v)
			if err != nil {
				return 0, fmt.Errorf("port %d, virtual channel %d: %w", p, v, err)
			}
			inside += waiting
		}
	}
	for i, port := range g.NICPort {
		if !n.routerHere(uint32(g.Ports[port].Router)) {
			continue
		}
		for v := range n.layout.vcs {
			if err := n.verifyCredit(n.layout.nicLanes + uint32(i)*n.layout.vcs + v); err != nil {
				return 0, fmt.Errorf("NIC %d, virtual channel %d: %w", i, v, err)
			}
		}
	}
	return inside, nil
}

// verifyLane checks the input and the output side of one lane of a router port, and returns the
// number of packets in its buffer.
func (n *Network) verifyLane(number uint32) (uint64, error) {
	in := n.state.lanes.at(number)
	there := uint64(in.waiting())
	if uint32(in.tail-in.pull) > in.places() || in.head-in.pull > in.tail-in.pull {
		return there, broken(
			"a FIFO of %d places has pull %d, head %d, tail %d",
			in.places(), in.pull, in.head, in.tail,
		)
	}
	if n.state.ports.at(number/n.layout.vcs).router == unconnected {
		return there, nil
	}
	docked, _ := n.dockedAt(number)
	return there + docked, n.verifyCredit(number)
}

// dockedAt returns the number of packets that have left by a lane toward a NIC and wait there for
// the I/O bus, and the sum of their flits.
func (n *Network) dockedAt(number uint32) (packets uint64, flits int64) {
	l := n.layout
	if n.nics.buses == nil || number >= l.nicLanes {
		return 0, 0
	}
	if to := l.wiring(number / l.vcs).router; to >= 0 || to == unconnected {
		return 0, 0
	}
	owner, _, target := n.otherEnd(number)
	return owner.nics.bus.docked((target-l.nicLanes)/l.vcs, target%l.vcs)
}

// verifyCredit checks the sum of the buffer space behind an output lane.
func (n *Network) verifyCredit(number uint32) error {
	l := n.layout
	if n.unused(number) {
		return nil
	}
	owner, down, target := n.otherEnd(number)
	if !n.here(down.nics.index) { // what is there is known to the other process
		return nil
	}
	out := owner.fast.lanes.at(number)
	sum := down.fast.lanes.walk(target)
	here := owner.fast.lanes.below(number)
	if here != target {
		sum += owner.fast.lanes.walk(here)
	}
	_, docked := n.dockedAt(number)
	sum += docked
	if here == target && down.fast.lanes.at(target).way&drained != 0 { // it need not have taken all
		sum = max(sum, int64(l.capacity-out.credit))
	}
	if out.credit < 0 || int64(out.credit)+sum != int64(l.capacity) {
		return broken(
			"credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits",
			out.credit, sum, l.capacity,
		)
	}
	return nil
}

// unused reports whether nothing has ever left by a router's lane and all its credit is there. If
// its buffer holds packets nevertheless, the check of the network's total finds them.
func (n *Network) unused(number uint32) bool {
	l := n.layout
	if number >= l.nicLanes {
		return false
	}
	out := n.state.lanes.at(number)
	port := number / l.vcs
	return n.state.ports.at(port).sent == 0 && out.credit == l.capacity && n.state.more.at(port).packets == 0
}

// otherEnd returns the block that owns a lane, and the block and the lane at its other end.
func (n *Network) otherEnd(number uint32) (owner, down *Block, target uint32) {
	l := n.layout
	if number >= l.nicLanes {
		nic := (number - l.nicLanes) / l.vcs
		owner = n.blocks[n.blockOf(l.hosts[int(nic)/l.spec.Graph.NICsPerHost])]
		return owner, owner, uint32(l.spec.Graph.NICPort[nic])*l.vcs + number%l.vcs
	}
	port := number / l.vcs
	owner = n.blocks[n.blockOf(uint32(l.spec.Graph.Ports[port].Router))]
	down = owner
	to := l.wiring(port)
	if to.router >= 0 {
		down = n.blocks[n.blockOf(uint32(to.router))]
	}
	return owner, down, to.down + number%l.vcs
}
