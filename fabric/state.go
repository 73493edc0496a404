package fabric

import (
	"errors"

	"fabricast/internal/offheap"
)

// fifo is the input buffer of a virtual channel: a ring of packets, oldest
// first, numbered in the order of their arrival (modulo 2^32). Those from pull up to (not
// including) head have left, and stand for credit that the upstream side has not
// taken yet; those from head up to tail are there.
type fifo struct {
	ask   int64  // when the first packet asked for its output; if there is none, when the last one's tail left
	timer int64  // ps: when the first packet asks next; only if armed
	base  uint32 // first place of the ring
	pull  uint32
	head  uint32
	tail  uint32
}

// extra is the rest of a fifo, which did not fit into half a cache line: the
// size of its ring, and whether the upstream side wants to be woken by credit.
type extra uint8

const (
	extraClass  extra = 1<<5 - 1 // log2 of the ring's size, plus 1; 0 = there is no ring yet
	extraWanted extra = 1 << 7
)

// size is the number of places of the ring, a power of two or 0.
func (x *extra) size() uint32 { return 1 << (*x & extraClass) >> 1 }

// output is the upstream side of a virtual channel: its credit, and who waits for it.
type output struct {
	credit int32  // flits known to be free downstream
	lack   int32  // flits that the holder still waits for, if the FIFO downstream is wanted
	holder uint16 // slot+1 of the packet that waits for credit here; 0 = none
	park   uint16 // slot+1 of the first packet that waits for the holder to go
	down   uint32 // FIFO to pull credit from: the one downstream, or its stand-in in this block
}

// port is the output side (and, by inFree, the input side) of a router's port.
type port struct {
	outFree int64  // ps: when output and link are free
	inFree  int64  // ps: when the crossbar's input is free
	flits   uint32 // sent, modulo 2^32
	packets uint32 // sent, modulo 2^32
}

// portMore is what is seldom needed of a port.
type portMore struct {
	fraction  uint64 // of a ps, see rate
	moreFlits uint32 // sent, in units of 2^32
	morePacks uint32
	last      uint32 // slot after the last one granted: where round robin begins
	_         uint32
}

// packet is one packet in one buffer.
type packet struct {
	time  int64  // ready for its output; once it has left, when its credit is known upstream
	route uint64 // header for the next router
	msg   MsgID
	flits uint16 // size; lastPacket marks the last one of its message
	out   uint16 // local output port << outVCBits | virtual channel
}

const (
	flitMask   = 1<<15 - 1
	lastPacket = 1 << 15
	outVCBits  = 5
	outVCMask  = 1<<outVCBits - 1
	maxPorts   = 1 << (16 - outVCBits) // of a router
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
	post       int64    // ps: not before this may fetching be fetched
	vc         uint32   // channel by which head's packets enter
	out        uint16   // packet.out of head's packets at the first router
	dmaEnd     int64    // ps: end of the last fetch
	dmaPart    uint64   // fraction of a ps, see rate
	lastTail   int64    // ps: when the tail of the last packet left
	prevTail   int64    // the same of the one before it
	linkPart   uint64
	moveEnd    int64 // receiving: ps, end of the last move to memory
	movePart   uint64
	flits      uint64 // injected
	packets    uint64
}

// recent is what a router did at its last visit; it only guides prefetching.
type recent struct {
	channels uint64 // output channels used, the first 64
}

// state is all that changes during a run, in arrays that the blocks share out
// among themselves by index.
type state struct {
	timers array[int64]  // ps, of hosts and NICs, by routerLayout.timers
	armed  array[uint64] // bitmap of timers that are set, by routerLayout.masks
	in     array[fifo]
	extras array[extra] // by FIFO
	out    array[output]
	ports  array[port]
	more   array[portMore]
	nics   array[nic]
	recent array[recent]
	park   array[uint16] // by slot: next slot (+1) parked at the same output channel
}

func newState(a *offheap.Arena, l *layout, channels int) (*state, error) {
	last := l.routers[len(l.routers)-1]
	timers := int(last.timers) + int(last.first)
	nics := len(l.spec.Graph.NICPort)
	var s state
	err := errors.Join(
		s.timers.reserve(a, timers),
		s.armed.reserve(a, int(last.masks)+int(last.words)),
		s.in.reserve(a, channels),
		s.extras.reserve(a, channels),
		s.out.reserve(a, int(l.nicChannels)+nics*int(l.vcs)),
		s.ports.reserve(a, len(l.wiring)),
		s.more.reserve(a, len(l.wiring)),
		s.nics.reserve(a, nics),
		s.recent.reserve(a, len(l.routers)),
		s.park.reserve(a, len(l.wiring)*int(l.vcs)),
	)
	return &s, err
}
