package fabric

import (
	"fabricast/internal/offheap"
	"fabricast/topology"
)

// Observe starts an observation. Call it at most once, between two windows. What began before is
// not observed: waits that last count from their next packet on.
func (n *Network) Observe(o Observation) {
	numbers := numberingOf(n)
	for _, b := range n.Blocks() {
		b.sink = o.Sink
		if o.Interval > 0 || o.Routers != nil {
			b.observer = newObserver(b.nics, b.fast, b.general, &o, numbers)
		}
		switch {
		case b.fast != nil && b.observer != nil:
			b.fast.observe(b.observer)
		case b.fast != nil:
			b.fast.observe(nil)
		case b.observer != nil:
			b.general.observer = b.observer
		}
	}
}

// numberingOf returns the numbers by which the network's user knows ports, links and routers.
func numberingOf(n *Network) *numbering {
	g := n.layout.spec.Graph
	x := &numbering{
		routerOf: make([]int32, g.Routers),
		linkOf:   make([]int32, len(g.Ports)), portOf: make([]int32, len(g.Ports)),
	}
	for r := range x.routerOf {
		x.routerOf[r] = n.layout.name(uint32(r))
	}
	for p, port := range n.graph.Ports {
		place := n.parts.port(n.graph, g, p)
		x.portOf[place] = int32(p)
		if port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			x.linkOf[place] = x.nicLinks
			x.nicLinks++
		}
	}
	return x
}

// EndObservation reports what has not been reported yet. Call it after the last window. Packets
// that still wait for credit (in a run that was stopped) count as having waited until `end` (ps).
func (n *Network) EndObservation(end int64) {
	for _, b := range n.Blocks() {
		if b.observer != nil {
			b.observer.end(end)
		}
	}
}

// Progress returns how much has been done, as published from time to time. It may be called while
// blocks run. Only the fields for packets, delivered packets and hops are set.
func (n *Network) Progress() Totals {
	var t Totals
	for _, b := range n.blocks {
		t.Packets += b.nics.counters.packetsTold.Load()
		t.Delivered += b.nics.counters.deliveredTold.Load()
		t.Hops += b.nics.counters.hopsTold.Load()
	}
	return t
}

// forgetObservation removes what an observation has left in the records of a block's virtual channels
// and NICs, so that another one can begin, or none. What waits then is not observed.
func forgetObservation(b *Block) {
	for i := b.nics.first; i < b.nics.first+b.nics.count && b.fast != nil; i++ {
		r := b.nics.routers.at(i)
		for lane := r.lanes; lane < r.lanes+uint32(r.slots); lane++ {
			b.fast.lanes.at(lane).way &^= stalled
		}
	}
	for _, run := range b.hostRuns() {
		for i := run.nic; i < run.nic+run.nics; i++ {
			n := b.nics.send.nics.at(i)
			n.stalled, n.waited = false, 0
		}
	}
}

// Overhear takes in how far another member of the group has got, for Progress. Both are networks of
// one process.
func (n *Network) Overhear(of *Network) {
	n.across.hear(of.across.group.Rank(), of.across.tell())
}

// WindowOf returns how long windows of a network of a Spec may be (ps) while all packets are full ones.
func WindowOf(spec Spec) (int64, error) {
	var arena offheap.Arena
	defer arena.Free()
	l, err := newLayout(spec, &arena)
	if err != nil {
		return 0, err
	}
	return l.fullWindow, nil
}

// ShortestWindow returns how long windows may be (ps) whatever packets there are.
func (n *Network) ShortestWindow() int64 { return n.layout.windows[0] }
