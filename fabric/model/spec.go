package model

import (
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// Queues selects how the packets of an input buffer are queued.
type Queues uint8

const (
	// InputQueues: one FIFO per virtual channel. Only its first packet may leave.
	InputQueues Queues = iota
	// VirtualOutputQueues: one FIFO per pair of an input VC and an output VC.
	VirtualOutputQueues
)

// Allocation selects when packets get a virtual channel of their output.
type Allocation uint8

const (
	// CombinedAllocation: a packet gets its virtual channel together with its crossbar grant.
	CombinedAllocation Allocation = iota
	// SeparateAllocation: a packet gets its virtual channel before it requests the crossbar, and
	// keeps it until its tail has left.
	SeparateAllocation
)

// Allocator selects how many simultaneous requests are granted, with separate allocation.
type Allocator uint8

const (
	// MaximalAllocator: every packet for which a resource is free is granted, one after another in
	// arbitration order.
	MaximalAllocator Allocator = iota
	// SeparableAllocator: each input chooses one request, then each output chooses one of those
	// (Becker and Dally, SC 2009). A packet that loses repeats its request one round later: after
	// VCAllocation for a virtual channel, after SwitchAllocation for the crossbar.
	SeparableAllocator
)

// Injection selects the virtual channels that NICs inject into.
type Injection uint8

const (
	// RoutedVC: the virtual channel that the routing function returns.
	RoutedVC Injection = iota
	// VCsInTurn: all virtual channels in turn, one packet each.
	VCsInTurn
)

// Link is a class of links. All its links have the same parameters in both directions.
type Link struct {
	Bandwidth units.Rate // bytes/s, per direction
	Latency   units.Time // ps, per direction, of the cable
}

// Router holds the parameters that all routers share. Delays are in ps.
type Router struct {
	Routing          units.Time  // RC: routing computation
	VCAllocation     units.Time  // VA: virtual channel allocation
	SwitchAllocation units.Time  // SA: switch allocation
	SwitchTraversal  units.Time  // ST: first flit through the crossbar
	Latency          units.Time  // additional fixed latency between crossbar and link
	Bandwidth        units.Rate  // of one crossbar port (bytes/s)
	VCs              int         // virtual channels per port
	Buffer           units.Bytes // size of each virtual channel's input buffer in bytes
	Queues           Queues
	// OutputBuffer is the size in bytes of each virtual channel's output buffer. 0 means none:
	// crossbar and link then work as one stage.
	OutputBuffer units.Bytes
	Arbiter      Arbiter
	OwnArbiter   *ArbiterKind `json:"-"` // used instead of Arbiter if not nil
	// FlowControl decides when a packet may enter the next buffer. Nil means VirtualCutThrough.
	FlowControl *FlowControl `json:"-"`
	Allocation  Allocation   // SeparateAllocation requires InputQueues
	// Allocator can be SeparableAllocator only with SeparateAllocation and nonzero delays of both
	// allocations.
	Allocator Allocator
	// Turnaround is the time (ps) from a packet's tail leaving an input queue to the next packet's
	// request. It requires InputQueues.
	Turnaround units.Time
	Injection  Injection // choice of virtual channels by NICs
	// Classes of messages, from class 0 on. Each has an equal number of the virtual channels: class c
	// those from c*Set() on. Messages of greater classes belong to the last. nil: messages of all
	// classes share all virtual channels.
	Classes []Class `json:",omitempty"`
}

// RequestDelay returns the time (ps) from the arrival of a packet's head to its first request,
// which is for a virtual channel with separate allocation and for the crossbar otherwise.
func (r *Router) RequestDelay() int64 {
	pre := int64(r.Routing) + int64(r.VCAllocation)
	if r.Allocation == CombinedAllocation {
		pre += int64(r.SwitchAllocation)
	}
	return pre
}

// Packet holds the sizes of packets, in bytes.
type Packet struct {
	MTU    int64 // largest packet on the wire, header included
	Header int64
	Flit   int64 // a packet occupies a whole number of flits, at least one
}

// Payload returns the maximum payload of a packet in bytes.
func (p Packet) Payload() int64 { return p.MTU - p.Header }

// Wire returns the size on the wire, in bytes, of a packet with the given payload in bytes: header
// and payload, rounded up to whole flits, and at least one flit.
func (p Packet) Wire(payload int64) int64 {
	flits := (p.Header + payload + p.Flit - 1) / p.Flit
	return max(flits, 1) * p.Flit
}

// Count returns the number of packets of a message of `size` bytes. An empty message takes one
// packet.
func (p Packet) Count(size int64) int64 {
	return max(1, (size+p.Payload()-1)/p.Payload())
}

// WireOf returns the size on the wire, in bytes, of all packets of a message of `size` bytes.
func (p Packet) WireOf(size int64) int64 {
	full := p.Count(size) - 1
	return full*p.Wire(p.Payload()) + p.Wire(size-full*p.Payload())
}

// IOBus is the bus between memory and NICs that all NICs of a host share, per direction. The zero
// value means no bus.
type IOBus struct {
	Bandwidth units.Rate // bytes/s, per direction; 0: there is no bus
	Latency   units.Time // ps, per direction; it does not occupy the bus
}

// Spec holds all parameters of the network. They are constant during a run.
type Spec struct {
	Graph    *topology.Graph
	Routing  routing.Function // either this or Adaptive
	Adaptive routing.Adaptive // either this or Routing
	Links    []Link           // indexed by the Link field of the graph's ports
	Router   Router
	Packet   Packet
	DMA      units.Rate // between a host's memory and each of its NICs, per direction (bytes/s)
	IOBus    IOBus      // between a host's memory and all of its NICs
	// Gap is the pause of each NIC after each packet, in thousandths of a packet time, at most
	// GapUnit * MaxGap. A message may request a longer pause (Extra.Gap).
	Gap int64
	// TakeTurns makes each NIC alternate among the messages posted to it, packet by packet.
	// Otherwise it sends one message after another.
	TakeTurns bool
	// ControlFirst makes each NIC send one message after another, except that messages without
	// payload go before the next packet of other messages. It excludes TakeTurns.
	ControlFirst bool
	Seed         uint64 // of randomized and adaptive routing
	Doors        *Doors `json:"-"` // a user's additions to routers, links and NICs; nil: none
	// Cut returns the block of each router, from 0, when the network is partitioned into the given
	// number of blocks. Every block must have a router. If Cut is nil or returns nil, blocks are
	// runs of routers in the order of their IDs, and routers without hosts are in the block to
	// which most of their links lead. It does not change the result. All processes of a run must
	// use the same partition.
	Cut func(blocks int) []int32 `json:"-"`
	// Cells, if not 0, allows routers to move between blocks during a run (Cells.Recut). They move
	// in cells of equally many routers, and Cells is the maximum number of cells. It does not
	// change the result. With only one block, nothing moves.
	Cells int `json:"-"`
}

// LongestFlight bounds the time from the start of a packet toward a link until all of it is at the other end,
// without bit errors and retries.
func (s *Spec) LongestFlight() units.Time {
	slowest, latency := s.Router.Bandwidth, units.Time(0)
	for _, l := range s.Links {
		slowest, latency = min(slowest, l.Bandwidth), max(latency, l.Latency)
	}
	took := units.Time(units.MulDiv(s.Packet.Wire(s.Packet.Payload()), int64(units.Second), int64(slowest)))
	return took + 1 + s.Router.SwitchTraversal + s.Router.Latency + latency
}

// MaxGap is the maximum of Extra.Gap.
const MaxGap = 1 << 24

// GapUnit is the number of units of Spec.Gap in one packet time: Spec.Gap counts thousandths.
const GapUnit = 1000

// ChoosesPackets reports whether NICs choose a message for each packet, rather than send one
// message after another.
func (s *Spec) ChoosesPackets() bool { return s.TakeTurns || s.ControlFirst }
