package fabric

// lane is one virtual channel (VC) of a port in both directions. As input it is the buffer of what
// arrives over the link; as output it is the credit for the buffer at the other end. Two fill one
// cache line, because the engine's inner loop mostly reads lanes. What few packets need is in
// laneMore, and what the VCs of a port have in common in portState.
//
// The buffer is a FIFO in a ring. Its packets are numbered in the order of arrival (modulo 2^16).
// Packets pull to head-1 have left, and stand for credit that the upstream side has not taken yet.
// Packets head to tail-1 are in the buffer. A FIFO that becomes empty mostly gives its ring back, see
// drained.
type lane struct {
	// ps: when the first packet asks for its output next. Without packets: when the last one's tail
	// left. If the lane is parked: the slot+1 of the next lane parked at the same output.
	timer  int64
	base   uint32 // first place of the ring; if drained: flits of the packet that left last
	credit int32  // flits known to be free downstream
	pull   uint16
	head   uint16
	tail   uint16
	mask   uint16 // places of the ring, a power of two, less one; 0 without a ring
	next   uint16 // slot of the first packet's output
	holder uint16 // timer+1 of the lane whose first packet waits for credit here; 0 = none
	number uint16 // its timer's, at its router
	class  uint8  // of the link, see layout.classes
	way    way
}

// maxPackets bounds the packets of a buffer on the fast path.
const maxPackets = 1<<16 - 1

// laneMore is what a lane needs while packets wait for credit.
type laneMore struct {
	lack uint16 // flits that the holder upstream still waits for, if the buffer is wanted
	park uint16 // slot+1 of the first packet that waits for the holder to go
}

// waiting returns the number of packets in a lane's buffer.
func (l *lane) waiting() uint16 { return l.tail - l.head }

// full reports whether a lane's ring has no free place.
func (l *lane) full() bool { return l.tail-l.pull > l.mask || l.mask == 0 }

// places returns how many places a lane's ring has.
func (l *lane) places() uint32 {
	if l.mask == 0 {
		return 0
	}
	return uint32(l.mask) + 1
}

// busy reports whether a packet holds the lane as output. Others wait only while one does.
func (l *lane) busy() bool { return l.holder != 0 }

// portState is a router's port, or a NIC.
type portState struct {
	out int64 // ps: when output and link are free
	in  int64 // ps: when the crossbar's input is free
	// flits in the low bits, packets from bit sentPackets on; moved to portMore when the top bit is
	// set
	sent uint64
	down uint32 // first lane to pull credit from: those downstream, or their stand-ins in this block
	// router at the other end; ^NIC if a NIC is there, unconnected if nothing is
	router int32
}

// sentPackets is the bit position in portState.sent at which the count of packets begins.
const sentPackets = 44

// way says where a lane's port leads, and whether the space in its buffer must be given back at
// once.
type way uint8

const (
	outside way = 1 << iota // to a router of another block
	host                    // to a NIC; else to a router of this block
	wanted                  // the upstream side waits for credit
	// the first packet waits for credit, and the observer has counted it, see observer
	stalled
	// The FIFO is empty and has no ring. The whole buffer is free, but for the packet that left last,
	// whose credit is known upstream a link's delay after the time in timer. All other credit counts
	// as known there, whatever the upstream side has taken.
	drained
)

// packet is one packet in one buffer.
type packet struct {
	// ps. While it waits behind others: when it is ready for its output. As the first: when it
	// asked for its output. After it has left: when its credit is known upstream.
	time  int64
	route uint64 // header for the next router
	msg   MsgID
	flits uint16 // size; lastPacket marks the last one of its message
	out   uint16 // slot of its output
}

const (
	flitMask   = 1<<15 - 1
	lastPacket = 1 << 15
)

// precedes reports whether q, the next packet that goes the same way, belongs to the same message. A
// message's number may be used again once its last packet has arrived.
func (p *packet) precedes(q *packet) bool { return p.msg == q.msg && p.flits&lastPacket == 0 }

// forget removes the packets that have left a FIFO and stand for credit.
func (l *lane) forget() {
	if l.pull = l.head; l.way&drained != 0 {
		l.base = 0
	}
}
