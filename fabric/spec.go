package fabric

import (
	"fabricast/routing"
	"fabricast/topology"
)

// Arbiter chooses among packets that ask for the same output.
type Arbiter uint8

const (
	// FCFS grants in the order of asking, ties by input (port, VC).
	FCFS Arbiter = iota
	// RoundRobin grants the input that comes next after the last one granted at that output.
	RoundRobin
	// Matrix grants the input that was granted least recently at that output.
	Matrix
	// Age grants the packet whose message was posted first.
	Age
	// Priority grants the packet whose message is of the greatest class.
	Priority
)

// Queues is how the packets of an input buffer wait.
type Queues uint8

const (
	// InputQueues: in one FIFO for each virtual channel, whose first packet alone may leave.
	InputQueues Queues = iota
	// VirtualOutputQueues: in one FIFO for each virtual channel and output channel.
	VirtualOutputQueues
)

// Link is a class of links. All links of a class are alike in both directions.
type Link struct {
	Bandwidth int64 // bytes/s, one way
	Latency   int64 // ps, one way, of the cable
}

// Router holds the parameters all routers share. Delays are in ps.
type Router struct {
	Routing          int64 // RC: routing computation
	VCAllocation     int64 // VA
	SwitchAllocation int64 // SA
	SwitchTraversal  int64 // ST: first flit through the crossbar
	Latency          int64 // further fixed latency between crossbar and link
	Bandwidth        int64 // bytes/s of one crossbar port
	VCs              int   // virtual channels a port
	Buffer           int64 // bytes of each virtual channel's input buffer
	Queues           Queues
	OutputBuffer     int64 // bytes of each virtual channel's output buffer; 0 = none, crossbar and link work as one
	Arbiter          Arbiter
}

// Packet holds the sizes of packets, in bytes.
type Packet struct {
	MTU    int64 // largest packet on the wire, header included
	Header int64
	Flit   int64 // a packet occupies whole flits, at least one
}

// Payload is the most payload bytes one packet carries.
func (p Packet) Payload() int64 { return p.MTU - p.Header }

// Wire is the size on the wire of a packet with the given payload bytes:
// header and payload, rounded up to whole flits, at least one flit.
func (p Packet) Wire(payload int64) int64 {
	flits := (p.Header + payload + p.Flit - 1) / p.Flit
	return max(flits, 1) * p.Flit
}

// Count is the number of packets of a message; a message of no bytes is one packet.
func (p Packet) Count(size int64) int64 {
	return max(1, (size+p.Payload()-1)/p.Payload())
}

// IOBus is what the packets of all NICs of a host share on their way between memory and
// NIC, in each direction. The zero value is none.
type IOBus struct {
	Bandwidth int64 // bytes/s, each way; 0 = there is no bus
	Latency   int64 // ps, each way; it occupies nothing
}

// Spec is everything about the network that does not change during a run.
type Spec struct {
	Graph    *topology.Graph
	Routing  routing.Function // either this
	Adaptive routing.Adaptive // or that
	Links    []Link           // by the Link field of the graph's ports
	Router   Router
	Packet   Packet
	DMA      int64  // bytes/s between a host's memory and each of its NICs, in each direction
	IOBus    IOBus  // between a host's memory and all of its NICs
	Seed     uint64 // of randomized and adaptive routing
}
