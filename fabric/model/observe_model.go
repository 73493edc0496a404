package model

import (
	"fabricast/internal/causes"
	"fabricast/internal/units"
)

// Observation selects what a network reports during a run. It costs nothing unless Network.Observe
// is called, and does not change the result.
type Observation struct {
	// Interval is the length of a bin (ps); 0 disables bins.
	Interval units.Time
	// MaxBins, if not 0, limits the number of bins and must be even. When the limit would be
	// exceeded, the interval is doubled, and earlier bins are merged in pairs.
	MaxBins int64
	// Buffers includes the buffers of all virtual channels in the bins.
	Buffers bool
	// Routers, if not nil, selects routers. Every packet that leaves one of their buffers between
	// the times LogFrom and LogTo (ps) is reported.
	Routers        func(router int) bool
	LogFrom, LogTo units.Time
	// Causes divides the latency of every message by cause.
	Causes bool
	// Hops reports every hop of every packet. It requires Causes.
	Hops bool
	Sink Sink
}

// Sink receives an observation. Blocks call it concurrently, each with its own index.
type Sink interface {
	// Window announces that the block starts a window: all its later reports are about events at or
	// after that time (ps).
	Window(block int, begin int64)
	// Bin receives a block's bin. The rows are valid until Bin returns. The bins of one block come
	// in order.
	Bin(block int, bin *Bin)
	// Passage receives a report about a packet that has left a buffer.
	Passage(block int, p *Passage)
	// Hop receives a hop of a packet.
	Hop(block int, h *Hop)
	// Divided receives a message whose last byte is or will be in memory, with its latency by cause. It
	// is valid until Divided returns.
	Divided(block int, d *Divided)
}

// Bin holds the activity of one interval. Links without traffic or waits have no row.
type Bin struct {
	Begin, Interval units.Time // start and length (ps)
	Next            units.Time // start of the block's next bin (ps)
	Links           []LinkBin
	Buffers         []BufferBin
}

// LinkBin counts the packets that started on a link in the interval. It also sums (in ps), by
// cause, how long packets waited for the link from the time they could have started. On the fast
// path, a wait for credit counts while it lasts, and a wait for the link or the crossbar counts
// when the packet makes its request and finds it busy. On the general path, all waits count when
// the packet starts.
type LinkBin struct {
	Link         int32 // link ID: ports in use in the order of the graph, then NICs
	Packets      int64
	Bytes        units.Bytes // bytes sent on the wire
	NoCredit     units.Time  // waiting for space in the buffer at the other end (ps)
	BusyOutput   units.Time  // waiting for the link, used by other packets (ps)
	BusyCrossbar units.Time  // waiting for the packet's own input port, used by a packet of another virtual channel (ps)
}

// BufferBin is the occupancy of a buffer. It counts packets that have been received and have not
// started to leave.
type BufferBin struct {
	Port int32 // port ID in the graph
	VC   int32
	Held int64       // integral of the occupancy over time (byte·ps)
	Peak units.Bytes // maximum occupancy
}

// Passage describes a packet that has left a router's buffer. Times are in ps.
type Passage struct {
	Router, Port, VC    int32 // buffer that held the packet, in the user's numbering
	OutPort, OutVC      int32
	Source, Destination int32       // NIC IDs
	Message             int64       // see MessageNumber
	Bytes               units.Bytes // size on the wire
	// when the packet was ready to leave, and when it left
	In, Out units.Time
	// time spent waiting for earlier packets, for credit, for the link, and for the crossbar's
	// input
	Order, Credit, BusyOutput, BusyInside units.Time
}

// Divided is a delivered message, with the time from its Post to its delivery divided by cause.
type Divided struct {
	Source, Destination int32 // NIC IDs
	SourceRank          int32
	Tag                 int32
	Number              int64 // see MessageNumber
	Bytes               int64 // payload
	// when the program called send, when the NIC might start, and when the whole message is in memory (ps)
	Sent, Post, Delivered int64
	Parts                 causes.Parts
}

// NumberOf returns the number of a message of the network.
func (s *Spec) NumberOf(m *Message) int64 {
	nics := int32(s.Graph.NICsPerHost)
	return MessageNumber(m.Src/nics, m.Dst/nics, m.Tag, m.Size, m.Sent)
}

// MessageNumber returns a number that identifies a message between two hosts across several tables.
func MessageNumber(source, destination, tag int32, size, sent int64) int64 {
	// The ends are mixed before the tag comes in: another tag must not make up for another destination.
	h := uint64(0)
	for _, w := range [...]uint64{
		uint64(uint32(source))<<32 | uint64(uint32(destination)), uint64(uint32(tag)), uint64(size), uint64(sent),
	} {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int64(h >> 1)
}
