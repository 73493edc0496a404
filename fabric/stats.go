package fabric

// Totals are sums over the network.
type Totals struct {
	Packets   uint64 // injected
	Delivered uint64 // packets in their destination's memory
	Hops      uint64 // router-to-router links taken by packets
	Bytes     uint64 // payload bytes in their destination's memory
	// ps, summed over delivered packets from injection to memory; valid once all are delivered
	Latency int64
	Visits  uint64 // router visits: the engine's work
}

// PortUse is what a router's port has sent.
type PortUse struct {
	Packets uint64
	Bytes   uint64 // on the wire
}

// Totals returns the sums so far. It must not be called while blocks run.
func (n *Network) Totals() Totals {
	var t Totals
	for _, b := range n.blocks {
		c := &b.nics.counters
		t.Packets += c.packets
		t.Delivered += c.delivered
		t.Hops += c.hops
		t.Bytes += c.bytes
		t.Visits += c.visits
		t.Latency += c.arriveSum - c.injectSum
	}
	return t
}

// Balance returns how evenly the work is divided among blocks: the mean of their shares divided by
// the largest, 1 if all are equal. Work is the number of packets injected, passed on or delivered.
func (n *Network) Balance() float64 {
	var sum, largest uint64
	for _, b := range n.blocks {
		share := b.nics.counters.moved()
		sum += share
		largest = max(largest, share)
	}
	if largest == 0 {
		return 1
	}
	return float64(sum) / float64(largest) / float64(len(n.blocks))
}

// Port returns what a port, given by its global number, has sent.
func (n *Network) Port(port int) PortUse {
	place := uint32(n.parts.port(n.graph, n.layout.spec.Graph, port))
	if n.across != nil && n.across.use != nil &&
		!n.routerHere(uint32(n.layout.spec.Graph.Ports[place].Router)) {
		return *n.across.use.port(place)
	}
	return n.portUse(place)
}

// portUse returns what a port of this process has sent, by its number in the layout.
func (n *Network) portUse(port uint32) PortUse {
	b := n.Blocks()[0]
	sent := b.model.sentBy(port)
	return PortUse{Packets: sent.packets, Bytes: sent.flits * uint64(n.layout.spec.Packet.Flit)}
}

// NIC returns what a NIC, given by its global number, has injected.
func (n *Network) NIC(nic int) PortUse {
	g := n.layout.spec.Graph
	if n.across != nil && n.across.use != nil && !n.routerHere(n.layout.hosts[nic/g.NICsPerHost]) {
		return *n.across.use.nic(uint32(nic))
	}
	return n.nicUse(uint32(nic))
}

// nicUse returns what a NIC of this process has injected.
func (n *Network) nicUse(nic uint32) PortUse {
	u := n.nics.nics.at(nic)
	return PortUse{Packets: u.packets, Bytes: u.flits * uint64(n.layout.spec.Packet.Flit)}
}
