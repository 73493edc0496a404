package ethernet

import (
	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Spec holds the parameters of a network. They are constant during a run.
type Spec struct {
	Graph *topology.Graph
	// BitErrors is the rate of bit errors (2^-64 a bit) in the direction out of each port; nil: none. A
	// packet that is damaged is lost.
	BitErrors []uint64
	Links     []fabric.Link // by the Link field of the graph's ports
	Switch    Switch
	Packet    Packet
	NIC       NIC
	Seed      uint64   // of all that is drawn
	Changes   []Change // of links, in order of time; several of an instant are made in their order
	Epochs    []Epoch  // in order of time
	// Cut returns the block of each router, as that of fabric.Spec.
	Cut func(blocks int) []int32 `json:"-"`
}

// Packet holds the sizes of packets, in bytes on the wire.
type Packet struct {
	MTU    int64 // largest packet, header included
	Header int64 // header of a packet, and the size of one that has been cut
	// Control is the size of acknowledgements and other packets without payload.
	Control int64
}

// Payload returns the payload of a full packet (bytes).
func (p Packet) Payload() int64 { return p.MTU - p.Header }

// Count returns the number of packets of a message of `size` bytes. An empty message takes one.
func (p Packet) Count(size int64) int64 { return max(1, (size+p.Payload()-1)/p.Payload()) }

// Switch holds what all switches share.
type Switch struct {
	Latency int64 // from the arrival of a packet's tail until it is queued (ps)
	// Queue is how many bytes of packets with payload a port holds, that under way included. 0: as
	// many as the shared buffer admits; without one, the bandwidth-delay product of the longest way if
	// packets are cut, and five times that otherwise.
	Queue int64
	// Headers is how many bytes of packets without payload a port holds; 0: any number if switches
	// pause, otherwise twice the Queue, or what is derived for that.
	Headers int64
	// HeadersInRow is how many packets without payload a port sends in a row while others wait.
	// Without a limit, an incast whose packets are cut can fill its last link with headers for ever.
	HeadersInRow uint32
	// Scaled: Queue, Headers, and the thresholds of ECN and of Classes are those of a port whose link
	// is as fast as that of the first NIC. A port with a slower link has its share, at least an MTU.
	Scaled bool
	// Trims: a packet that does not fit is cut to its header instead of being dropped.
	Trims  bool
	ECN    ECN
	Shared *Shared // nil: a port's queues share nothing with others
	// Classes are those of messages, by Message.Class, at most MostClasses; a message of a greater
	// class is of the last. None: all messages are of one.
	Classes []Class
}

// ECN is the marking of packets with payload (explicit congestion notification). A queue of up to
// Min bytes marks nothing, one of more than Max bytes marks everything, and in between the
// probability rises from 0 to Most. Min and Max 0: 0.2 and 0.8 of the bandwidth-delay product of the
// longest way.
type ECN struct {
	On       bool
	Min, Max int64 // bytes
	Most     float64
	// Dequeue: a packet is marked when it leaves, by what it leaves behind in its queue. Otherwise
	// it is marked when it is queued, by what is there with it.
	Dequeue bool
	// LastHop: ports to NICs mark, too.
	LastHop bool
}

// Shared is a buffer that all ports of a switch share (dynamic thresholds of Choudhury and Hahne,
// IEEE/ACM ToN 1998, with the accounting by ingress port of the HPCC repository's switch).
type Shared struct {
	Size    int64 // bytes
	Reserve int64 // bytes that each ingress port has for itself
	// Alpha sets the threshold of a port: a share of what is free of the shared part.
	Alpha units.Fraction
	// Pauses: an ingress port above its threshold pauses its sender (priority flow control), and
	// what is under way goes into its headroom. Otherwise packets above the threshold do not fit.
	Pauses bool
	// Headroom is that of each port to another switch or a NIC (bytes); 0: what can still come in
	// after a pause, by the rate and latency of the port's link.
	Headroom int64
	// Resume is by how much (bytes) a paused port must be below its threshold to resume its sender.
	Resume int64
}

// Retransmission says how a flow recovers lost packets.
type Retransmission uint8

const (
	// Selective: the receiver takes packets in any order, and exactly what is missing is sent again.
	Selective Retransmission = iota
	// GoBackN: the receiver takes packets in order only, and asks for the first that is missing and
	// all that follow.
	GoBackN
)

// NIC holds what all NICs share.
type NIC struct {
	Control        control.Algorithm
	Paths          paths.Chooser
	Retransmission Retransmission
	// Timeout is how long (ps) a packet may be without acknowledgement before it is sent again. 0:
	// 15 us and six times a full queue of the NIC's link. Negative: for ever. Then
	// each packet is acknowledged, and must not be lost.
	Timeout int64
	// AckEvery is the number of bytes on the wire after which a receiver acknowledges, if nothing
	// else makes it do so.
	AckEvery int64
	// NackEvery is the least time (ps) between two requests of a receiver to go back to the same
	// packet.
	NackEvery int64
	// QueuePairs is the number of flows between two NICs, among which messages alternate.
	QueuePairs int
	// Credit says how receivers grant credit, if the control asks for it.
	Credit Credit
	// DataRatio: of so many packets that a NIC sends while both kinds wait, one has payload. 0: none.
	DataRatio int
}

// Credit is how receivers pace the senders of an incast (UET's receiver-credit congestion control).
type Credit struct {
	Quantum int64   // bytes of a unit of credit
	Grant   int64   // bytes granted at once
	Share   float64 // of the rate of the receiver's link
	// Initial is what a flow may send before it is granted anything, and the most that it may have
	// (bytes); 0: 1.5 bandwidth-delay products of its way.
	Initial int64
}

// bandwidth returns the rate of the link of a port or NIC.
func (s *Spec) bandwidth(link uint16) units.Rate { return s.Links[link].Bandwidth }
