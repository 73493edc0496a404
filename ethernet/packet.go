package ethernet

// kind says what a packet is.
type kind uint8

const (
	data kind = iota
	ack
	nack // of a packet that was cut, or of one that is missing
	pull // a receiver's credit
	request
	notification // of congestion (CNP)
)

// Flags of a packet.
const (
	marked    = 1 << iota // by ECN
	cut                   // to its header
	again                 // sent again
	answer                // the receiver is to acknowledge it at once
	ofLastHop             // it was cut on the link to its destination
	broken                // its link has gone down while its NIC sent it
	rerouted              // a router has led it out by another port than if no link had ever failed
)

// packet is a packet, or an entry of the list of those that are free.
type packet struct {
	src, dst int32  // NICs
	flow     uint32 // number of the flow at the NIC that sends data, whichever way the packet goes
	psn      uint32 // of data, and of what an acknowledgement is about
	size     uint32 // bytes on the wire
	next     uint32 // in a queue
	entropy  uint16
	kind     kind
	flags    uint8
	times    uint16 // how often it had been sent before
	class    uint8
	ingress  int32  // port of the switch through which it came in
	hopsInfo uint32 // place of what switches wrote into it; 0: nothing
	sent     int64  // when the packet left; an acknowledgement has that of what it is about (ps)
	wanted   uint64 // pull target of data and requests; of acknowledgements the packets received from base on
	received uint64 // of acknowledgements: bytes on the wire received so far; of pulls: the credit
	upto     uint32 // of acknowledgements: number of the first packet that has not arrived
	base     uint32
}

// packets holds a block's packets. A packet is known by its index; 0 is not used.
type packets struct {
	list []packet
	free uint32
}

// take returns a new packet without contents. It may move others.
func (p *packets) take() (uint32, *packet) {
	if id := p.free; id != 0 {
		k := &p.list[id]
		p.free = k.next
		*k = packet{}
		return id, k
	}
	if len(p.list) == 0 {
		p.list = append(p.list, packet{})
	}
	p.list = append(p.list, packet{})
	id := uint32(len(p.list) - 1)
	return id, &p.list[id]
}

// give returns a packet for reuse.
func (p *packets) give(id uint32) {
	p.list[id].next = p.free
	p.free = id
}

// fifo is a queue of packets, linked by next.
type fifo struct{ first, last uint32 }

func (f *fifo) empty() bool { return f.first == 0 }

func (f *fifo) push(p *packets, id uint32) {
	p.list[id].next = 0
	if f.first == 0 {
		f.first = id
	} else {
		p.list[f.last].next = id
	}
	f.last = id
}

func (f *fifo) pop(p *packets) uint32 {
	id := f.first
	f.first = p.list[id].next
	return id
}
