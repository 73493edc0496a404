package fabric

import (
	"errors"

	"fabricast/internal/offheap"
)

// lane is one virtual channel of a port, both ways: as input the buffer of what
// comes over the link, as output the credit for the buffer at the other end. It
// is one cache line, for it is what the inner loop lives on.
//
// The buffer is a FIFO in a ring of places, its packets numbered in the order of
// arrival (modulo 2^32). Those from pull up to (not including) head have left, and
// stand for credit that the upstream side has not taken yet; those from head up to
// tail are there.
type lane struct {
	timer  int64  // ps: when the first packet asks for its output next; if there is none, when the last one's tail left; if it is parked, the slot+1 of the next one parked there
	base   uint32 // first place of the ring
	size   uint32 // places of the ring, a power of two, or 0
	pull   uint32
	head   uint32
	tail   uint32
	credit int32  // flits known to be free downstream
	down   uint32 // lane to pull credit from: the one downstream, or its stand-in in this block
	router int32  // router at the other end; ^NIC if there is a NIC, unconnected if there is nothing
	clock  uint32 // number of the port
	number uint16 // its timer's, at its router
	lack   uint16 // flits that the holder upstream still waits for, if the buffer is wanted
	sent   uint64 // flits, and above sentPackets packets; when the topmost bit is set it is moved to portMore
	holder uint16 // timer+1 of the lane whose first packet waits for credit here; 0 = none
	park   uint16 // slot+1 of the first packet that waits for the holder to go
	next   uint16 // slot of the first packet's output
	class  uint8  // of the link, see layout.classes
	way    way
}

// busy tells whether a packet holds the lane as output, or some wait for it to be free.
func (l *lane) busy() bool { return l.holder|l.park != 0 }

// sentPackets is the bit of lane.sent from which on packets are counted.
const sentPackets = 44

// way says where a lane's port leads, and whether space in its buffer is to be given back at once.
type way uint8

const (
	outside way = 1 << iota // to a router of another block
	host                    // to a NIC; else to a router of this block
	wanted                  // the upstream side waits for credit
	stalled                 // the first packet waits for credit, and has been noted to, see observer
)

// clock says when a router's port may be used again.
type clock struct {
	out int64 // ps: when output and link are free
	in  int64 // ps: when the crossbar's input is free
}

// portMore is what is seldom needed of a port.
type portMore struct {
	fraction uint64 // of a ps, see rate
	flits    uint64 // sent, beyond lane.sent
	packets  uint64
	last     uint32 // slot after the last one granted: where round robin begins
	_        uint32
}

// packet is one packet in one buffer.
type packet struct {
	time  int64  // ready for its output; from when it is first, when it asked for it; once it has left, when its credit is known upstream
	route uint64 // header for the next router
	msg   MsgID
	flits uint16 // size; lastPacket marks the last one of its message
	out   uint16 // slot of its output
}

const (
	flitMask   = 1<<15 - 1
	lastPacket = 1 << 15
)

// nic is a network interface: the way from memory to the network and back.
type nic struct {
	// Messages are injected in order; fetching from memory is ahead by up to two packets.
	head, tail uint32   // queue of messages, head is being injected; 0 = none
	fetching   uint32   // message to fetch from next; 0 = none
	fetched    uint32   // packets fetched and not injected yet, 0 to 2
	ready      [2]int64 // ps: when these are in the NIC
	injectLeft int64    // payload bytes of head not injected yet
	fetchLeft  int64    // payload bytes of fetching not fetched yet
	route      uint64   // header of head's packets after the first router
	vc         uint32   // channel by which head's packets enter
	out        uint16   // output slot of head's packets at the first router
	paced      bool     // head's packets are followed by pauses, see Extra.Gap
	stalled    bool     // is observed to wait for credit for head's next packet
	dmaEnd     int64    // ps: end of the last fetch, or the post of the message fetched next if that is later
	dmaPart    uint64   // fraction of a ps, see rate
	lastTail   int64    // ps: when the tail of the last packet left
	prevTail   int64    // the same of the one before it
	free       int64    // ps: when the pause after the last packet ended; without one, lastTail
	linkPart   uint64
	moveEnd    int64 // receiving: ps, end of the last move to memory
	movePart   uint64
	flits      uint64 // injected
	packets    uint64
	waited     int64 // ps: for credit, in the observer's present bin
}

// state is all that changes during a run beside the routers' own records, in
// arrays that the blocks share out among themselves by index.
type state struct {
	timers array[int64]  // ps, of hosts and NICs, by routerState.timers
	due    array[uint64] // bitmap of a router's timers that are set for a window, by window modulo wheel, then router; of routers with at most 64
	armed  array[uint64] // bitmap of timers that are set, beyond the 64 that the router has itself, by routerState.masks
	lanes  array[lane]
	clocks array[clock]    // by port
	more   array[portMore] // by port
	nics   array[nic]
}

func newState(a *offheap.Arena, l *layout, lanes int) (*state, error) {
	last := l.routers[len(l.routers)-1]
	timers := int(last.timers) + int(last.first)
	nics := len(l.spec.Graph.NICPort)
	var s state
	err := errors.Join(
		s.timers.reserve(a, timers),
		s.due.reserve(a, wheel*len(l.routers)),
		s.armed.reserve(a, int(last.masks)+int(last.words)),
		s.lanes.reserve(a, lanes),
		s.clocks.reserve(a, len(l.wiring)),
		s.more.reserve(a, len(l.wiring)),
		s.nics.reserve(a, nics),
	)
	return &s, err
}
