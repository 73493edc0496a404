package fabric

import (
	"fmt"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Verify checks the invariants that hold between windows for any traffic. For every virtual
// channel, the credit upstream, the returning credit, the packets in flight and the packets in the
// buffer add up to the buffer size. Credit is never negative. No packet is lost or in two places. A
// NIC requests its I/O bus if and only if it has a packet for it. Verify must be called after the
// last window. It also works with packets left in the network (a deadlock).
func (n *Network) Verify() error {
	endStreams(n)
	inside, err := n.verifyHere()
	if err = n.agreeOn(err); err != nil {
		return err
	}
	n.Share()
	inside = n.total(inside)
	t := n.Totals()
	if t.Packets != t.Delivered+inside+t.Lost-t.Repeated {
		return model.Breach(
			"%d packets injected, %d delivered, %d in buffers, %d lost, %d repeated",
			t.Packets, t.Delivered, inside, t.Lost, t.Repeated,
		)
	}
	return nil
}

// verifyHere checks the routers and NICs of this process, and returns the number of packets in
// their buffers.
func (n *Network) verifyHere() (inside uint64, err error) {
	if err := n.nics.VerifyBuses(); err != nil {
		return 0, err
	}
	if n.general != nil {
		return n.verifyGeneral()
	}
	g := n.layout.Spec.Graph
	for p := range g.Ports {
		if !n.routerHere(uint32(g.Ports[p].Router)) {
			continue
		}
		for v := range n.layout.NumVCs {
			waiting, err := n.verifyVC(uint32(p)*n.layout.NumVCs + v)
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
		for v := range n.layout.NumVCs {
			number := n.layout.FirstNICVC + uint32(i)*n.layout.NumVCs + v
			if addsUp(n, number) {
				continue
			}
			if err := n.verifyCredit(number); err != nil {
				return 0, fmt.Errorf("NIC %d, virtual channel %d: %w", i, v, err)
			}
		}
	}
	return inside, nil
}

// verifyVC checks the state of one VC of a router port, as an input and as an output. It returns
// the number of packets in the VC's buffer.
func (n *Network) verifyVC(number uint32) (uint64, error) {
	in := n.state.VCs.At(number)
	there := uint64(in.Waiting())
	if uint32(in.Tail-in.Pull) > in.Places() || in.Head-in.Pull > in.Tail-in.Pull {
		return there, model.Breach(
			"a FIFO of %d places has pull %d, head %d, tail %d",
			in.Places(), in.Pull, in.Head, in.Tail,
		)
	}
	if addsUp(n, number) || n.state.Ports.At(number/n.layout.NumVCs).Router == core.Unconnected {
		return there, nil
	}
	docked, _ := n.dockedAt(number)
	return there + docked, n.verifyCredit(number)
}

// dockedAt returns the number of packets that have left through a VC to a NIC and wait there for
// the I/O bus, and the sum of their flits.
func (n *Network) dockedAt(number uint32) (packets uint64, flits int64) {
	l := n.layout
	if n.nics.Buses == nil || number >= l.FirstNICVC {
		return 0, 0
	}
	if to := l.Wiring(number / l.NumVCs).Router; to >= 0 || to == core.Unconnected {
		return 0, 0
	}
	owner, _, target := n.otherEnd(number)
	return owner.nics.Bus.Docked((target-l.FirstNICVC)/l.NumVCs, target%l.NumVCs)
}

// addsUp reports whether the space of the buffer behind an output VC adds up if both ends are in the only block and
// I/O buses hold no packets. Most VCs are found to be right by it, without the way through the topology.
func addsUp(n *Network, number uint32) bool {
	if len(n.blocks) > 1 || n.nics.Buses != nil {
		return false
	}
	vcs := &n.blocks[0].fast.VCs
	credit := vcs.At(number).Credit
	return credit >= 0 && int64(credit)+vcs.Walk(vcs.Below(number)) == int64(n.layout.Capacity)
}

// verifyCredit checks that the space of the buffer behind an output VC adds up.
func (n *Network) verifyCredit(number uint32) error {
	l := n.layout
	if n.unused(number) {
		return nil
	}
	owner, down, target := n.otherEnd(number)
	if !n.here(down.nics.Index) { // only the other process knows the state there
		return nil
	}
	out := owner.fast.VCs.At(number)
	sum := down.fast.VCs.Walk(target)
	here := owner.fast.VCs.Below(number)
	if here != target {
		sum += owner.fast.VCs.Walk(here)
	}
	_, docked := n.dockedAt(number)
	sum += docked
	if here == target && down.fast.VCs.At(target).Flags&core.Drained != 0 { // the VC may not have taken all of it
		sum = max(sum, int64(l.Capacity-out.Credit))
	}
	if out.Credit < 0 || int64(out.Credit)+sum != int64(l.Capacity) {
		return model.Breach(
			"credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits",
			out.Credit, sum, l.Capacity,
		)
	}
	return nil
}

// unused reports whether nothing has ever left through a router's VC and all its credit is there.
// If its buffer holds packets nevertheless, the check of the network's total detects them.
func (n *Network) unused(number uint32) bool {
	l := n.layout
	if number >= l.FirstNICVC {
		return false
	}
	out := n.state.VCs.At(number)
	port := number / l.NumVCs
	return n.state.Ports.At(port).Sent == 0 && out.Credit == l.Capacity && n.state.More.At(port).Packets == 0
}

// otherEnd returns the block that has a VC, and the block and the VC at its other end.
func (n *Network) otherEnd(number uint32) (owner, down *Block, target uint32) {
	l := n.layout
	if number >= l.FirstNICVC {
		nic := (number - l.FirstNICVC) / l.NumVCs
		owner = n.blocks[n.blockOf(l.Hosts[int(nic)/l.Spec.Graph.NICsPerHost])]
		return owner, owner, uint32(l.Spec.Graph.NICPort[nic])*l.NumVCs + number%l.NumVCs
	}
	port := number / l.NumVCs
	owner = n.blocks[n.blockOf(uint32(l.Spec.Graph.Ports[port].Router))]
	down = owner
	to := l.Wiring(port)
	if to.Router >= 0 {
		down = n.blocks[n.blockOf(uint32(to.Router))]
	}
	return owner, down, to.Down + number%l.NumVCs
}
