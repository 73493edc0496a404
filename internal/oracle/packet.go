package oracle

import (
	"fabricast/fabric"
	"fabricast/routing"
)

// message is a message in flight with its state.
type message struct {
	fabric.Message
	extra    fabric.Extra
	id       fabric.MsgID
	header   uint64 // route header of its packets, unless each has its own
	entry    int    // and the virtual channel of injection
	gap      int64  // pause of the NIC after each packet, in packet times
	left     int64  // payload bytes not yet in the destination's memory
	cut      int64  // packets made so far
	cutBytes int64  // payload bytes in these packets
	turn     int64  // place in its NIC's order of turns; 0 = none
	moved    int64  // packets moved to the destination's memory
	posted   bool   // passed to its NIC
	done     bool   // delivered; the endpoint owns it
}

// packet is one packet, wherever it is. At each router it is a new copy.
type packet struct {
	msg      *message
	index    int64 // within the message
	last     bool
	payload  int64 // bytes
	wire     int64 // bytes
	fetched  int64 // ps: when the sending NIC has it
	injected int64 // ps: when its injection starts
	entry    int   // VC of the first router's input buffer

	meta    uint64 // see fabric.Doors
	value   uint64 // of a reply
	control bool   // it is a reply
	epoch   int    // of its routing

	// At the router it is in or on the way to.
	header  uint64 // route header to carry onward
	inPort  int    // local port and VC of the input buffer
	inVC    int
	outPort int // local port and VC it asks for
	outVC   int
	ready   int64 // ps: head arrival + routing and allocation
	came    int64 // ps: ready; in an output buffer, when the head comes there
	ask     int64 // ps: valid for the first packet of a FIFO
	// ps: with separate allocation, time of its first request of the present kind; -1 = none
	since   int64
	span    int64               // ps from head to tail
	started bool                // on its way out
	owns    bool                // has its output VC, with separate allocation
	answer  []routing.Candidate // latest answer of adaptive routing; nil = not asked yet
	tail    int64               // ps: in an output buffer, when the tail comes there
}
