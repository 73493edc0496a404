package core

import (
	"fabricast/fabric/model"
)

// VC is one virtual channel (VC) of a port in both directions. As input it is the buffer of what
// arrives over the link; as output it is the credit for the buffer at the other end. Two fill one
// cache line, because the engine's inner loop mostly reads VCs. What few packets need is in
// VCWait, and what the VCs of a port have in common in portState.
//
// The buffer is a FIFO in a ring. Its packets are numbered in the order of arrival (modulo 2^16).
// Packets pull to head-1 have left, and stand for credit that the upstream side has not taken yet.
// Packets head to tail-1 are in the buffer. A FIFO that becomes empty mostly gives its ring back, see
// drained.
type VC struct {
	// ps: when the first packet asks for its output next. Without packets: when the last one's tail
	// left. If the VC is parked: the VC index+1 of the next VC parked at the same output.
	Timer  int64
	Base   uint32 // first place of the ring; if drained: flits of the packet that left last
	Credit int32  // flits known to be free downstream
	Pull   uint16
	Head   uint16
	Tail   uint16
	Mask   uint16 // places of the ring, a power of two, less one; 0 without a ring
	Next   uint16 // VC index of the first packet's output
	Owner  uint16 // timer+1 of the VC whose first packet waits for credit here; 0 = none
	Number uint16 // its timer's, at its router
	Class  uint8  // of the link, see layout.classes
	Flags  VCFlags
}

// MaxPackets bounds the packets of a buffer on the fast path.
const MaxPackets = 1<<16 - 1

// VCWait is what a VC needs while packets wait for credit.
type VCWait struct {
	Lack uint16 // flits that the holder upstream still waits for, if the buffer is wanted
	Park uint16 // VC index+1 of the first packet that waits for the holder to go
}

// Waiting returns the number of packets in a VC's buffer.
func (l *VC) Waiting() uint16 { return l.Tail - l.Head }

// Full reports whether a VC's ring has no free place.
func (l *VC) Full() bool { return l.Tail-l.Pull > l.Mask || l.Mask == 0 }

// Places returns how many places a VC's ring has.
func (l *VC) Places() uint32 {
	if l.Mask == 0 {
		return 0
	}
	return uint32(l.Mask) + 1
}

// Busy reports whether a packet holds the VC as output. Others wait only while one does.
func (l *VC) Busy() bool { return l.Owner != 0 }

// Port is a router's port, or a NIC.
type Port struct {
	Out int64 // ps: when output and link are free
	In  int64 // ps: when the crossbar's input is free
	// flits in the low bits, packets from bit sentPackets on; moved to portMore when the top bit is
	// set
	Sent uint64
	Down uint32 // first VC to pull credit from: those downstream, or their stand-ins in this block
	// router at the other end; ^NIC if a NIC is there, unconnected if nothing is
	Router int32
}

// SentPackets is the bit position in portState.sent at which the count of packets begins.
const SentPackets = 44

// VCFlags says where a VC's port leads, and whether the space in its buffer must be given back at
// once.
type VCFlags uint8

const (
	ToOtherBlock VCFlags = 1 << iota // to a router of another block
	ToHost                           // to a NIC; else to a router of this block
	Wanted                           // the upstream side waits for credit
	// the first packet waits for credit, and the observer has counted it, see observer
	Stalled
	// The FIFO is empty and has no ring. The whole buffer is free, but for the packet that left last,
	// whose credit is known upstream a link's delay after the time in timer. All other credit counts
	// as known there, whatever the upstream side has taken.
	Drained
)

// Packet is one packet in one buffer.
type Packet struct {
	// ps. While it waits behind others: when it is ready for its output. As the first: when it
	// asked for its output. After it has left: when its credit is known upstream.
	Time  int64
	Route uint64 // header for the next router
	Msg   model.MsgID
	Flits uint16 // size; lastPacket marks the last one of its message
	Out   uint16 // VC index of its output
}

const (
	FlitMask   = 1<<15 - 1
	LastPacket = 1 << 15
)

// Precedes reports whether q, the next packet that goes the same way, belongs to the same message. A
// message's number may be used again once its last packet has arrived.
func (p *Packet) Precedes(q *Packet) bool { return p.Msg == q.Msg && p.Flits&LastPacket == 0 }

// Forget removes the packets that have left a FIFO and stand for credit.
func (l *VC) Forget() {
	if l.Pull = l.Head; l.Flags&Drained != 0 {
		l.Base = 0
	}
}
