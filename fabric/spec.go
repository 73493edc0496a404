package fabric

import (
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// Queues is how the packets of an input buffer are queued.
type Queues uint8

const (
	// InputQueues: one FIFO for each virtual channel. Only its first packet may leave.
	InputQueues Queues = iota
	// VirtualOutputQueues: one FIFO for each pair of an input VC and an output VC.
	VirtualOutputQueues
)

// Allocation is when packets get a virtual channel of their output.
type Allocation uint8

const (
	// CombinedAllocation: a packet gets its virtual channel together with its crossbar grant.
	CombinedAllocation Allocation = iota
	// SeparateAllocation: a packet gets its virtual channel before it requests the crossbar, and
	// keeps it until its tail has left.
	SeparateAllocation
)

// Allocator is how many of the packets that ask at one instant are served, with separate
// allocation.
type Allocator uint8

const (
	// MaximalAllocator: every packet for which a resource is free, one after the other in the
	// arbitration order.
	MaximalAllocator Allocator = iota
	// SeparableAllocator: each input chooses one request, then each output chooses one of those
	// (Becker and Dally, SC 2009). A packet that loses asks again a round later: for a virtual
	// channel after VCAllocation, for the crossbar after SwitchAllocation.
	SeparableAllocator
)

// Injection is the choice of virtual channels by which NICs inject.
type Injection uint8

const (
	// RoutedVC: the virtual channel that the routing function names.
	RoutedVC Injection = iota
	// VCsInTurn: all virtual channels in turn, one packet each.
	VCsInTurn
)

// Link is a class of links. All its links have the same parameters in both directions.
type Link struct {
	Bandwidth units.Rate // bytes/s, one way
	Latency   units.Time // ps, one way, of the cable
}

// Router holds the parameters that all routers share. Delays are in ps.
type Router struct {
	Routing          units.Time  // RC: routing computation
	VCAllocation     units.Time  // VA
	SwitchAllocation units.Time  // SA
	SwitchTraversal  units.Time  // ST: first flit through the crossbar
	Latency          units.Time  // further fixed latency between crossbar and link
	Bandwidth        units.Rate  // bytes/s of one crossbar port
	VCs              int         // virtual channels a port
	Buffer           units.Bytes // bytes of each virtual channel's input buffer
	Queues           Queues
	// bytes of each virtual channel's output buffer; 0 = none: crossbar and link work as one stage
	OutputBuffer units.Bytes
	Arbiter      Arbiter
	OwnArbiter   *ArbiterKind `json:"-"` // if not nil, in the place of Arbiter
	// when a packet may enter the next buffer; nil: VirtualCutThrough
	FlowControl *FlowControl `json:"-"`
	Allocation  Allocation   // separate only with input queues
	// SeparableAllocator only with SeparateAllocation and nonzero delays of both allocations
	Allocator Allocator
	// ps from a packet's tail leaving an input queue to the next packet's request; only with input
	// queues
	Turnaround units.Time
	Injection  Injection // of NICs
}

// pre returns the time (ps) from the arrival of a packet's head to its first request: for a virtual
// channel with separate allocation, else for the crossbar.
func (r *Router) pre() int64 {
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
	Flit   int64 // a packet occupies whole flits, at least one
}

// Payload returns the most payload bytes that one packet carries.
func (p Packet) Payload() int64 { return p.MTU - p.Header }

// Wire returns the size on the wire (bytes) of a packet with the given payload bytes: header and
// payload, rounded up to whole flits, at least one flit.
func (p Packet) Wire(payload int64) int64 {
	flits := (p.Header + payload + p.Flit - 1) / p.Flit
	return max(flits, 1) * p.Flit
}

// Count returns the number of packets of a message of `size` bytes. A message of no bytes takes one
// packet.
func (p Packet) Count(size int64) int64 {
	return max(1, (size+p.Payload()-1)/p.Payload())
}

// IOBus is the bus between memory and NICs that all NICs of a host share, in each direction. The
// zero value means no bus.
type IOBus struct {
	Bandwidth units.Rate // bytes/s, each way; 0 = there is no bus
	Latency   units.Time // ps, each way; it occupies nothing
}

// Spec holds all parameters of the network. They do not change during a run.
type Spec struct {
	Graph    *topology.Graph
	Routing  routing.Function // either this
	Adaptive routing.Adaptive // or that
	Links    []Link           // by the Link field of the graph's ports
	Router   Router
	Packet   Packet
	DMA      units.Rate // bytes/s between a host's memory and each of its NICs, in each direction
	IOBus    IOBus      // between a host's memory and all of its NICs
	// Gap is how long each NIC pauses after each packet, in thousandths of a packet time, at most
	// GapUnit * MaxGap. A message may ask for a longer pause (Extra.Gap).
	Gap int64
	// TakeTurns makes each NIC take turns among the messages posted to it, packet by packet.
	// Otherwise it sends one message after the other.
	TakeTurns bool
	// ControlFirst makes each NIC send one message after the other, but messages without payload
	// before the next packet of the others. It excludes TakeTurns.
	ControlFirst bool
	Seed         uint64 // of randomized and adaptive routing
	Doors        *Doors `json:"-"` // what a model adds to routers, links and NICs; nil: nothing
	// Cut returns the block of each router, from 0, in a network of so many blocks, each of which
	// must have a router. If it is nil, or returns nil, blocks are runs of routers in the order of
	// their numbers, with the routers without hosts where most of their links lead. It changes no
	// result. All processes of a run must get the same.
	Cut func(blocks int) []int32 `json:"-"`
	// Cells, if not 0, lets routers move between blocks while the network runs (Cells.Recut), in
	// cells of equally many routers, of which there are at most so many. It changes no result. With one
	// block, or several processes, nothing moves.
	Cells int `json:"-"`
}

// MaxGap is the largest Extra.Gap.
const MaxGap = 1 << 24

// GapUnit is the number of units of Spec.Gap in one packet time: Spec.Gap counts thousandths.
const GapUnit = 1000

// choosesPackets reports whether NICs choose the message of each packet.
func (s *Spec) choosesPackets() bool { return s.TakeTurns || s.ControlFirst }
