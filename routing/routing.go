// Package routing decides which way packets go. A routing algorithm is a pure
// function: it may look at the packet's route header and at the place where
// the packet is, and it has no state of its own. A new algorithm is one file.
package routing

// Function is a deterministic routing algorithm bound to one network.
//
// Every message gets a 64-bit route header once, from Start; all its packets
// carry a copy. At each router Next consumes the header and yields the local
// output port, the virtual channel on that output, and the header for the next
// router. The last router's output is the port of the destination NIC.
//
// Implementations are immutable and may be called from many goroutines.
type Function interface {
	// Name is the name used in experiments, such as "dor".
	Name() string
	// Start returns the route header for packets from one global NIC number to
	// another (both on the network, not equal), and the virtual channel of the
	// buffer in which they enter their first router.
	Start(src, dst int32) (header uint64, vc uint8)
	// Next returns the local output port and the virtual channel at the router
	// for a packet with this header, and the header it carries onward.
	Next(router int32, header uint64) (port, vc uint16, next uint64)
}
