package fabric

import (
	"fmt"
	"strings"
)

// Deadlock is a state of the fabric in which packets wait for one another in a circle.
type Deadlock struct {
	Packets uint64 // packets that cannot move
	Cycle   []Wait // each waits for the next, the last for the first
}

// Wait is a packet that waits for space in the next router's buffer.
type Wait struct {
	Router, Port, VC int // where it is: input port
	OutPort, OutVC   int // what it waits for
}

func (d *Deadlock) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "deadlock in the network: %d packets cannot move", d.Packets)
	for _, w := range d.Cycle {
		fmt.Fprintf(&s, "\n  router %d, input port %d, VC %d waits for output port %d, VC %d", w.Router, w.Port, w.VC, w.OutPort, w.OutVC)
	}
	return s.String()
}

// Deadlock looks, once nothing is left to do, for packets that did not
// arrive. It returns nil if the network is empty.
func (n *Network) Deadlock() *Deadlock {
	t := n.Totals()
	if t.Packets == t.Delivered {
		return nil
	}
	d := &Deadlock{Packets: t.Packets - t.Delivered}
	for channel := range n.layout.nicChannels {
		if n.waiting(channel) {
			if d.Cycle = n.cycle(channel); d.Cycle != nil {
				break
			}
		}
	}
	return d
}

// waiting tells whether there are packets in a FIFO.
func (n *Network) waiting(channel uint32) bool {
	in := n.state.in.at(channel)
	return in.head != in.tail
}

// cycle follows the waits from one FIFO until a FIFO comes up again.
func (n *Network) cycle(channel uint32) []Wait {
	var path []Wait
	place := make(map[uint32]int)
	for n.waiting(channel) {
		if at, seen := place[channel]; seen {
			return path[at:]
		}
		place[channel] = len(path)
		w, next, ok := n.waitOf(channel)
		if !ok {
			return nil
		}
		path = append(path, w)
		channel = next
	}
	return nil
}

// waitOf is what the first packet of a FIFO waits for, and the FIFO whose first
// packet must move before: the one downstream, or its output's holder's.
func (n *Network) waitOf(channel uint32) (w Wait, next uint32, ok bool) {
	l := n.layout
	port := channel / l.vcs
	router := l.spec.Graph.Ports[port].Router
	lr := &l.routers[router]
	b := n.blocks[n.blockOf(uint32(router))]
	p := b.head(channel)
	out := uint32(p.out >> outVCBits)
	vc := uint32(p.out & outVCMask)
	w = Wait{int(router), int(port - lr.ports), int(channel % l.vcs), int(out), int(vc)}
	lp := &l.wiring[lr.ports+out]
	holder := uint32(b.out.at((lr.ports+out)*l.vcs + vc).holder)
	if holder != 0 && lr.ports*l.vcs+holder-1 != channel {
		return w, lr.ports*l.vcs + holder - 1, true
	}
	return w, lp.down + vc, lp.router >= 0
}
