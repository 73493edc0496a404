package control

import "fabricast/internal/units"

// Forever is a time (ps) later than every event.
const Forever int64 = 1<<63 - 1

// Path is what is known of the way of a flow before its first packet. It does not change.
type Path struct {
	// Rate is the rate of the sender's link (bytes/s).
	Rate units.Rate
	// RTT is the base round trip (ps): of a full packet to the receiver and its acknowledgement
	// back, through an idle network.
	RTT int64
	// NetworkRTT is the longest RTT of all pairs of NICs (ps).
	NetworkRTT int64
	// Hops is the number of links from NIC to NIC.
	Hops int
	// MTU is the size of a full packet on the wire, Header that of its header, in bytes.
	MTU, Header int64
	// Queue is the size of a switch's queue (bytes).
	Queue int64
	// Trims reports whether switches cut packets that do not fit instead of dropping them.
	Trims bool
}

// BDP returns the bandwidth-delay product (bytes, rounded down): what the sender's link carries in
// a base round trip.
func (p *Path) BDP() int64 { return bytesIn(p.Rate, p.RTT) }

// Payload returns the payload of a full packet (bytes).
func (p *Path) Payload() int64 { return p.MTU - p.Header }

// bytesIn returns how many bytes leave at a rate in a time (ps), rounded down.
func bytesIn(r units.Rate, time int64) int64 { return units.MulDiv(int64(r), time, 1e12) }

// Now is the state of a flow when something happens to it.
type Now struct {
	At int64 // simulated time (ps)
	// Flying is the number of bytes on the wire, headers included, that have left and of which it
	// is not known whether they arrived, after what is reported.
	Flying int64
	// Next is the number of payload bytes of the flow that have been sent at least once.
	Next int64
}

// Ack reports that packets have arrived.
type Ack struct {
	Now
	Sent  int64 // when the packet left that caused the acknowledgement (ps); negative: not known
	Bytes int64 // on the wire, headers included: of packets that it acknowledges for the first time
	Upto  int64 // payload bytes from the begin of the flow that have all arrived
	ECN   bool  // whether the packet that caused the acknowledgement had been marked
	Hops  []Hop // of that packet, in the order of its way, if the algorithm Measures
}

// Hop is what a switch writes into a packet that starts on an output port (in-band network
// telemetry).
type Hop struct {
	Port  int64      // a number that no other output port of the network has
	At    int64      // ps
	Queue int64      // bytes left behind in the port's queue
	Bytes uint64     // bytes that the port has sent so far
	Rate  units.Rate // of the port (bytes/s)
}

// Nack reports that a packet was cut on its way, or missing in a sequence, and is to be sent again.
type Nack struct {
	Now
	Sent  int64 // when the packet left (ps); negative: not known
	Bytes int64 // on the wire, of the packet
	ECN   bool
	Last  bool // whether it was cut by the last switch of its way, before the receiver
}

// Limits are what an algorithm allows a flow.
type Limits struct {
	Window int64   // bytes on the wire that may be under way; Unlimited
	Rate   float64 // bytes/s at which packets leave; 0: that of the link
}

// Unlimited is a window that limits nothing.
const Unlimited int64 = 1 << 62

// Algorithm controls the congestion that flows cause. It is immutable. The state of a flow is in
// words of state (State) that begin as zeros.
type Algorithm interface {
	// Words returns the number of words of state of a flow.
	Words() int
	// Start prepares the state of a flow before its first packet.
	Start(s []uint64, p *Path)
	// Limits returns what the flow may do now.
	Limits(s []uint64, p *Path) Limits
	// Sent records that a packet of so many bytes on the wire leaves.
	Sent(s []uint64, p *Path, n *Now, bytes int64)
	Ack(s []uint64, p *Path, a *Ack)
	Nack(s []uint64, p *Path, n *Nack)
	// Lost records that packets of so many bytes on the wire are believed lost, because their
	// timer has expired.
	Lost(s []uint64, p *Path, n *Now, bytes int64)
	// Notified records a congestion notification packet of the receiver.
	Notified(s []uint64, p *Path, n *Now)
	// Due returns when Timer is to be called (ps); Forever if not. It is asked after every other
	// call.
	Due(s []uint64) int64
	// Timer is called at the time that Due has returned.
	Timer(s []uint64, p *Path, n *Now)
}

// Needs are what an algorithm requires of switches and receivers.
type Needs struct {
	// Notify is the least time (ps) between two congestion notification packets that a receiver
	// sends for a flow whose packets are marked; 0: it sends none.
	Notify int64
	// Measures reports whether switches write a Hop into packets.
	Measures bool
	// Marks reports whether the algorithm does nothing without marks (ECN).
	Marks bool
	// Credit reports whether the receiver grants what the sender may send (RCCC).
	Credit bool
}

// Requirer is an Algorithm that needs more than acknowledgements with marks.
type Requirer interface {
	Needs() Needs
}

// Quiet has the methods of Algorithm that many algorithms leave empty.
type Quiet struct{}

// Sent implements Algorithm.
func (Quiet) Sent([]uint64, *Path, *Now, int64) {}

// Nack implements Algorithm.
func (Quiet) Nack([]uint64, *Path, *Nack) {}

// Lost implements Algorithm.
func (Quiet) Lost([]uint64, *Path, *Now, int64) {}

// Notified implements Algorithm.
func (Quiet) Notified([]uint64, *Path, *Now) {}

// Due implements Algorithm.
func (Quiet) Due([]uint64) int64 { return Forever }

// Timer implements Algorithm.
func (Quiet) Timer([]uint64, *Path, *Now) {}
