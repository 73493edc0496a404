package fabric

// Totals are sums over the network.
type Totals struct {
	Packets   uint64 // injected
	Delivered uint64 // packets in their destination's memory
	Hops      uint64 // router-to-router links taken by packets
	Bytes     uint64 // payload bytes in their destination's memory
	Latency   int64  // ps, summed over delivered packets from injection to memory; valid once all are delivered
	Visits    uint64 // router visits: the engine's work
}

// PortUse is what went out of a router's port.
type PortUse struct {
	Packets uint64
	Bytes   uint64 // on the wire
}

// Totals returns the sums so far; not while blocks run.
func (n *Network) Totals() Totals {
	var t Totals
	for _, b := range n.blocks {
		c := &b.counters
		t.Packets += c.packets
		t.Delivered += c.delivered
		t.Hops += c.hops
		t.Bytes += c.bytes
		t.Visits += c.visits
		t.Latency += c.arriveSum - c.injectSum
	}
	return t
}

// Balance is how even the shares of the blocks have been, measured in packets that were
// injected, passed on or delivered: their mean as a part of the largest, 1 if all are equal.
func (n *Network) Balance() float64 {
	var sum, largest uint64
	for _, b := range n.blocks {
		share := b.counters.packets + b.counters.hops + b.counters.delivered
		sum += share
		largest = max(largest, share)
	}
	if largest == 0 {
		return 1
	}
	return float64(sum) / float64(largest) / float64(len(n.blocks))
}

// Port returns what has gone out of a port, by its global number.
func (n *Network) Port(port int) PortUse {
	sent := n.blocks[0].portCount(uint32(n.parts.port(n.graph, n.layout.spec.Graph, port)))
	return PortUse{Packets: sent.packets, Bytes: sent.flits * uint64(n.layout.spec.Packet.Flit)}
}

// portCount is what has gone out of a port of any block, by its number in the layout.
func (b *Block) portCount(port uint32) linkCount {
	if b.general != nil {
		c := b.general.ports.at(port)
		return linkCount{c.flits, c.packets}
	}
	more := b.more.at(port)
	total := linkCount{more.flits, more.packets}
	for v := range b.vcs {
		sent := b.lanes.at(port*b.vcs + v).sent
		total.add(linkCount{sent & (1<<sentPackets - 1), sent >> sentPackets})
	}
	return total
}

// NIC returns what a NIC has injected, by its global number.
func (n *Network) NIC(nic int) PortUse {
	u := n.state.nics.at(uint32(nic))
	return PortUse{Packets: u.packets, Bytes: u.flits * uint64(n.layout.spec.Packet.Flit)}
}
