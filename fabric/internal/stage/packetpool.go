package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Packet is a packet in a router, or a return of credit that did not fit into its output VC.
type Packet struct {
	// When the packet becomes eligible for its output, or has arrived in the output buffer; for
	// credit, when it becomes known upstream (ps).
	Ready int64
	Route uint64 // header at the next router; with adaptive routing, at this router
	Msg   model.MsgID
	Flits uint16 // size; the bit LastPacket marks the last packet of a message
	Out   uint16 // VC of its output; with adaptive routing, set when it starts
	Span  uint32 // time from the arrival of the head to that of the tail (ps)
	Next  uint32 // next packet in its list
}

// PacketPool holds a block's packets; ID 0 is not used. The array is shared by all blocks, so that
// a packet can move to another block. A block only allocates packets in its own range.
type PacketPool struct {
	Packets core.Array[Packet]
	// output VCs that a packet waits for, Words words per packet; only with adaptive routing and
	// virtual output queues
	Requests core.Array[uint64]
	Words    uint32
	Own      core.Span // packets that this block allocates
	Used     uint32    // lowest ID of those that have never been allocated
	Free     uint32    // head of the list of free packets, linked by Next
}

// maxPackets limits the packets of a block by address space. Memory is used only for packets that
// exist.
const maxPackets = 1 << 28

// Take returns a free packet for the caller to fill in.
func (p *PacketPool) Take() (uint32, *Packet) {
	if id := p.Free; id != 0 {
		q := p.Packets.At(id)
		p.Free = q.Next
		return id, q
	}
	id := p.Used
	if id >= p.Own.End {
		panic(model.ErrPackets)
	}
	p.Used++
	return id, p.Packets.At(id)
}

// Give returns a packet to the pool.
func (p *PacketPool) Give(id uint32, q *Packet) {
	q.Next = p.Free
	p.Free = id
}

// Add appends a packet to a list.
func (p *PacketPool) Add(l *List, id uint32, q *Packet) {
	q.Next = 0
	if l.First == 0 {
		l.First = id
	} else {
		p.Packets.At(l.Last).Next = id
	}
	l.Last = id
}

// drop removes a packet from a list. Removing the first one takes constant time.
func (p *PacketPool) drop(l *List, id uint32, q *Packet) {
	if l.First == id {
		l.First = q.Next
		return
	}
	before := l.First
	for p.Packets.At(before).Next != id {
		before = p.Packets.At(before).Next
	}
	p.Packets.At(before).Next = q.Next
	if l.Last == id {
		l.Last = before
	}
}

// Walk returns the number of packets in a list and the sum of their flits.
func (p *PacketPool) Walk(l List) (count uint64, flits int64) {
	for id := l.First; id != 0; id = p.Packets.At(id).Next {
		count++
		flits += int64(p.Packets.At(id).Flits & core.FlitMask)
	}
	return count, flits
}
