package oracle

import (
	"fabricast/fabric"
	"fabricast/routing"
)

// message is a message in flight and what the oracle knows of it.
type message struct {
	fabric.Message
	extra    fabric.Extra
	id       fabric.MsgID
	header   uint64 // route header of its packets, unless each has its own
	entry    int    // and the virtual channel of injection
	gap      int64  // packet times that the NIC pauses after each of its packets
	left     int64  // payload bytes not yet in the destination's memory
	cut      int64  // packets cut off it so far at the source
	cutBytes int64  // payload bytes cut off it so far
	moved    int64  // packets moved to the destination's memory
	posted   bool   // handed to its NIC
	done     bool   // delivered; the endpoint owns it
}

// packet is one packet, wherever it is.
type packet struct {
	msg      *message
	index    int64 // within the message
	last     bool
	payload  int64 // bytes
	wire     int64 // bytes
	fetched  int64 // ps: when the sending NIC has it
	injected int64 // ps: when it starts on the way to the first router
	entry    int   // VC of the buffer in which it enters the first router

	// At the router it is in or on the way to.
	header  uint64 // route header to carry onward
	inPort  int    // local port and VC of the input buffer
	inVC    int
	outPort int // local port and VC it asks for
	outVC   int
	ready   int64               // ps: head arrival + routing and allocation
	ask     int64               // ps: valid for the first packet of a FIFO
	span    int64               // ps from head to tail
	started bool                // on its way out
	answer  []routing.Candidate // what adaptive routing said last; nil = it was not asked yet
	tail    int64               // ps: in an output buffer, when the tail comes there
}
