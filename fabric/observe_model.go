package fabric

import "fabricast/internal/units"

// Observation selects what a network reports while it runs. It costs nothing unless Network.Observe
// is called, and changes no result.
type Observation struct {
	// Interval is the length of a bin (ps); 0: no bins.
	Interval units.Time
	// MaxBins, if not 0, is even and bounds the number of bins. When one more would begin, the
	// interval is doubled, and pairs of earlier bins count as one from then on.
	MaxBins int64
	// Buffers adds the buffers of all virtual channels to the bins.
	Buffers bool
	// Routers, if not nil, selects routers: every packet that leaves one of their buffers between
	// the times LogFrom and LogTo (ps) is reported.
	Routers        func(router int) bool
	LogFrom, LogTo units.Time
	Sink           Sink
}

// Sink receives an observation. Blocks call it in parallel, each with its own number.
type Sink interface {
	// Window announces that the block begins a window: all its later reports are of events at or
	// after that time (ps).
	Window(block int, begin int64)
	// Bin receives a block's bin. The rows are valid until Bin returns. The bins of one block come
	// in order.
	Bin(block int, bin *Bin)
	// Passage receives a packet that has left a buffer.
	Passage(block int, p *Passage)
}

// Bin is what happened in one interval. Links without traffic or waits have no row.
type Bin struct {
	Begin, Interval units.Time // ps
	Next            units.Time // ps: when the block's next bin begins
	Links           []LinkBin
	Buffers         []BufferBin
}

// LinkBin counts the packets that started on a link in the interval, and sums up (ps) how long
// packets waited for it, by cause, from the time they might have started. On the fast path a wait
// for credit counts while it lasts. A wait for the link or the crossbar counts when the packet asks
// and finds it busy. On the general path all waits count when the packet starts.
type LinkBin struct {
	Link         int32 // its number: ports in use in the order of the graph, then NICs
	Packets      int64
	Bytes        units.Bytes // on the wire
	NoCredit     units.Time  // ps: for space in the buffer at the other end
	BusyOutput   units.Time  // ps: for the link, which others used
	BusyCrossbar units.Time  // ps: for the own input port, of which another channel's packet was leaving
}

// BufferBin is how full a buffer was, counting packets that have arrived and have not started to
// leave.
type BufferBin struct {
	Port int32 // its number in the graph
	VC   int32
	Held int64       // byte·ps
	Peak units.Bytes // bytes
}

// Passage is a packet that has left a router's buffer. Times are in ps.
type Passage struct {
	Router, Port, VC    int32 // where it was, outside numbers
	OutPort, OutVC      int32
	Source, Destination int32       // NICs
	Message             int64       // see MessageNumber
	Bytes               units.Bytes // on the wire
	// when the packet was ready to leave, and when it left
	In, Out units.Time
	// time waited for packets before it; for credit; for the link; for the crossbar's input
	Order, Credit, BusyOutput, BusyInside units.Time
}

// MessageNumber returns a number that identifies a message between two hosts in several tables.
func MessageNumber(source, destination, tag int32, size, sent int64) int64 {
	h := uint64(uint32(source))<<32 | uint64(uint32(destination))
	for _, w := range [...]uint64{uint64(uint32(tag)), uint64(size), uint64(sent)} {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int64(h >> 1)
}
