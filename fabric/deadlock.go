package fabric

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
)

// Deadlock is a state of the network in which packets wait for one another in a cycle.
type Deadlock struct {
	Since   int64  // ps: when the last packet that moved had left where it was
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
	fmt.Fprintf(&s, "%s packets in the network cannot move", humanize.Count(int64(d.Packets)))
	for _, w := range d.Cycle {
		fmt.Fprintf(
			&s, "\n  router %d, input port %d, VC %d waits for output port %d, VC %d", w.Router,
			w.Port, w.VC, w.OutPort, w.OutVC,
		)
	}
	return s.String()
}

// Deadlock searches for a cycle of waits among packets that did not arrive. Call it when no event
// is left. It returns nil if the network is empty.
func (n *Network) Deadlock() *Deadlock {
	n.Share()
	t := n.Totals()
	if t.Packets == t.Delivered {
		return nil
	}
	n.shareWaits()
	d := &Deadlock{Since: n.lastMove(), Packets: t.Packets - t.Delivered}
	// ports in the user's numbering: the cycle found is the same for any number of blocks
	for port := range n.graph.Ports {
		first := uint32(n.parts.port(n.graph, n.layout.spec.Graph, port)) * n.layout.vcs
		for v := range n.layout.vcs {
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

// lastMove returns when the tail of the packet that moved last left a NIC or a router (ps).
func (n *Network) lastMove() int64 { return n.latest(n.lastMoveHere()) }

// lastMoveHere does what lastMove does for what this process simulates.
func (n *Network) lastMoveHere() (last int64) {
	for i := range n.nics.nics.n {
		last = max(last, n.nics.nics.at(i).lastTail)
	}
	if n.general == nil {
		for i := range n.state.ports.n {
			last = max(last, n.state.ports.at(i).out)
		}
		return last
	}
	for i := range n.general.ports.n {
		last = max(last, n.general.ports.at(i).free)
	}
	for i := range n.general.links.n {
		last = max(last, n.general.links.at(i).free)
	}
	return last
}

// waiting reports whether a FIFO holds packets.
func (n *Network) waiting(lane uint32) bool {
	if n.across != nil {
		_, ok := n.across.waits[lane]
		return ok
	}
	return n.waitsHere(lane)
}

// waitsHere does what waiting does for FIFOs of this process.
func (n *Network) waitsHere(lane uint32) bool {
	if n.general != nil {
		return n.general.inlets.at(lane).packets > 0
	}
	in := n.state.lanes.at(lane)
	return in.head != in.tail
}

// cycle follows the waits from one FIFO until it reaches a FIFO a second time.
func (n *Network) cycle(lane uint32) []Wait {
	var path []Wait
	place := make(map[uint32]int)
	for n.waiting(lane) {
		if at, seen := place[lane]; seen {
			return path[at:]
		}
		place[lane] = len(path)
		w, next, ok := n.waitOf(lane)
		if !ok {
			return nil
		}
		path = append(path, w)
		lane = next
	}
	return nil
}

// waitOf returns what the first packet of a FIFO waits for, and the FIFO whose first packet must
// move before: the one downstream, or that of the packet that holds the output. ok is false if
// nothing waits.
func (n *Network) waitOf(lane uint32) (w Wait, next uint32, ok bool) {
	if n.across != nil {
		r := n.across.waits[lane]
		return r.wait, r.next, r.ok
	}
	return n.waitOfHere(lane)
}

// waitOfHere does what waitOf does for FIFOs of this process.
func (n *Network) waitOfHere(lane uint32) (w Wait, next uint32, ok bool) {
	if n.general != nil {
		return n.waitOfGeneral(lane)
	}
	l := n.layout
	port := lane / l.vcs
	router := l.spec.Graph.Ports[port].Router
	r := &l.routers[router]
	b := n.blocks[n.blockOf(uint32(router))]
	slot := uint32(b.fast.lanes.head(lane).out)
	w = Wait{
		int(l.name(uint32(router))),
		int(port - r.ports),
		int(lane % l.vcs),
		int(slot / l.vcs),
		int(slot % l.vcs),
	}
	out := b.fast.lanes.at(r.lanes + slot)
	if holder := uint32(out.holder); holder != 0 && r.base+holder-1 != lane {
		return w, r.base + holder - 1, true
	}
	to := l.wiring(r.ports + slot/l.vcs)
	return w, to.down + slot%l.vcs, to.router >= 0
}
