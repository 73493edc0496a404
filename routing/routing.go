// Package routing decides which routes packets take. A routing algorithm is a pure function: its
// result depends on the packet's route header and on the router where the packet is, and it has no
// state of its own. A new algorithm is one file.
package routing

// Algorithm is a routing algorithm for one network: a Function, a Randomized or an Adaptive. It may
// implement further interfaces: Outliner, Alike, Informed. A caller checks for those it needs, and
// must refuse an Algorithm that is none of the first three
// (docs/decisions/2026-11-22-algorithms.md).
type Algorithm interface {
	// Name returns the name used in experiments, such as "dor".
	Name() string
}

// FirstHop is a Function that finds the beginning of a route in one call: the results of Start, and
// those of Next for that header at the router of the sending NIC.
type FirstHop interface {
	Function
	FirstHop(src, dst int32) (port, vc uint16, next uint64, entry uint8)
}

// Counting is a Function whose headers tell how many links between routers are left.
type Counting interface {
	Function
	Left(header uint64) int
}

// Function is a deterministic routing algorithm for one network.
//
// Start returns a 64-bit route header for each message; all packets of the message carry a copy. At
// each router Next takes the header and returns the local output port, the virtual channel on that
// output, and the header for the next router. The output at the last router is the port of the
// destination NIC.
//
// Implementations are immutable and may be called from many goroutines.
type Function interface {
	Algorithm
	// Start returns the route header for packets from one global NIC number to
	// another or to the same (hosts may send to themselves), and the virtual channel
	// of the buffer in which they enter their first router.
	Start(src, dst int32) (header uint64, vc uint8)
	// Next returns the local output port and the virtual channel at the router
	// for a packet with this header, and the header it carries onward.
	Next(router int32, header uint64) (port, vc uint16, next uint64)
}
