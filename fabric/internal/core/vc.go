package core

import (
	"fabricast/fabric/model"
)

// VC is one virtual channel (VC) of a port in both directions. As an input it is the buffer for
// packets that arrive over the link; as an output it is the credit for the buffer at the other end.
// Two VCs fill one cache line, because the engine's inner loop mostly reads VCs. Data that few
// packets need is in VCWait, and data common to the VCs of a port is in Port.
//
// The buffer is a FIFO in a ring. Its packets are numbered in the order of arrival (modulo 2^16).
// Packets Pull to Head-1 have left, and stand for credit that the upstream side has not taken yet.
// Packets Head to Tail-1 are in the buffer. A FIFO that becomes empty usually releases its ring
// (see Drained).
type VC struct {
	// The time (ps) at which the first packet next requests its output. Without packets: when the
	// tail of the last one left. If the VC is parked: 1 plus the VC index of the next VC parked at
	// the same output.
	Timer  int64
	Base   uint32 // index of the ring's first position; if Drained: size in flits of the packet that left last
	Credit int32  // flits known to be free downstream
	Pull   uint16
	Head   uint16
	Tail   uint16
	Mask   uint16 // number of positions of the ring, a power of two, minus one; 0 without a ring
	Next   uint16 // VC index of the output that the first packet takes
	Owner  uint16 // timer+1 of the VC whose first packet waits for credit here; 0: none
	Number uint16 // index of its timer at its router
	Class  uint8  // class of the link at its port, see Layout.classes
	Flags  VCFlags
}

// MaxPackets limits the packets of a buffer on the fast path.
const MaxPackets = 1<<16 - 1

// VCWait holds the data of a VC that is needed only while packets wait for credit.
type VCWait struct {
	Lack uint16 // flits that the holder upstream still waits for, if the flag Wanted is set
	Park uint16 // 1 plus the VC index of the first packet that waits for the holder to leave
}

// Waiting returns the number of packets in a VC's buffer.
func (l *VC) Waiting() uint16 { return l.Tail - l.Head }

// Full reports whether a VC's ring has no free position.
func (l *VC) Full() bool { return l.Tail-l.Pull > l.Mask || l.Mask == 0 }

// Places returns the number of positions of a VC's ring.
func (l *VC) Places() uint32 {
	if l.Mask == 0 {
		return 0
	}
	return uint32(l.Mask) + 1
}

// Busy reports whether a packet holds the VC as output. Other packets wait for the VC only while it
// is held.
func (l *VC) Busy() bool { return l.Owner != 0 }

// Port is a router's port, or a NIC.
type Port struct {
	Out int64 // when the output and its link are free (ps)
	In  int64 // when the crossbar's input is free (ps)
	// flits in the low bits, and packets from bit SentPackets on; moved to PortMore when the top
	// bit is set
	Sent uint64
	Down uint32 // first VC to pull credit from: one downstream, or its ghost in this block
	// router at the other end; ^NIC if a NIC is there, Unconnected if nothing is
	Router int32
}

// SentPackets is the lowest bit of the packet count in Port.Sent.
const SentPackets = 44

// VCFlags says where a VC's port leads, and how the space in its buffer is returned.
type VCFlags uint8

const (
	ToOtherBlock VCFlags = 1 << iota // to a router of another block
	ToHost                           // to a NIC; if neither is set, to a router of this block
	Wanted                           // the upstream side waits for credit
	// the first packet waits for credit, and the observer has counted the wait (see Observer)
	Stalled
	// The FIFO is empty and has no ring. The whole buffer is free, except for the packet that left
	// last, whose credit is known upstream a link delay after the time in Timer. All other credit
	// counts as known upstream, whether or not the upstream side has taken it.
	Drained
	// a stream enters the buffer or leaves it, see inputqueued.stream
	Streamed
)

// Packet is a packet in a buffer.
type Packet struct {
	// Time (ps). While the packet waits behind others: when it becomes eligible for its output.
	// When it is first: when it requested its output. After it has left: when its credit is known
	// upstream.
	Time  int64
	Route uint64 // route header that the packet has at the next router
	Msg   model.MsgID
	Flits uint16 // size; the bit LastPacket marks the last packet of a message
	Out   uint16 // VC index of the output that it takes
}

const (
	FlitMask   = 1<<15 - 1
	LastPacket = 1 << 15
)

// Precedes reports whether q, the next packet on the same route, belongs to the same message. A
// message ID may be reused once the message's last packet has arrived.
func (p *Packet) Precedes(q *Packet) bool { return p.Msg == q.Msg && p.Flits&LastPacket == 0 }

// Forget removes the packets that have left a FIFO and stand for credit.
func (l *VC) Forget() {
	if l.Pull = l.Head; l.Flags&Drained != 0 {
		l.Base = 0
	}
}
