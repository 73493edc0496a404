package traffic

import (
	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/cluster"
)

// Network is a network of packets that carries synthetic traffic.
type Network interface {
	// Group returns the processes that share the run; nil if there is only one. Joint connects the
	// engine to the others.
	Group() cluster.Group
	Joint() engine.Processes
	// Share and ShareUse bring the sums, and the counters of ports and NICs, of all processes together.
	Share()
	ShareUse()
	Totals() fabric.Totals
	Progress() fabric.Totals
	Port(port int) fabric.PortUse
	Sent(nic int) fabric.PortUse
	Verify() error
	Deadlock() *fabric.Deadlock
}

// FlowNetwork is a Network whose NICs take all messages at once (Load.Concurrent), and may send
// packets again. Its Totals count only packets with payload, and their Latency is a sum over those
// delivered.
type FlowNetwork interface {
	Network
	// Goodput returns the bytes on the wire of packets with payload that a NIC has sent and received,
	// each packet once. It is up to date after ShareUse.
	Goodput(nic int) (sent, received uint64)
	// MeanHops returns the mean number of links between routers that a packet of any kind took.
	MeanHops() float64
}

// Block is a partition block of a Network.
type Block interface {
	engine.Block
	Now() int64 // simulated time reached (ps)
}
