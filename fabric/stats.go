package fabric

// Totals are sums over the network.
type Totals struct {
	Packets   uint64 // injected packets
	Delivered uint64 // packets in their destination's memory
	Hops      uint64 // router-to-router links taken by packets
	Bytes     uint64 // payload bytes in their destination's memory
	// Latency is the sum over delivered packets of the time from injection to memory (ps). It is
	// valid once all packets have been delivered.
	Latency int64
	Visits  uint64 // router activations: the engine's work
	Streams StreamCounts
	// Retried is how often links have sent a packet again (Doors.Retry), and Rerouted the number of
	// packets that an epoch of routing has led another way than Spec.Routing does.
	Retried, Rerouted uint64
	// Lost is how often links that are down have lost a packet (Doors.Timeout), and Repeated how often NICs
	// have sent one again. Packets counts those once. GivenUp is the number of packets that they do not send
	// again.
	Lost, Repeated, GivenUp uint64
	// Marked is how often Hooks.Start has changed the Meta of a packet, and Notified the number of
	// replies of hooks that were sent as packets.
	Marked, Notified uint64
	// Refused is the sum over NICs of the time (ps) from when Injector.Next first holds back the next
	// packet of a NIC whose link is free, to when it lets this packet go at such a time.
	Refused int64
}

// PortUse holds the transmit counters of a router port or NIC.
type PortUse struct {
	Packets uint64
	Bytes   uint64 // bytes sent on the wire
}

// Totals returns the sums so far. It must not be called while blocks run.
func (n *Network) Totals() Totals {
	settleStreams(n)
	var t Totals
	for _, b := range n.blocks {
		c := &b.nics.Counters
		t.Packets += c.Packets
		t.Delivered += c.Delivered
		t.Hops += c.Hops
		t.Bytes += c.Bytes
		t.Visits += c.Visits
		t.Streams.Add(c.Streams)
		t.Retried += c.Retried
		t.Rerouted += c.Rerouted
		t.Lost += c.Lost
		t.Repeated += c.Repeated
		t.GivenUp += c.GivenUp
		t.Marked += c.Marked
		t.Notified += c.Notified
		t.Refused += c.Refused
		t.Latency += c.ArriveSum - c.InjectSum
	}
	return t
}

// Balance returns how evenly the work is divided among blocks: the mean work of a block divided by
// the largest, or 1 if all are equal. Work is the number of packets injected, forwarded or
// delivered.
func (n *Network) Balance() float64 {
	var sum, largest uint64
	for _, b := range n.blocks {
		share := b.nics.Counters.Moved()
		sum += share
		largest = max(largest, share)
	}
	if largest == 0 {
		return 1
	}
	return float64(sum) / float64(largest) / float64(len(n.blocks))
}

// Port returns the transmit counters of a port, given by its global ID.
func (n *Network) Port(port int) PortUse {
	place := uint32(n.parts.port(n.graph, n.layout.Spec.Graph, port))
	if n.across != nil && n.across.use != nil &&
		!n.routerHere(uint32(n.layout.Spec.Graph.Ports[place].Router)) {
		return *n.across.use.port(place)
	}
	return n.portUse(place)
}

// portUse returns the transmit counters of a port of this process, given by its ID in the layout.
func (n *Network) portUse(port uint32) PortUse {
	settleStreams(n)
	b := n.Blocks()[0]
	sent := b.model.SentBy(port)
	return PortUse{Packets: sent.Packets, Bytes: sent.Flits * uint64(n.layout.Spec.Packet.Flit)}
}

// Sent returns the injection counters of a NIC, given by its global ID.
func (n *Network) Sent(nic int) PortUse {
	g := n.layout.Spec.Graph
	if n.across != nil && n.across.use != nil && !n.routerHere(n.layout.Hosts[nic/g.NICsPerHost]) {
		return *n.across.use.nic(uint32(nic))
	}
	return n.nicUse(uint32(nic))
}

// nicUse returns the injection counters of a NIC of this process.
func (n *Network) nicUse(nic uint32) PortUse {
	settleStreams(n)
	u := n.nics.Senders.At(nic)
	packets, flits := u.Packets, u.Flits
	if n.doors != nil {
		more := n.doors.NICs.At(nic)
		packets, flits = packets+more.Packets+more.Repeats, flits+more.Flits
	}
	return PortUse{Packets: packets, Bytes: flits * uint64(n.layout.Spec.Packet.Flit)}
}
