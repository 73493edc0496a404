package fabric

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
)

// Deadlock describes a state of the network in which packets are in a cyclic wait.
type Deadlock struct {
	Since   int64  // when the tail of the last packet that moved left its buffer (ps)
	Packets uint64 // number of packets that cannot move
	GivenUp uint64 // of them, those that NICs have given up, see Doors.Timeout and package ethernet
	Cycle   []Wait // each waits for the next, and the last for the first
	Pauses  bool   // for the ends of pauses; VCs are classes
}

// Wait is a packet that waits for space in the next router's buffer.
type Wait struct {
	Router, Port, VC int // input port that holds the packet
	OutPort, OutVC   int // output port and VC that it waits for
}

func (d *Deadlock) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s packets in the network cannot move", humanize.Count(int64(d.Packets)))
	for i, w := range d.Cycle {
		if d.Pauses {
			fmt.Fprintf(
				&s, "\n  router %d holds packets of class %d from its input port %d for output port %d, paused by router %d",
				w.Router, w.VC, w.Port, w.OutPort, d.Cycle[(i+1)%len(d.Cycle)].Router,
			)
			continue
		}
		fmt.Fprintf(
			&s, "\n  router %d, input port %d, VC %d waits for output port %d, VC %d", w.Router,
			w.Port, w.VC, w.OutPort, w.OutVC,
		)
	}
	return s.String()
}

// Deadlock searches for a cyclic wait among packets that were not delivered. It must be called when
// no event is left. It returns nil if the network is empty.
func (n *Network) Deadlock() *Deadlock {
	n.Share()
	t := n.Totals()
	if t.Packets == t.Delivered {
		return nil
	}
	n.shareWaits()
	d := &Deadlock{Since: n.lastMove(), Packets: t.Packets - t.Delivered, GivenUp: t.GivenUp}
	// Ports are in the user's numbering, so that the same cycle is found for any number of blocks.
	for port := range n.graph.Ports {
		first := uint32(n.parts.port(n.graph, n.layout.Spec.Graph, port)) * n.layout.NumVCs
		for v := range n.layout.NumVCs {
			if !n.waiting(first + v) {
				continue
			}
			if d.Cycle = n.cycle(first + v); d.Cycle != nil {
				return d
			}
		}
	}
	return d
}

// lastMove returns the time (ps) at which the tail of the last packet that moved left a NIC or a
// router.
func (n *Network) lastMove() int64 { return n.latest(n.lastMoveHere()) }

// lastMoveHere is like lastMove, for the routers and NICs of this process.
func (n *Network) lastMoveHere() (last int64) {
	for i := range n.nics.Senders.N {
		last = max(last, n.nics.Senders.At(i).LastTail)
	}
	if n.general == nil {
		for i := range n.state.Ports.N {
			last = max(last, n.state.Ports.At(i).Out)
		}
		return last
	}
	for i := range n.general.Ports.N {
		last = max(last, n.general.Ports.At(i).Free)
	}
	for i := range n.general.Links.N {
		last = max(last, n.general.Links.At(i).Free)
	}
	return last
}

// waiting reports whether a FIFO holds packets.
func (n *Network) waiting(number uint32) bool {
	if n.across != nil {
		_, ok := n.across.waits[number]
		return ok
	}
	return n.waitsHere(number)
}

// waitsHere is like waiting, for FIFOs of this process.
func (n *Network) waitsHere(number uint32) bool {
	if n.general != nil {
		return n.general.InputVCs.At(number).Packets > 0
	}
	in := n.state.VCs.At(number)
	return in.Head != in.Tail
}

// cycle follows the waits from FIFO number until it reaches some FIFO a second time. It returns the
// cycle.
func (n *Network) cycle(number uint32) []Wait {
	var path []Wait
	place := make(map[uint32]int)
	for n.waiting(number) {
		if at, seen := place[number]; seen {
			return path[at:]
		}
		place[number] = len(path)
		w, next, ok := n.waitOf(number)
		if !ok {
			return nil
		}
		path = append(path, w)
		number = next
	}
	return nil
}

// waitOf returns what the first packet of a FIFO waits for, and the FIFO whose first packet must
// move first: the one downstream, or that of the packet that holds the output. ok is false if
// nothing waits.
func (n *Network) waitOf(number uint32) (w Wait, next uint32, ok bool) {
	if n.across != nil {
		r := n.across.waits[number]
		return r.wait, r.next, r.ok
	}
	return n.waitOfHere(number)
}

// waitOfHere is like waitOf, for FIFOs of this process.
func (n *Network) waitOfHere(number uint32) (w Wait, next uint32, ok bool) {
	if n.general != nil {
		return n.waitOfGeneral(number)
	}
	l := n.layout
	port := number / l.NumVCs
	router := l.Spec.Graph.Ports[port].Router
	r := &l.Routers[router]
	b := n.blocks[n.blockOf(uint32(router))]
	index := uint32(b.fast.VCs.Head(number).Out)
	w = Wait{
		int(l.Name(uint32(router))),
		int(port - r.FirstPort),
		int(number % l.NumVCs),
		int(index / l.NumVCs),
		int(index % l.NumVCs),
	}
	out := b.fast.VCs.At(r.FirstVC + index)
	if holder := uint32(out.Owner); holder != 0 && r.Base+holder-1 != number {
		return w, r.Base + holder - 1, true
	}
	to := l.Wiring(r.FirstPort + index/l.NumVCs)
	return w, to.Down + index%l.NumVCs, to.Router >= 0
}
