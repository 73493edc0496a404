package ethernet

import (
	"fabricast/engine"
	"fabricast/internal/cluster"
)

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

// ShareUse brings what Goodput returns up to date.
func (n *Network) ShareUse() {
	if n.goodput == nil {
		n.goodput = make([]goodput, len(n.nics))
	}
	clear(n.goodput)
	for _, b := range n.blocks {
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

// Share does nothing: a run has one process.
func (n *Network) Share() {}

// Group returns nil: a run has one process.
func (n *Network) Group() cluster.Group { return nil }

// Joint returns nil: a run has one process.
func (n *Network) Joint() engine.Processes { return nil }
