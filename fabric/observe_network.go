package fabric

import (
	"slices"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/probe"
	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Observe starts an observation. It must be called at most once, between two windows, by all processes that
// share the network. Packets that are already waiting are not observed; their queues are observed from the
// next packet on.
func (n *Network) Observe(o model.Observation) {
	receiveAll(n)
	endStreams(n)
	numbers := numberingOf(n)
	alike := false
	if o.Causes {
		alike = linksAlike(&n.layout.Spec)
		divide(n)
	}
	for _, b := range n.Blocks() {
		b.sink = o.Sink
		if o.Causes {
			b.nics.Divide(o.Sink, b.general != nil, alike)
		}
		if o.Hops {
			b.logHops()
		}
		if o.Interval > 0 || o.Routers != nil || o.Causes {
			b.observer = probe.New(b.nics, b.fast, b.general, &o, numbers)
		}
		switch {
		case b.fast != nil && b.observer != nil:
			b.fast.Observe(b.observer)
		case b.fast != nil:
			b.fast.Observe(nil)
		case b.observer != nil:
			b.general.Observer = b.observer
		}
	}
}

// linksAlike reports whether all links between routers have one latency.
func linksAlike(s *model.Spec) bool {
	latency := units.Time(-1)
	for i := range s.Graph.Ports {
		p := &s.Graph.Ports[i]
		if p.Peer == topology.Unconnected {
			continue
		}
		if l := s.Links[p.Link].Latency; latency >= 0 && l != latency {
			return false
		} else {
			latency = l
		}
	}
	return true
}

// logHops makes the NICs of the block report hops.
func (b *Block) logHops() {
	if b.general == nil {
		b.nics.Log(nil)
		return
	}
	b.nics.Log(b.general.Out.Flow.NicNeeds)
}

// divide makes room for the divisions of the latencies of all messages.
func divide(n *Network) {
	n.divisions = make([][]core.Division, len(n.blocks))
	for i := range n.blocks {
		list, err := offheap.Make[core.Division](&n.blocks[i].arena, min(core.MaxMessages, 1<<n.indexBits))
		if err != nil {
			panic(model.ErrMessages)
		}
		n.divisions[i] = list
	}
	for _, b := range n.Blocks() {
		b.nics.Messages.Divisions = n.divisions
	}
}

// numberingOf returns the user's numbering of ports, links and routers.
func numberingOf(n *Network) *probe.Numbering {
	g := n.layout.Spec.Graph
	x := &probe.Numbering{
		RouterOf: make([]int32, g.Routers),
		LinkOf:   slices.Repeat([]int32{-1}, len(g.Ports)), PortOf: make([]int32, len(g.Ports)),
	}
	for r := range x.RouterOf {
		x.RouterOf[r] = n.layout.Name(uint32(r))
	}
	for p, port := range n.graph.Ports {
		place := n.parts.port(n.graph, g, p)
		x.PortOf[place] = int32(p)
		if port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			x.LinkOf[place] = x.NicLinks
			x.NicLinks++
		}
	}
	return x
}

// EndObservation reports the remaining data. It must be called after the last window, by all processes that
// share the network. Packets that are still waiting for credit, in a run that was stopped, count as having
// waited until `end` (ps).
func (n *Network) EndObservation(end int64) {
	receiveAll(n)
	endStreams(n)
	for _, b := range n.Blocks() {
		if b.observer != nil {
			b.observer.End(end)
		}
	}
}

// Progress returns the counters published most recently. It may be called while blocks are running.
// Only the numbers of packets, delivered packets and hops are set.
func (n *Network) Progress() Totals {
	var t Totals
	for _, b := range n.blocks {
		t.Packets += b.nics.Counters.PublishedPackets.Load()
		t.Delivered += b.nics.Counters.PublishedDelivered.Load()
		t.Hops += b.nics.Counters.PublishedHops.Load()
	}
	return t
}

// forgetObservation removes the data of an observation from the records of a block's virtual
// channels and NICs, so that another observation can start. Packets that are waiting at this time
// are not observed.
func forgetObservation(b *Block) {
	for i := b.nics.First; i < b.nics.First+b.nics.Count && b.fast != nil; i++ {
		r := b.nics.Routers.At(i)
		for number := r.FirstVC; number < r.FirstVC+uint32(r.NumVCs); number++ {
			b.fast.VCs.At(number).Flags &^= core.Stalled
		}
	}
	for _, run := range b.hostRuns() {
		for i := run.NIC; i < run.NIC+run.NICs; i++ {
			n := b.nics.Send.NICs.At(i)
			n.Stalled, n.Waited = false, 0
		}
	}
}

// Overhear copies the progress of another member of the group, for Progress. Both are networks of
// one process.
func (n *Network) Overhear(of *Network) {
	n.across.progressOf(of.across.group.Rank(), of.across.progress())
}

// WindowOf returns the maximum window length (ps) for a network of a Spec while all packets are
// full.
func WindowOf(spec model.Spec) (int64, error) {
	var arena offheap.Arena
	defer arena.Free()
	l, err := core.NewLayout(spec, &arena)
	if err != nil {
		return 0, err
	}
	return l.FullWindow, nil
}

// ShortestWindow returns the maximum window length (ps) that is safe for packets of any size.
func (n *Network) ShortestWindow() int64 { return n.layout.Windows[0] }
