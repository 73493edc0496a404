package routing

// Randomized is a Function whose routes depend on chance: every packet of a
// message gets a header of its own. The coin is 64 random bits, a hash of the
// experiment's seed, the source NIC and the number of the packet there, so that
// a route is a function of the experiment alone.
type Randomized interface {
	Function
	// StartPacket is Start for a single packet.
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// Adaptive is a routing algorithm that decides where the packet is, by what
// the router there knows. Implementations are immutable and may be called from
// many goroutines.
type Adaptive interface {
	// Name is the name used in experiments, such as "ugal-l".
	Name() string
	// StartPacket returns a packet's route header, and the virtual channel of the buffer
	// in which it enters its first router. The coin is as for Randomized.
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
	// Candidates appends the outputs that a packet with this header may take at the
	// router. It is called whenever the packet asks, so the answer may change while
	// the packet waits; of those that can start now the router takes the one of
	// the least cost, the first among equals. There is at least one.
	//
	// With a nil view it appends every candidate that any state of the router could
	// bring about: the check for deadlock searches these.
	Candidates(router int32, header uint64, v View, to []Candidate) []Candidate
}

// Candidate is one output that a packet may take.
type Candidate struct {
	Port, VC uint16
	// Escape marks a channel of the escape network (Duato, IEEE Trans. Parallel and
	// Distributed Systems 1993), which must be free of cycles on its own and be
	// offered wherever the packet may have to wait. An algorithm without escape
	// channels marks none, and all its channels together must be free of cycles.
	Escape bool
	Cost   int64  // the less the better; flits, or what the algorithm makes of them
	Header uint64 // at the next router
}

// View is what a router knows of its own outputs at the moment of a decision.
type View interface {
	// Queue is the number of flits that an output's virtual channel has sent and for
	// which no credit has come back yet: the known length of the queue downstream.
	Queue(port, vc uint16) int64
	// Queues makes the Queue of each candidate its Cost. It may pass over candidates that
	// cannot start now, whose cost does not matter.
	Queues(list []Candidate)
	// PortQueue is the sum of Queue over the virtual channels of a port.
	PortQueue(port uint16) int64
}
