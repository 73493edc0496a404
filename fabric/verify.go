package fabric

import "fmt"

// Broken is a violated invariant of the model: an error of Fabricast's own.
type Broken struct{ What string }

func (e *Broken) Error() string { return "broken invariant: " + e.What }

func broken(format string, args ...any) error { return &Broken{fmt.Sprintf(format, args...)} }

// Verify checks what must hold between windows, whatever the traffic: for
// every virtual channel the credit that upstream has, the credit on its way
// back and the packets on their way or in the buffer make up the whole buffer;
// credit is never negative; no packet is in two places or lost. It is to be called after the
// last window; with packets still in the network (a deadlock) it holds too.
func (n *Network) Verify() error {
	var inside uint64
	for p := range n.layout.wiring {
		for v := range n.layout.vcs {
			waiting, err := n.verifyChannel(uint32(p)*n.layout.vcs + v)
			if err != nil {
				return fmt.Errorf("port %d, virtual channel %d: %w", p, v, err)
			}
			inside += waiting
		}
	}
	for i := range n.layout.spec.Graph.NICPort {
		for v := range n.layout.vcs {
			if err := n.verifyCredit(n.layout.nicChannels + uint32(i)*n.layout.vcs + v); err != nil {
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

// verifyChannel checks the input and the output side of one channel of a
// router port, and returns the packets in its buffer.
func (n *Network) verifyChannel(channel uint32) (uint64, error) {
	b := n.blocks[n.blockOf(uint32(n.layout.spec.Graph.Ports[channel/n.layout.vcs].Router))]
	in := b.in.at(channel)
	there := uint64(in.tail - in.head)
	if size := b.extras.at(channel).size(); in.tail-in.pull > size || in.head-in.pull > in.tail-in.pull {
		return there, broken("a FIFO of %d places has pull %d, head %d, tail %d", size, in.pull, in.head, in.tail)
	}
	if lp := &n.layout.wiring[channel/n.layout.vcs]; lp.router == unconnected {
		return there, nil
	}
	return there, n.verifyCredit(channel)
}

// verifyCredit adds up the buffer space behind an output channel.
func (n *Network) verifyCredit(channel uint32) error {
	l := n.layout
	var owner, down *Block
	target := channel // FIFO at the other end
	if channel < l.nicChannels {
		port := channel / l.vcs
		owner = n.blocks[n.blockOf(uint32(l.spec.Graph.Ports[port].Router))]
		down = owner
		if r := l.wiring[port].router; r >= 0 {
			down = n.blocks[n.blockOf(uint32(r))]
		}
		target = l.wiring[port].down + channel%l.vcs
	} else {
		nic := (channel - l.nicChannels) / l.vcs
		owner = n.blocks[n.blockOf(l.hosts[int(nic)/l.spec.Graph.NICsPerHost])]
		down = owner
		target = uint32(l.spec.Graph.NICPort[nic])*l.vcs + channel%l.vcs
	}
	vc := owner.out.at(channel)
	sum := down.walk(down.in.at(target), target)
	if vc.down != target {
		back := owner.walk(owner.in.at(vc.down), vc.down)
		sum += back
	}
	if vc.credit < 0 || int64(vc.credit)+sum != int64(l.capacity) {
		return broken("credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits", vc.credit, sum, l.capacity)
	}
	return nil
}

// walk adds up the flits of a FIFO's packets, those that have left and those that are there.
func (b *Block) walk(in *fifo, channel uint32) (flits int64) {
	for i := in.pull; i != in.tail; i++ {
		flits += int64(b.nth(in, channel, i).flits & flitMask)
	}
	return flits
}
