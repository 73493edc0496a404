package model

// Stage says what a packet does in a Hop.
type Stage uint8

// The stages, in the order in which a packet passes them.
const (
	Injected Stage = iota // it leaves its NIC for the first router's input buffer
	Crossed               // it leaves an input buffer through the crossbar
	Linked                // it leaves an output buffer on the link
	Received              // it leaves the receiving NIC's buffer for memory; the message, in package ethernet

	// The rest is of package ethernet.
	Resumed  // what sends to a port is let go on after a pause
	Withheld // a flow has had something to send, and has not been allowed to
	Lost     // a packet was dropped or cut, or is of no use to its receiver
	Filled   // what a queue held when a packet was lost
	Failed   // a link has gone down, or is up again
)

// Reason says why a flow is Withheld, a packet Lost, or a link has Failed.
type Reason uint8

// The reasons.
const (
	NoReason  Reason = iota
	ByWindow         // the window is full
	ByCredit         // the receiver has granted no credit
	ByRate           // the rate does not allow the next packet yet
	Overflow         // it did not fit, or one that came later has its place in the queue
	Damaged          // by bit errors on a link
	Discarded        // the receiver takes packets in order only, and one before it is missing
	LinkDown         // its link is down
	LinkUp           // it is up again
)

// Hop describes how one packet has left one buffer: what it has waited for, and which buffer it enters.
// Ports and NICs are in the user's numbering, and times in ps.
type Hop struct {
	Message             int64 // see MessageNumber
	Source, Destination int32 // NIC IDs
	SourceRank          int32
	Stage               Stage
	Last                bool  // it is the last packet of its message
	Port, VC            int32 // input buffer that it leaves (Crossed), or NIC, and VC (Received); else -1
	// port (or, if Injected, NIC) and VC through which it leaves; -1 if Received
	OutPort, OutVC int32
	Flits, Needs   int32 // size of the packet, and space that the next buffer had to have (flits)
	Ready          int64 // from when on it was in the buffer and might have left
	// when it made its first request; for a NIC, when it lacked nothing but space in the first router
	Asked        int64
	Start, Leave int64 // when it starts to leave, and when that is over and the next packet may start
	// Injected: for how long, from Ready on, other packets had the NIC or its bus (ps)
	Queue int64

	// Of package ethernet, where packets also have flows; see its file trails.go.
	Flow, Packet, Times int32
	Reason              Reason
}
