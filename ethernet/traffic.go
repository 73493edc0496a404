package ethernet

// This file implements traffic.FlowNetwork.

// goodput is what a NIC has sent and received in packets with payload, each packet once (bytes on
// the wire).
type goodput struct{ sent, received uint64 }

// Goodput returns the bytes on the wire of packets with payload that a NIC had sent and received at the
// last call of ShareUse, each packet once.
func (n *Network) Goodput(nic int) (sent, received uint64) {
	g := &n.goodput[nic]
	return g.sent, g.received
}

// countGoodput brings what Goodput returns up to date, for the NICs of this process.
func (n *Network) countGoodput() {
	if n.goodput == nil {
		n.goodput = make([]goodput, len(n.nics))
	}
	clear(n.goodput)
	for _, b := range n.Blocks() {
		for _, f := range b.senders {
			n.goodput[f.nic].sent += uint64(f.payload + int64(f.next)*n.Packet.Header)
		}
		for _, r := range b.receivers {
			n.goodput[r.nic].received += r.received
		}
	}
}

// MeanHops returns the mean number of links between switches that a packet of any kind took.
func (n *Network) MeanHops() float64 {
	c := n.Counts()
	packets := c.Packets + c.Acks + c.Nacks + c.Grants + c.Requests + c.Notifications
	return float64(c.Hops) / float64(max(packets, 1))
}
