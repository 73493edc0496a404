package fabric

import "fmt"

// Broken is a violated invariant of the model: an error of Fabricast's own.
type Broken struct{ What string }

func (e *Broken) Error() string { return "broken invariant: " + e.What }

func broken(format string, args ...any) error { return &Broken{fmt.Sprintf(format, args...)} }

// Verify checks what must hold between windows, whatever the traffic: for
// every virtual channel the credit that upstream has, the credit on its way
// back and the packets on their way or in the buffer make up the whole buffer;
// credit is never negative; no packet is in two places or lost; a NIC asks for its I/O bus
// if and only if it has something for it. It is to be called after the
// last window; with packets still in the network (a deadlock) it holds too.
func (n *Network) Verify() error {
	if err := n.verifyBuses(); err != nil {
		return err
	}
	if n.general != nil {
		return n.verifyGeneral()
	}
	var inside uint64
	for p := range n.layout.wiring {
		for v := range n.layout.vcs {
			waiting, err := n.verifyLane(uint32(p)*n.layout.vcs + v)
			if err != nil {
				return fmt.Errorf("port %d, virtual channel %d: %w", p, v, err)
			}
			inside += waiting
		}
	}
	for i := range n.layout.spec.Graph.NICPort {
		for v := range n.layout.vcs {
			if err := n.verifyCredit(n.layout.nicLanes + uint32(i)*n.layout.vcs + v); err != nil {
				return fmt.Errorf("NIC %d, virtual channel %d: %w", i, v, err)
			}
		}
	}
	t := n.Totals()
	if t.Packets != t.Delivered+inside {
		return broken("%d packets injected, %d delivered, %d in buffers", t.Packets, t.Delivered, inside)
	}
	return nil
}

// verifyLane checks the input and the output side of one lane of a router port,
// and returns the packets in its buffer.
func (n *Network) verifyLane(number uint32) (uint64, error) {
	in := n.state.lanes.at(number)
	there := uint64(in.tail - in.head)
	if in.tail-in.pull > in.size || in.head-in.pull > in.tail-in.pull {
		return there, broken("a FIFO of %d places has pull %d, head %d, tail %d", in.size, in.pull, in.head, in.tail)
	}
	if in.router == unconnected {
		return there, nil
	}
	docked, _ := n.dockedAt(number)
	return there + docked, n.verifyCredit(number)
}

// dockedAt counts the packets that have left by a lane toward a NIC and wait there for the
// I/O bus, and adds up their flits.
func (n *Network) dockedAt(number uint32) (packets uint64, flits int64) {
	l := n.layout
	if number >= l.nicLanes || l.wiring[number/l.vcs].router >= 0 || l.wiring[number/l.vcs].router == unconnected {
		return 0, 0
	}
	owner, _, target := n.otherEnd(number)
	return owner.docked((target-l.nicLanes)/l.vcs, target%l.vcs)
}

// verifyCredit adds up the buffer space behind an output lane.
func (n *Network) verifyCredit(number uint32) error {
	l := n.layout
	if n.unused(number) {
		return nil
	}
	owner, down, target := n.otherEnd(number)
	out := owner.lanes.at(number)
	sum := down.walk(target)
	if out.down != target {
		sum += owner.walk(out.down)
	}
	_, docked := n.dockedAt(number)
	sum += docked
	if out.credit < 0 || int64(out.credit)+sum != int64(l.capacity) {
		return broken("credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits", out.credit, sum, l.capacity)
	}
	return nil
}

// unused tells whether nothing has gone out by a router's lane since the beginning, and all its credit is there. What is
// in the buffer behind it, if anything, is missed among all packets then.
func (n *Network) unused(number uint32) bool {
	l := n.layout
	if number >= l.nicLanes {
		return false
	}
	out := n.state.lanes.at(number)
	return out.sent == 0 && out.credit == l.capacity && n.state.more.at(out.clock).packets == 0
}

// otherEnd is the block of a lane, and the block and the lane to which it leads.
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
	if r := l.wiring[port].router; r >= 0 {
		down = n.blocks[n.blockOf(uint32(r))]
	}
	return owner, down, l.wiring[port].down + number%l.vcs
}

// walk adds up the flits of a FIFO's packets, those that have left and those that are there.
func (b *Block) walk(number uint32) (flits int64) {
	in := b.lanes.at(number)
	for i := in.pull; i != in.tail; i++ {
		flits += int64(b.nth(in, i).flits & flitMask)
	}
	return flits
}
