package fabric

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"fabricast/internal/offheap"
	"fabricast/routing"
	"fabricast/topology"
)

// layout holds everything that a run looks up and never changes: the graph, the numbers of its
// elements, and the times that follow from the Spec.
//
// Numbering. VC v of global port p is lane p*vcs+v (state.lanes). The lanes of NIC n (its receive
// buffers and its injection credit) follow those of all ports. A lane's number counted from the
// first lane of its router is its slot.
type layout struct {
	spec      Spec
	vcs       uint32
	routers   []routerState
	hosts     []uint32 // router of each host
	classes   []linkLayout
	names     []int32          // by router: its number outside the package; nil if that is the same
	places    []int32          // by number outside: the router; nil if that is the same
	dor       *routing.DOR     // set if routing is DOR: saves an indirect call at every hop
	first     routing.FirstHop // set if routing is one: saves a call for every message
	perPacket packetStarter    // set if every packet has a route of its own
	oneRoute  bool             // all packets of a message take the same route

	nicLanes          uint32             // first lane of NIC 0
	nicPorts          uint32             // number of NIC 0 among ports
	capacity          int32              // flits of a buffer
	maxFlits          int64              // of a packet
	payload           int64              // bytes of a full packet
	minHop, minCredit int64              // ps: least linkLayout.hop and credit between routers
	fastest           rate               // of all outputs
	fullWindow        int64              // ps: windowFor(maxFlits)
	windows           [sizeClasses]int64 // ps: windowFor(1<<class)
	roundRobins       bool
	flitTime          int64 // ps of a flit on every link, unless uneven
	// packets may arrive slower than they could go on, or take fractions of a ps
	uneven bool
	entry  int64 // ps: least linkLayout.entry of a link to a NIC
	oneNIC bool  // hosts have one NIC each
	// words of all routers' bitmaps of timers, and by router the first of its own; nil if each router
	// has one
	dueWords    uint32
	firstWords  []uint32
	flitBits    uint8 // if a flit has a power of two of bytes, that power; else 0
	deepReceive bool  // the NICs' receive buffers can never fill up
	dma         rate  // of a NIC's channel
	busLatency  int64 // ps; 0 without an I/O bus
	gap         int64 // Spec.Gap

	// of doors:
	agents    []uint16     // by router: its agent's port, or noAgent; nil without agents
	changes   []portChange // by events
	ratesFrom int          // first class of links for the rates that events set
}

// name returns the number by which the package's users know a router.
func (l *layout) name(router uint32) int32 {
	if l.names == nil {
		return int32(router)
	}
	return l.names[router]
}

// router returns the internal number of a router that the package's users know as `name`.
func (l *layout) router(name int32) uint32 {
	if l.places == nil {
		return uint32(name)
	}
	return uint32(l.places[name])
}

// routerState is a router's record of one cache line: the index of its first element in each array,
// and which of its timers are set. Its timers are numbered in this order: one for each host whose
// NICs are here (with shared I/O buses, preceded by one a host for transfers to memory and followed
// by one a host for transfers from memory), one for each NIC, one for each slot.
type routerState struct {
	// bitmap of timers that are set and not in state.due, the first 64
	armed  uint64
	far    int64 // ps: not after the earliest of these
	number uint32
	base   uint32 // number of a timer's lane less the timer (modulo 2^32)
	lanes  uint32 // its first lane
	ports  uint32 // global number of its first port
	timers uint32 // first of its hosts' and NICs' timers
	// timers 64*w and on have the word masks+w of state.armed, and of each window's row of state.due
	masks  uint32
	nics   uint32 // global number of its first NIC
	hosts  uint32 // number of a host less its timer (modulo 2^32)
	words  uint16 // of 64 timers
	nHosts uint16
	nNICs  uint16
	first  uint16 // timer of slot 0
	slots  uint16
	wakes  uint16 // timers of hosts and their buses
	_      uint32
}

// wheel is the number of coming windows for each of which a bitmap says which timers of a router
// are due.
const wheel = 8

// portLayout is one output port and where it leads.
type portLayout struct {
	down uint32 // first lane at the other end (router port or NIC)
	// router at the other end; ^NIC if a NIC is there, unconnected if nothing is
	router int32
	class  uint16
}

// unconnected is the value of portLayout.router for a port that leads nowhere.
const unconnected = math.MinInt32

// nic returns the NIC at the other end of a port that leads to one.
func (p *portLayout) nic() int32 { return ^p.router }

// linkLayout is a class of links, as outputs of a router, and of NICs to a router.
type linkLayout struct {
	serialize rate
	hop       int64 // start at one router to ready at the next
	tail      int64 // tail leaving the buffer to tail arriving at the other end
	credit    int64 // tail leaving the buffer to credit known upstream
	inject    rate  // of a NIC
	entry     int64 // head leaving a NIC to ready at the router
}

// maxTimers bounds the timers of a router, so that a 64-bit key can sort them.
const maxTimers = 1 << 16

// maxSpan bounds the time (ps) that a packet takes on a link: spans are kept in 32 bits.
const maxSpan = 1<<32 - 1

// newLayout computes the layout of a Spec. Its large tables are allocated in the arena.
func newLayout(spec Spec, arena *offheap.Arena) (*layout, error) {
	if err := check(spec); err != nil {
		return nil, err
	}
	spec, ratesFrom := withRates(spec)
	g := spec.Graph
	l := &layout{
		ratesFrom: ratesFrom,

		spec:     spec,
		vcs:      uint32(spec.Router.VCs),
		nicLanes: uint32(len(g.Ports) * spec.Router.VCs),
		nicPorts: uint32(len(g.Ports)),
		capacity: int32(int64(spec.Router.Buffer) / spec.Packet.Flit),
		maxFlits: spec.Packet.Wire(spec.Packet.Payload()) / spec.Packet.Flit,
		payload:  spec.Packet.Payload(),
		oneNIC:   g.NICsPerHost == 1,
		dma:      newRate(int64(spec.DMA)),
		gap:      spec.Gap,
	}
	if bus := spec.IOBus; bus.Bandwidth > 0 {
		l.dma, l.busLatency = newRate(min(int64(spec.DMA), int64(bus.Bandwidth))), int64(bus.Latency)
	}
	if flit := uint64(spec.Packet.Flit); flit&(flit-1) == 0 {
		l.flitBits = uint8(bits.TrailingZeros64(flit))
	}
	l.dor, _ = spec.Routing.(*routing.DOR)
	l.perPacket = startsPackets(&spec)
	l.oneRoute = l.perPacket == nil
	l.first, _ = spec.Routing.(routing.FirstHop)
	l.classes = make([]linkLayout, len(spec.Links))
	for i, link := range spec.Links {
		l.classes[i] = newLinkLayout(spec, link)
	}
	l.roundRobins = spec.Router.arbiterKind().byTurn()
	hosts := g.HostClasses()
	l.compareRates(hosts)
	l.entry = Forever
	for _, class := range hosts {
		l.entry = min(l.entry, l.classes[class].entry)
	}
	l.deepReceive = l.receivesFreely(hosts)
	if err := l.place(g, arena); err != nil {
		return nil, err
	}
	return l, l.findLookahead(g)
}

func newLinkLayout(spec Spec, link Link) linkLayout {
	r := spec.Router
	post := int64(r.SwitchTraversal) + int64(r.Latency)
	c := linkLayout{
		serialize: newRate(min(int64(link.Bandwidth), int64(r.Bandwidth))),
		hop:       post + int64(link.Latency) + r.pre(),
		tail:      post + int64(link.Latency),
		credit:    int64(link.Latency),
		inject:    newRate(int64(link.Bandwidth)),
		entry:     int64(link.Latency) + r.pre(),
	}
	if r.OutputBuffer > 0 { // the way through the crossbar lies before the start on the link
		c.serialize = newRate(int64(r.Bandwidth))
		c.hop -= post
		c.tail -= post
	}
	return c
}

// compareRates computes the time of a flit, if it is the same on all links. hosts are the classes of
// links to NICs.
func (l *layout) compareRates(hosts []uint16) {
	flit := l.classes[hosts[0]].inject.perByte
	l.flitTime = int64(flit) * l.spec.Packet.Flit
	l.uneven = flit == 0
	for i := range l.classes {
		l.uneven = l.uneven || l.classes[i].serialize.perByte != flit
	}
	for _, class := range hosts {
		l.uneven = l.uneven || l.classes[class].inject.perByte != flit
	}
}

// flits returns the number of flits of a packet with so many bytes of payload. It gives the same
// result as Packet.Wire without a division.
func (l *layout) flits(payload int64) int64 {
	p := &l.spec.Packet
	bytes := p.Header + payload + p.Flit - 1
	if l.flitBits != 0 {
		return max(1, bytes>>l.flitBits)
	}
	return max(1, bytes/p.Flit)
}

// packetStarter is a routing algorithm that computes a header of its own for every packet.
type packetStarter interface {
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// startsPackets returns a Spec's routing algorithm if it computes a header for every packet, else
// nil.
func startsPackets(s *Spec) packetStarter {
	if s.Adaptive != nil {
		return s.Adaptive
	}
	p, _ := s.Routing.(routing.Randomized)
	return p
}

// receivesFreely reports whether a NIC's receive buffer is so deep that its credit never runs out.
// Memory takes packets at least as fast as the link brings them, so the space of a packet is free
// again a fixed time after it started. If the buffer holds all that can start in that time, the
// engine need not count its credit. hosts are the classes of links to NICs.
func (l *layout) receivesFreely(hosts []uint16) bool {
	if sharesBus(&l.spec) || l.uneven || l.dma.perByte == 0 {
		return false
	}
	for _, class := range hosts {
		c := &l.classes[class]
		round := c.tail + c.credit + 2*l.maxFlits*l.flitTime
		if l.dma.perByte > c.serialize.perByte || round/l.flitTime+2*l.maxFlits+2 > int64(l.capacity) {
			return false
		}
	}
	return true
}

// check returns an error for a Spec that the model cannot represent.
func check(s Spec) error {
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
	case s.Packet.Wire(s.Packet.Payload())/s.Packet.Flit > flitMask:
		return fmt.Errorf(
			"packets: an MTU of %d B is more than %d flits of %d B",
			s.Packet.MTU, flitMask, s.Packet.Flit,
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
	case s.Router.Allocation == SeparateAllocation && s.Router.Queues != InputQueues:
		return errors.New("separate allocation: wants input queues, not virtual output queues")
	case s.Router.Allocator == SeparableAllocator && (s.Router.Allocation != SeparateAllocation ||
		s.Router.VCAllocation < 1 || s.Router.SwitchAllocation < 1):
		return errors.New("separable allocators: want separate allocation, and delays of both allocations")
	case s.Router.Turnaround < 0 || s.Router.Turnaround > 0 && s.Router.Queues != InputQueues:
		return errors.New(
			"turnaround: must not be negative, and wants input queues, not virtual output queues",
		)
	case s.Router.Bandwidth < 1 || s.DMA < 1:
		return fmt.Errorf("crossbar and DMA bandwidth must be positive")
	case s.Gap < 0 || s.Gap > GapUnit*MaxGap:
		return errGap
	case s.IOBus.Bandwidth < 0 || s.IOBus.Latency < 0 || s.IOBus.Bandwidth == 0 && s.IOBus.Latency > 0:
		return fmt.Errorf("I/O bus: bandwidth must be positive and latency not negative")
	}
	if flit, _ := newRate(int64(s.Router.Bandwidth)).duration(s.Packet.Flit, 0); s.Router.OutputBuffer != 0 &&
		flit < 1 {
		return fmt.Errorf("crossbar: a flit of %d B takes less than 1 ps", s.Packet.Flit)
	}
	for i, link := range s.Links {
		if link.Bandwidth < 1 {
			return fmt.Errorf("links: the bandwidth of class %d must be positive", i)
		}
		longest, _ := newRate(min(int64(link.Bandwidth), int64(s.Router.Bandwidth))).duration(
			s.Packet.Wire(s.Packet.Payload()), 0,
		)
		if flit, _ := newRate(int64(link.Bandwidth)).duration(s.Packet.Flit, 0); flit < 1 {
			return fmt.Errorf("links: a flit of %d B takes less than 1 ps on class %d", s.Packet.Flit, i)
		}
		if longest > maxSpan/2 {
			return fmt.Errorf(
				"links: a packet of %d B takes %d ps on class %d, more than the %d ps that can be simulated",
				s.Packet.MTU, longest, i, maxSpan/2,
			)
		}
	}
	return nil
}

// place numbers the NICs, hosts, ports and VCs of the routers. The NICs and hosts of a router must
// be consecutive, and all NICs of a host must be at one router.
func (l *layout) place(g *topology.Graph, arena *offheap.Arena) error {
	if (uint64(len(g.Ports))+uint64(len(g.NICPort)))*uint64(l.vcs) > 1<<31 {
		return fmt.Errorf(
			"%d ports of %d virtual channels are more than can be numbered",
			len(g.Ports), l.vcs,
		)
	}
	var errs [2]error
	l.routers, errs[0] = offheap.Make[routerState](arena, g.Routers)
	l.hosts, errs[1] = offheap.Make[uint32](arena, g.Hosts)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if err := l.placeNICs(g); err != nil {
		return err
	}
	var timers, masks uint32
	for r := range l.routers {
		lr := &l.routers[r]
		lr.number = uint32(r)
		lr.ports = uint32(g.PortBase[r])
		lr.lanes = lr.ports * l.vcs
		slots := uint32(g.PortBase[r+1]-g.PortBase[r]) * l.vcs
		lr.wakes = lr.nHosts
		if sharesBus(&l.spec) {
			lr.wakes = 3 * lr.nHosts
			lr.hosts -= uint32(lr.nHosts)
		}
		first := uint32(lr.wakes) + uint32(lr.nNICs)
		if l.spec.Doors != nil {
			first++
		}
		if first+slots >= maxTimers {
			return fmt.Errorf(
				"router %d has more ports and channels (%d) than the %d that can be simulated",
				r, slots, maxTimers,
			)
		}
		lr.base = lr.lanes - first
		lr.timers, lr.masks = timers, masks
		lr.first, lr.slots, lr.words = uint16(first), uint16(slots), uint16((first+slots+63)/64)
		lr.far = Forever
		timers += first
		masks += uint32(lr.words)
	}
	l.dueWords = masks
	if masks > uint32(g.Routers) {
		l.firstWords = make([]uint32, g.Routers)
		for r := range l.firstWords {
			l.firstWords[r] = l.routers[r].masks
		}
	}
	return nil
}

// placeNICs counts each router's NICs and hosts, and computes where they begin.
func (l *layout) placeNICs(g *topology.Graph) error {
	for n, port := range g.NICPort {
		host := n / g.NICsPerHost
		r := &l.routers[g.Ports[port].Router]
		if n%g.NICsPerHost == 0 {
			if r.nHosts == 0 {
				r.hosts, r.nics = uint32(host), uint32(n)
			}
			r.nHosts++
			l.hosts[host] = uint32(g.Ports[port].Router)
		}
		r.nNICs++
		if int(l.hosts[host]) != int(g.Ports[port].Router) || uint32(n) != r.nics+uint32(r.nNICs)-1 {
			return fmt.Errorf(
				"NIC %d: the NICs of a host and the hosts of a router must be numbered one after the other",
				n,
			)
		}
	}
	return nil
}

// wiring returns where a port leads, by its global number.
func (l *layout) wiring(number uint32) portLayout {
	port := &l.spec.Graph.Ports[number]
	to := portLayout{router: unconnected, class: port.Link}
	switch {
	case port.NIC != topology.Unconnected:
		to.router = ^port.NIC
		to.down = l.nicLanes + uint32(port.NIC)*l.vcs
	case port.Peer != topology.Unconnected:
		to.router = l.spec.Graph.Ports[port.Peer].Router
		to.down = l.beyond(number)
	}
	return to
}

// beyond returns the first lane of the port at the other end of a port that leads to a router.
func (l *layout) beyond(port uint32) uint32 { return uint32(l.spec.Graph.Ports[port].Peer) * l.vcs }

// maxWindow is the longest window (ps): with a longer one the reciprocal would not be exact as far
// ahead as the calendar has bitmaps (horizon*window^2 <= 2^64). minWindow is the shortest window
// (ps) that the window arithmetic can handle.
const (
	maxWindow = 1 << 28
	minWindow = 2
)

// findLookahead computes the terms of the window's length. What one router does at time t reaches
// another not before t + hop (a packet), or t + the time of the packet + cable (a credit).
func (l *layout) findLookahead(g *topology.Graph) error {
	used := make([]bool, len(l.classes))
	l.minHop, l.minCredit = maxWindow, maxWindow
	if interval := l.publishes(); interval > 0 {
		l.minHop = min(l.minHop, interval)
	}
	for _, p := range g.Ports {
		used[p.Link] = used[p.Link] || p.Peer != topology.Unconnected || p.NIC != topology.Unconnected
		if p.Peer != topology.Unconnected {
			l.minHop = min(l.minHop, l.classes[p.Link].hop)
			l.minCredit = min(l.minCredit, l.classes[p.Link].credit)
		}
	}
	l.boundByDoors(used)
	for i, c := range l.classes {
		if used[i] && c.serialize.perSecond > l.fastest.perSecond {
			l.fastest = c.serialize
		}
	}
	l.fullWindow = l.windowFor(l.maxFlits)
	for class := range l.windows {
		l.windows[class] = l.windowFor(1 << class)
	}
	if l.windows[0] < minWindow {
		return fmt.Errorf(
			"links and routers without any delay cannot be simulated: give the links a latency, or " +
				"the routers a delay",
		)
	}
	return nil
}

// windowFor returns the longest window (ps) if no packet has fewer flits than `flits`.
func (l *layout) windowFor(flits int64) int64 {
	shortest, _ := l.fastest.duration(flits*l.spec.Packet.Flit, 0)
	return min(l.minHop, l.minCredit+shortest)
}

// enter returns the virtual channel in which packets between two NICs enter the router of the
// sending one, the slot of their output there, and the header that they carry on. All packets must
// have one route.
func (l *layout) enter(router uint32, src, dst int32) (slot uint16, route uint64, entry uint8) {
	if l.dor != nil {
		return l.dor.First(src, dst)
	}
	if l.first != nil {
		port, vc, route, entry := l.first.FirstHop(src, dst)
		return port*uint16(l.vcs) + vc, route, entry
	}
	route, entry = l.spec.Routing.Start(src, dst)
	route, slot = l.onward(router, route)
	return slot, route, entry
}

// onward returns the header that a packet carries on from a router, and the slot of its output
// there.
func (l *layout) onward(router uint32, header uint64) (route uint64, out uint16) {
	port, vc, route := l.spec.Routing.Next(l.name(router), header)
	return route, port*uint16(l.vcs) + vc
}

// sharesBus reports whether several NICs share an I/O bus. A single NIC on a bus is simulated as
// one without a bus, at the lower of both rates.
func sharesBus(s *Spec) bool { return s.IOBus.Bandwidth > 0 && s.Graph.NICsPerHost > 1 }

// firstHost returns the number of a router's first host.
func (l *layout) firstHost(r *routerState) uint32 { return r.hosts + uint32(r.wakes-r.nHosts)/2 }

// publishes returns the interval (ps) at which queues are published; 0 = never.
func (l *layout) publishes() int64 {
	if informed, ok := l.spec.Adaptive.(routing.Informed); ok {
		return informed.Interval()
	}
	return 0
}

// lateWindow returns how long windows may be (ps) if the length of the window after the next one
// is found by what is known before the next one: messages of small packets that are posted in the
// next one do not shorten it. No such packet has left its second router before both are over.
func (l *layout) lateWindow() int64 { return (l.entry + l.minHop) / 2 }

var errGap = errors.New("fabricast: a gap between packets of more than 2^24 packet times")

// doorTimer returns the number of a router's timer for doors, behind those of its NICs.
func (r *routerState) doorTimer() uint32 { return uint32(r.first) - 1 }
