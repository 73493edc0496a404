package core

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"fabricast/fabric/model"

	"fabricast/internal/offheap"
	"fabricast/routing"
	"fabricast/topology"
)

// Layout holds all immutable data of a run: the graph, the numbering of its elements, and the times
// derived from the Spec.
//
// VC v of global port p has the ID p*NumVCs+v. The VCs of NIC n (its receive buffers and its
// injection credit) follow those of all ports. The ID of a VC relative to the first VC of its
// router is its VC index.
type Layout struct {
	Spec      model.Spec
	NumVCs    uint32
	SetVCs    uint32 // virtual channels of each class of messages: all, unless routers have classes
	Classed   bool   // routers have classes of messages
	Routers   []Router
	Hosts     []uint32 // router of each host
	classes   []LinkLayout
	Names     []int32          // by router: its ID in the user's numbering; nil if equal
	Places    []int32          // by ID in the user's numbering: the router; nil if equal
	DOR       *routing.DOR     // set if the routing is DOR: saves an indirect call at every hop
	first     routing.FirstHop // set if the routing implements it: saves a call for every message
	PerPacket packetStarter    // creates the packets' routes; set only if every packet has its own
	OneRoute  bool             // all packets of a message take the same route

	FirstNICVC        uint32             // first VC of NIC 0
	FirstNICPort      uint32             // ID of NIC 0 among ports, which NICs follow
	Capacity          int32              // size of a buffer in flits
	MaxFlits          int64              // maximum size of a packet in flits
	Payload           int64              // payload in bytes of a packet of maximum size
	MinHop, minCredit int64              // minimum LinkLayout.Hop and Credit between routers (ps)
	fastest           Rate               // highest rate of all outputs
	FullWindow        int64              // windowFor(MaxFlits) (ps)
	Windows           [SizeClasses]int64 // windowFor(1<<class) for each size class (ps)
	RoundRobins       bool
	FlitTime          int64 // time of a flit on every link, unless Uneven (ps)
	// packets may arrive more slowly than they could continue, or take fractions of a ps
	Uneven bool
	entry  int64 // minimum LinkLayout.Entry of links to NICs (ps)
	OneNIC bool  // hosts have one NIC each
	// number of words of all routers' timer bitmaps, and by router the index of its first word; nil
	// if each router has one word
	dueWords    uint32
	firstWords  []uint32
	flitBits    uint8 // binary logarithm of the flit size if that is a power of two; otherwise 0
	DeepReceive bool  // the NICs' receive buffers can never fill up
	DMA         Rate  // rate of a NIC's DMA channel
	BusLatency  int64 // latency of the I/O bus (ps); 0 without a bus
	Gap         int64 // pause after each packet, see Spec.Gap

	// Fields for doors.
	Agents  []uint16     // by router: its agent's port, or NoAgent; nil without agents
	Changes []PortChange // effects of events on ports
	Errors  []PortErrors // by port in the layout: bit errors; nil: none
}

// Name returns the ID of a router in the user's numbering.
func (l *Layout) Name(router uint32) int32 {
	if l.Names == nil {
		return int32(router)
	}
	return l.Names[router]
}

// Router returns the internal ID of the router whose ID in the user's numbering is `name`.
func (l *Layout) Router(name int32) uint32 {
	if l.Places == nil {
		return uint32(name)
	}
	return uint32(l.Places[name])
}

// Router is a router's record, of one cache line: the offsets of its elements in the arrays, and
// which of its timers are set. Its timers are numbered in this order: one for each host whose NICs
// are at this router, one for each NIC, one for each VC. If NICs share an I/O bus, the timers of
// hosts are preceded by one per host for transfers to memory and followed by one per host for
// transfers from memory.
type Router struct {
	// bitmap of the first 64 timers that are set but not in EventWheel.Due
	armed     uint64
	Far       int64 // earliest time of any of these, or earlier (ps)
	Number    uint32
	Base      uint32 // ID of a timer's VC minus the timer (modulo 2^32)
	FirstVC   uint32 // ID of its first VC
	FirstPort uint32 // global ID of its first port
	Timers    uint32 // index of the first timer of its hosts and NICs in EventWheel.Timers
	// Timers 64*w and on are in word Masks+w of EventWheel.armed, and of each window of
	// EventWheel.Due.
	Masks     uint32
	FirstNIC  uint32 // global ID of its first NIC
	FirstHost uint32 // ID of a host minus its timer (modulo 2^32)
	Words     uint16 // number of words of its timer bitmaps
	NumHosts  uint16
	NumNICs   uint16
	First     uint16 // index of the first VC's timer
	NumVCs    uint16
	Wakes     uint16 // number of timers of its hosts and their I/O buses
	Streams   uint32 // number of streams that pass it, see inputqueued.stream
}

// Wheel is the number of coming windows that have a bitmap of the due timers of each router.
const Wheel = 8

// PortLayout describes an output port and its other end.
type PortLayout struct {
	Down uint32 // first VC at the other end (router port or NIC)
	// router at the other end; ^NIC if a NIC is there, Unconnected if nothing is
	Router int32
	Class  uint16
}

// Unconnected is the value of PortLayout.Router for a port with nothing at its other end.
const Unconnected = math.MinInt32

// NIC returns the NIC at the other end of a port that leads to one.
func (p *PortLayout) NIC() int32 { return ^p.Router }

// LinkLayout holds the times of a class of links, as outputs of a router and of NICs to a router.
type LinkLayout struct {
	Serialize Rate
	Hop       int64 // from the start at one router until eligible at the next
	Tail      int64 // from the tail leaving the buffer until the tail arrives at the other end
	Credit    int64 // from the tail leaving the buffer until the credit is known upstream
	Inject    Rate  // rate at which a NIC injects packets
	Entry     int64 // from the head leaving a NIC until eligible at the router
}

// MaxTimers limits the timers of a router, so that a 64-bit key can sort them.
const MaxTimers = 1 << 16

// maxSpan limits the time (ps) that a packet takes on a link, which is stored in 32 bits.
const maxSpan = 1<<32 - 1

// NewLayout computes the layout of a Spec. Its large tables are allocated in the arena.
func NewLayout(spec model.Spec, arena *offheap.Arena) (*Layout, error) {
	if err := check(spec); err != nil {
		return nil, err
	}
	g := spec.Graph
	l := &Layout{
		Spec:         spec,
		NumVCs:       uint32(spec.Router.VCs),
		SetVCs:       uint32(spec.Router.Set()),
		Classed:      len(spec.Router.Classes) > 0,
		FirstNICVC:   uint32(len(g.Ports) * spec.Router.VCs),
		FirstNICPort: uint32(len(g.Ports)),
		Capacity:     int32(int64(spec.Router.Buffer) / spec.Packet.Flit),
		MaxFlits:     spec.Packet.Wire(spec.Packet.Payload()) / spec.Packet.Flit,
		Payload:      spec.Packet.Payload(),
		OneNIC:       g.NICsPerHost == 1,
		DMA:          NewRate(int64(spec.DMA)),
		Gap:          spec.Gap,
	}
	if bus := spec.IOBus; bus.Bandwidth > 0 {
		l.DMA, l.BusLatency = NewRate(min(int64(spec.DMA), int64(bus.Bandwidth))), int64(bus.Latency)
	}
	if flit := uint64(spec.Packet.Flit); flit&(flit-1) == 0 {
		l.flitBits = uint8(bits.TrailingZeros64(flit))
	}
	if dor, ok := spec.Routing.(*routing.DOR); ok && dor.VCs() == spec.Router.VCs {
		l.DOR = dor // with other numbers of channels, its numbers of outputs are not those of the layout
	}
	l.PerPacket = startsPackets(&spec)
	l.OneRoute = l.PerPacket == nil
	l.first, _ = spec.Routing.(routing.FirstHop)
	l.classes = make([]LinkLayout, len(spec.Links))
	for i, link := range spec.Links {
		l.classes[i] = newLinkLayout(spec, link)
	}
	l.RoundRobins = spec.Router.ArbiterKind().ByTurn()
	hosts := g.HostClasses()
	l.compareRates(hosts)
	l.entry = model.Forever
	for _, class := range hosts {
		l.entry = min(l.entry, l.classes[class].Entry)
	}
	l.DeepReceive = l.receivesFreely(hosts)
	if err := l.place(g, arena); err != nil {
		return nil, err
	}
	return l, l.findLookahead(g)
}

func newLinkLayout(spec model.Spec, link model.Link) LinkLayout {
	r := spec.Router
	post := int64(r.SwitchTraversal) + int64(r.Latency)
	c := LinkLayout{
		Serialize: NewRate(min(int64(link.Bandwidth), int64(r.Bandwidth))),
		Hop:       post + int64(link.Latency) + r.RequestDelay(),
		Tail:      post + int64(link.Latency),
		Credit:    int64(link.Latency),
		Inject:    NewRate(int64(link.Bandwidth)),
		Entry:     int64(link.Latency) + r.RequestDelay(),
	}
	if r.OutputBuffer > 0 { // a packet passes the crossbar before it starts on the link
		c.Serialize = NewRate(int64(r.Bandwidth))
		c.Hop -= post
		c.Tail -= post
	}
	return c
}

// compareRates computes FlitTime, if it is the same on all links, and Uneven. hosts are the classes
// of links to NICs.
func (l *Layout) compareRates(hosts []uint16) {
	flit := l.classes[hosts[0]].Inject.PerByte
	l.FlitTime = int64(flit) * l.Spec.Packet.Flit
	l.Uneven = flit == 0
	for i := range l.classes {
		l.Uneven = l.Uneven || l.classes[i].Serialize.PerByte != flit
	}
	for _, class := range hosts {
		l.Uneven = l.Uneven || l.classes[class].Inject.PerByte != flit
	}
	l.Uneven = l.Uneven || l.Spec.Doors != nil && slices.ContainsFunc(l.Spec.Doors.Events, changesInjection)
}

// Flits returns the size in flits of a packet with the given payload in bytes. It equals
// Packet.Wire but needs no division.
func (l *Layout) Flits(payload int64) int64 {
	p := &l.Spec.Packet
	bytes := p.Header + payload + p.Flit - 1
	if l.flitBits != 0 {
		return max(1, bytes>>l.flitBits)
	}
	return max(1, bytes/p.Flit)
}

// packetStarter is a routing algorithm that computes a separate header for every packet.
type packetStarter interface {
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// startsPackets returns the routing algorithm of a Spec if it computes a header for every packet,
// and nil otherwise.
func startsPackets(s *model.Spec) packetStarter {
	if s.Adaptive != nil {
		return s.Adaptive
	}
	p, _ := s.Routing.(routing.Randomized)
	return p
}

// receivesFreely reports whether a NIC's receive buffer is so deep that its credit never runs out.
// Memory accepts packets at least as fast as the link delivers them, so the space of a packet is
// free again a fixed time after the packet started. If the buffer can hold all packets that start
// within that time, the engine need not count its credit. hosts are the classes of links to NICs.
func (l *Layout) receivesFreely(hosts []uint16) bool {
	if SharesBus(&l.Spec) || l.Uneven || l.DMA.PerByte == 0 {
		return false
	}
	for _, class := range hosts {
		c := &l.classes[class]
		round := c.Tail + c.Credit + 2*l.MaxFlits*l.FlitTime
		if l.DMA.PerByte > c.Serialize.PerByte || round/l.FlitTime+2*l.MaxFlits+2 > int64(l.Capacity) {
			return false
		}
	}
	return true
}

// check returns an error if the model does not support the Spec.
func check(s model.Spec) error {
	switch {
	case (s.Routing == nil) == (s.Adaptive == nil):
		return errors.New("routing: there must be either a routing function or adaptive routing")
	case s.Router.VCs < 1 || s.Router.VCs > routing.MaxVCs:
		return fmt.Errorf("virtual channels: %d is not between 1 and %d", s.Router.VCs, routing.MaxVCs)
	case s.Packet.Flit < 1 || s.Packet.Payload() < 1:
		return fmt.Errorf(
			"packets: flit %d B, MTU %d B and header %d B leave no payload",
			s.Packet.Flit, s.Packet.MTU, s.Packet.Header,
		)
	case s.Packet.Wire(s.Packet.Payload())/s.Packet.Flit > FlitMask:
		return fmt.Errorf(
			"packets: an MTU of %d B is more than %d flits of %d B",
			s.Packet.MTU, FlitMask, s.Packet.Flit,
		)
	case int64(s.Router.Buffer) < s.Packet.Wire(s.Packet.Payload()):
		return fmt.Errorf(
			"buffer: %d B cannot hold the largest packet of %d B",
			int64(s.Router.Buffer), s.Packet.Wire(s.Packet.Payload()),
		)
	case int64(s.Router.Buffer)/s.Packet.Flit > 1<<30:
		return fmt.Errorf("buffer: %d B is more than %d flits", int64(s.Router.Buffer), 1<<30)
	case s.Router.OutputBuffer != 0 && int64(s.Router.OutputBuffer) < s.Packet.Wire(s.Packet.Payload()):
		return fmt.Errorf(
			"output buffer: %d B cannot hold the largest packet of %d B",
			int64(s.Router.OutputBuffer), s.Packet.Wire(s.Packet.Payload()),
		)
	case int64(s.Router.OutputBuffer)/s.Packet.Flit > 1<<30:
		return fmt.Errorf("output buffer: %d B is more than %d flits", int64(s.Router.OutputBuffer), 1<<30)
	case len(s.Links) <= int(topology.LinkHost):
		return fmt.Errorf("links: %d classes, but NICs use class %d", len(s.Links), topology.LinkHost)
	case len(s.Links) > 1<<8:
		return fmt.Errorf("links: %d classes are more than the %d that can be simulated", len(s.Links), 1<<8)
	case s.Router.Allocation == model.SeparateAllocation && s.Router.Queues != model.InputQueues:
		return errors.New("separate allocation: wants input queues, not virtual output queues")
	case s.Router.Allocator == model.SeparableAllocator && (s.Router.Allocation != model.SeparateAllocation ||
		s.Router.VCAllocation < 1 || s.Router.SwitchAllocation < 1):
		return errors.New("separable allocators: want separate allocation, and delays of both allocations")
	case s.Router.Turnaround < 0 || s.Router.Turnaround > 0 && s.Router.Queues != model.InputQueues:
		return errors.New(
			"turnaround: must not be negative, and wants input queues, not virtual output queues",
		)
	case s.Router.Bandwidth < 1 || s.DMA < 1:
		return fmt.Errorf("crossbar and DMA bandwidth must be positive")
	case s.Gap < 0 || s.Gap > model.GapUnit*model.MaxGap:
		return ErrGap
	case s.IOBus.Bandwidth < 0 || s.IOBus.Latency < 0 || s.IOBus.Bandwidth == 0 && s.IOBus.Latency > 0:
		return fmt.Errorf("I/O bus: bandwidth must be positive and latency not negative")
	}
	if flit, _ := NewRate(int64(s.Router.Bandwidth)).Duration(s.Packet.Flit, 0); s.Router.OutputBuffer != 0 &&
		flit < 1 {
		return fmt.Errorf("crossbar: a flit of %d B takes less than 1 ps", s.Packet.Flit)
	}
	for i, link := range s.Links {
		if link.Bandwidth < 1 {
			return fmt.Errorf("links: the bandwidth of class %d must be positive", i)
		}
		longest, _ := NewRate(min(int64(link.Bandwidth), int64(s.Router.Bandwidth))).Duration(
			s.Packet.Wire(s.Packet.Payload()), 0,
		)
		if flit, _ := NewRate(int64(link.Bandwidth)).Duration(s.Packet.Flit, 0); flit < 1 {
			return fmt.Errorf("links: a flit of %d B takes less than 1 ps on class %d", s.Packet.Flit, i)
		}
		if longest > maxSpan/2 {
			return fmt.Errorf(
				"links: a packet of %d B takes %d ps on class %d, more than the %d ps that can be simulated",
				s.Packet.MTU, longest, i, maxSpan/2,
			)
		}
	}
	return checkClasses(&s)
}

// place numbers the NICs, hosts, ports and VCs of the routers. The NICs and hosts of a router must
// be consecutive, and all NICs of a host must be at one router.
func (l *Layout) place(g *topology.Graph, arena *offheap.Arena) error {
	if (uint64(len(g.Ports))+uint64(len(g.NICPort)))*uint64(l.NumVCs) > 1<<31 {
		return fmt.Errorf(
			"%d ports of %d virtual channels are more than can be numbered",
			len(g.Ports), l.NumVCs,
		)
	}
	var errs [2]error
	l.Routers, errs[0] = offheap.Make[Router](arena, g.Routers)
	l.Hosts, errs[1] = offheap.Make[uint32](arena, g.Hosts)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if err := l.placeNICs(g); err != nil {
		return err
	}
	var timers, masks uint32
	for r := range l.Routers {
		lr := &l.Routers[r]
		lr.Number = uint32(r)
		lr.FirstPort = uint32(g.PortBase[r])
		lr.FirstVC = lr.FirstPort * l.NumVCs
		vcs := uint32(g.PortBase[r+1]-g.PortBase[r]) * l.NumVCs
		lr.Wakes = lr.NumHosts
		if SharesBus(&l.Spec) {
			lr.Wakes = 3 * lr.NumHosts
			lr.FirstHost -= uint32(lr.NumHosts)
		}
		first := uint32(lr.Wakes) + uint32(lr.NumNICs)
		if l.Spec.Doors != nil {
			first++
		}
		if first+vcs >= MaxTimers {
			return fmt.Errorf(
				"router %d has more ports and channels (%d) than the %d that can be simulated",
				r, vcs, MaxTimers,
			)
		}
		lr.Base = lr.FirstVC - first
		lr.Timers, lr.Masks = timers, masks
		lr.First, lr.NumVCs, lr.Words = uint16(first), uint16(vcs), uint16((first+vcs+63)/64)
		lr.Far = model.Forever
		timers += first
		masks += uint32(lr.Words)
	}
	l.dueWords = masks
	if masks > uint32(g.Routers) {
		l.firstWords = make([]uint32, g.Routers)
		for r := range l.firstWords {
			l.firstWords[r] = l.Routers[r].Masks
		}
	}
	return nil
}

// placeNICs counts each router's NICs and hosts, and computes their offsets.
func (l *Layout) placeNICs(g *topology.Graph) error {
	for n, port := range g.NICPort {
		host := n / g.NICsPerHost
		r := &l.Routers[g.Ports[port].Router]
		if n%g.NICsPerHost == 0 {
			if r.NumHosts == 0 {
				r.FirstHost, r.FirstNIC = uint32(host), uint32(n)
			}
			r.NumHosts++
			l.Hosts[host] = uint32(g.Ports[port].Router)
		}
		r.NumNICs++
		if int(l.Hosts[host]) != int(g.Ports[port].Router) || uint32(n) != r.FirstNIC+uint32(r.NumNICs)-1 {
			return fmt.Errorf(
				"NIC %d: the NICs of a host and the hosts of a router must be numbered one after the other",
				n,
			)
		}
	}
	return nil
}

// Wiring returns the other end of a port, given by its global ID.
func (l *Layout) Wiring(number uint32) PortLayout {
	port := &l.Spec.Graph.Ports[number]
	to := PortLayout{Router: Unconnected, Class: port.Link}
	switch {
	case port.NIC != topology.Unconnected:
		to.Router = ^port.NIC
		to.Down = l.FirstNICVC + uint32(port.NIC)*l.NumVCs
	case port.Peer != topology.Unconnected:
		to.Router = l.Spec.Graph.Ports[port.Peer].Router
		to.Down = l.Beyond(number)
	}
	return to
}

// Beyond returns the first VC of the port at the other end of a port that leads to a router.
func (l *Layout) Beyond(port uint32) uint32 { return uint32(l.Spec.Graph.Ports[port].Peer) * l.NumVCs }

// maxWindow is the maximum window length (ps). With longer windows, the reciprocal would not be
// exact over the horizon of the calendar (Horizon*window^2 <= 2^64). minWindow is the minimum
// window length (ps) that the window arithmetic can handle.
const (
	maxWindow = 1 << 28
	minWindow = 2
)

// findLookahead computes the terms that limit the window length. An action of a router at time t
// affects another router no earlier than t + hop (by a packet), or t + packet time + cable latency
// (by a credit).
func (l *Layout) findLookahead(g *topology.Graph) error {
	used := make([]bool, len(l.classes))
	l.MinHop, l.minCredit = maxWindow, maxWindow
	if interval := l.Publishes(); interval > 0 {
		l.MinHop = min(l.MinHop, interval)
	}
	for _, p := range g.Ports {
		used[p.Link] = used[p.Link] || p.Peer != topology.Unconnected || p.NIC != topology.Unconnected
		if p.Peer != topology.Unconnected {
			l.MinHop = min(l.MinHop, l.classes[p.Link].Hop)
			l.minCredit = min(l.minCredit, l.classes[p.Link].Credit)
		}
	}
	l.boundByDoors(used)
	for i, c := range l.classes {
		if used[i] && c.Serialize.perSecond > l.fastest.perSecond {
			l.fastest = c.Serialize
		}
	}
	l.FullWindow = l.windowFor(l.MaxFlits)
	for class := range l.Windows {
		l.Windows[class] = l.windowFor(1 << class)
	}
	if l.Windows[0] < minWindow {
		return fmt.Errorf(
			"links and routers without any delay cannot be simulated: give the links a latency, or " +
				"the routers a delay",
		)
	}
	return nil
}

// windowFor returns the maximum window length (ps) if every packet has at least the given number of
// flits.
func (l *Layout) windowFor(flits int64) int64 {
	shortest, _ := l.fastest.Duration(flits*l.Spec.Packet.Flit, 0)
	return min(l.MinHop, l.minCredit+shortest)
}

// Enter returns the virtual channel in which packets between two NICs enter the router of the
// sending NIC, the VC of their output there, and their header from there on. All packets must have
// the same route.
func (l *Layout) Enter(router uint32, src, dst int32) (index uint16, route uint64, entry uint8) {
	if l.DOR != nil {
		return l.DOR.First(src, dst)
	}
	if l.first != nil {
		port, vc, route, entry := l.first.FirstHop(src, dst)
		return port*uint16(l.NumVCs) + vc, route, entry
	}
	route, entry = l.Spec.Routing.Start(src, dst)
	route, index = l.Onward(router, route)
	return index, route, entry
}

// Onward returns the header of a packet after a router, and the VC of its output there.
func (l *Layout) Onward(router uint32, header uint64) (route uint64, out uint16) {
	port, vc, route := l.Spec.Routing.Next(l.Name(router), header)
	return route, port*uint16(l.NumVCs) + vc
}

// SharesBus reports whether several NICs share an I/O bus. A single NIC on a bus is simulated
// without a bus, at the lower of both rates.
func SharesBus(s *model.Spec) bool { return s.IOBus.Bandwidth > 0 && s.Graph.NICsPerHost > 1 }

// FirstHost returns the ID of a router's first host.
func (l *Layout) FirstHost(r *Router) uint32 { return r.FirstHost + uint32(r.Wakes-r.NumHosts)/2 }

// Publishes returns the interval (ps) at which queue lengths are published, or 0 if they are not.
func (l *Layout) Publishes() int64 {
	if informed, ok := l.Spec.Adaptive.(routing.Informed); ok {
		return informed.Interval()
	}
	return 0
}

// LateWindow returns the maximum window length (ps) if the length of the window after the next is
// determined from data available before the next one. Small packets posted in the next window are
// then ignored. This is safe because no such packet leaves its second router before both windows
// are over.
func (l *Layout) LateWindow() int64 { return (l.entry + l.MinHop) / 2 }

var ErrGap = errors.New("fabricast: a gap between packets of more than 2^24 packet times")

// DoorTimer returns the router's timer for doors, which follows those of its NICs.
func (r *Router) DoorTimer() uint32 { return uint32(r.First) - 1 }
