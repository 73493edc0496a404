package routing

import (
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
)

// Randomized is a Function whose routes depend on chance: every packet of a message gets a route
// header of its own. The coin is 64 random bits, a hash of the experiment's seed, the source NIC
// and the packet's number at that NIC. So routes are the same in every run of the same experiment.
type Randomized interface {
	Function
	// StartPacket is Start for a single packet.
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// Coin returns the 64 random-looking bits by which a packet's random choices are made. They depend
// only on the seed, the source NIC and the packet's number at that NIC (from 0, over all its
// messages).
func Coin(seed uint64, nic int32, packet uint64) uint64 {
	return headers.Mix(headers.Mix(headers.Mix(seed)^uint64(nic)) ^ packet)
}

// Adaptive is a routing algorithm that chooses a packet's output at each router, by the queues that
// this router knows. Implementations are immutable and may be called from many goroutines.
type Adaptive interface {
	Algorithm
	// StartPacket returns a packet's route header, and the virtual channel of the buffer in which
	// it enters its first router. The coin is as for Randomized.
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
	// Candidates appends the outputs that a packet with this header may take at the router; there
	// is at least one. The fabric calls it whenever it tries to forward the packet, so the answer
	// may change while the packet waits. Of the candidates on which the packet can start now, the
	// router takes the one of least cost, the first among equals.
	//
	// With a nil view it appends every candidate that any state of the queues could bring about;
	// the check for deadlock uses that.
	Candidates(router int32, header uint64, v View, to []Candidate) []Candidate
}

// Candidate is one output that a packet may take at a router: Port and VC; Escape, whether the channel
// is one of the escape network; Cost, the less the better; and Header, the header at the next router.
type Candidate = legs.Candidate

// View gives the queue lengths that a router knows of its own outputs at the moment of a decision,
// in flits.
type View interface {
	// Queue returns how many flits an output's virtual channel has sent for which no credit has
	// come back yet: the known length of the downstream queue.
	Queue(port, vc uint16) int64
	// Queues sets the Cost of each candidate to its Queue. It may leave out candidates on which no
	// packet can start now, since their cost does not matter.
	Queues(list []Candidate)
	// PortQueue returns the sum of Queue over the virtual channels of a port.
	PortQueue(port uint16) int64
}
