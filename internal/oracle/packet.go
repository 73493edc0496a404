package oracle

import (
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/routing"
)

// message is a message in flight with its state.
type message struct {
	fabric.Message
	extra    fabric.Extra
	id       fabric.MsgID
	header   uint64 // route header of its packets, unless each has its own
	entry    int    // virtual channel through which its packets are injected
	gap      int64  // pause of the NIC after each packet, in packet times
	left     int64  // payload bytes not yet in the destination's memory
	cut      int64  // number of packets created so far
	cutBytes int64  // payload bytes of these packets
	turn     int64  // position in its NIC's order of turns; 0: none
	moved    int64  // number of packets moved to the destination's memory
	posted   bool   // it has been passed to its NIC
	done     bool   // it has been delivered, and belongs to the endpoint again

	parts causes.Parts // its latency by cause, so far, without waits at routers
	// its waits at routers, as they are divided when its last packet makes requests, and when it starts
	atRequests, atStarts causes.Parts

	reached int64 // when the pause after its latest packet ended (ps)
	lastIn  int64 // when its last packet was in memory (ps)
}

// packet is a packet. There is a separate copy for each router it passes.
type packet struct {
	msg      *message
	index    int64 // index of the packet within its message
	last     bool
	payload  int64 // payload in bytes
	wire     int64 // size on the wire in bytes
	fetched  int64 // when the sending NIC has fetched it (ps)
	refused  int64 // when the injector has first held it back (ps); -1: it has not
	injected int64 // when its injection starts (ps)
	entry    int   // VC of the first router's input buffer

	meta    uint64 // data for doors, see fabric.Start.Meta
	value   uint64 // value of a reply of hooks
	control bool   // it is a reply of hooks
	epoch   int    // index of the epoch by whose routing it travels
	coin    uint64 // its random number, with routing by packet
	turn    uint64 // number of the packet among those of its NIC, or of its replies
	losses  int    // how often links have lost it in a row
	vain    int    // how often they have after the last change of links and routing
	renewed bool   // adaptive routing sends it another way than without epochs

	// At the router that it is in or on the way to:
	header  uint64 // route header at that router
	inPort  int    // local port and VC of the input buffer
	inVC    int
	outPort int // local port and VC of the requested output
	outVC   int
	ready   int64 // head arrival plus routing and allocation delays (ps)
	came    int64 // same as ready; in an output buffer, arrival of the head (ps)
	ask     int64 // time of its next request (ps); valid for the first packet of a FIFO
	// with separate allocation, time of its first request for the current resource (ps); -1: none
	since   int64
	vcAsked int64               // with separate allocation, time of its first request for a VC (ps)
	span    int64               // time from the arrival of its head to that of its tail (ps)
	wait    waiting             // how its wait is divided
	started bool                // it is leaving its buffer
	owns    bool                // with separate allocation: it owns its output VC
	answer  []routing.Candidate // latest answer of adaptive routing; nil: not called yet
	tail    int64               // in an output buffer: when its tail arrives there (ps)
}
