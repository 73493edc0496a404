package fabric

import "fabricast/internal/offheap"

// general is a block's part of the general path. It takes the place of the fast path's routers
// where a Spec asks for what those do not know: adaptive routing, virtual output queues, output
// buffers, an arbiter beyond FCFS and round robin, a user's flow control, separate allocation, a
// turnaround of queues, or injection by all virtual channels. NICs, messages, the event wheel, mail
// and statistics are the same.
//
// # How it works
//
// As on the fast path each router is taken alone within a window, and its timers
// say when there is something to do; but there are more of them, and what waits
// is kept in bitmaps. At every instant it is gathered which packets might start: those
// that begin to ask, those that wait for a port or input which has become
// free or for space that has come, and no others, since nothing has changed for
// them. They are tried one after the other in the order of arbitration.
//
// The invariant behind it: a packet that asks and could not start waits for a port or input
// that is busy and watched (its timer is set to when it will be free), or for space in an
// output channel (outlet) of a free port, which is then wanted: the return of space
// there sets a timer.
//
// # Its parts
//
// Each stage of a router is a part with its own state, which knows only parts that come before it.
// general itself visits the routers, and takes packets from one part to the next.
type general struct {
	b      *nics
	events *eventWheel  // of the block
	all    generalState // of all blocks
	shape

	arbiter  arbiter         // in which order packets are granted what they ask for
	pool     parcelPool      // packets
	wheel    dueWheel        // what the routers have to do, and when
	out      outputVCs       // space behind the outputs, and the return of credit
	waits    waitLists       // which packets wait for which output
	in       inputVCs        // input buffers
	crossbar crossbar        // which ports are free
	links    outputLinks     // output buffers, and the links behind them
	publish  publisher       // lengths of queues that all routers know
	contest  contest         // which packets may start at this instant
	adapt    adaptiveChoice  // which output a packet takes, with adaptive routing
	alloc    vcAllocator     // who has which virtual channel, with separate allocation
	loader   generalLoader   // loads ahead what visits need
	observer generalObserves // nil unless that is what links, buffers or packets do

	injectInTurn bool   // NICs take all virtual channels in turn
	doors        *doors // nil unless the Spec has some

	// the visited router
	r *routerState
}

// generalObserves is what an observer gets to know of the routers.
type generalObserves interface {
	// held is called for an output VC for whose space a packet begins to wait.
	held(out uint32)
	// starts is called for the packet of a slot that starts through the crossbar.
	starts(slot, id uint32, p *parcel)
	// startsOn is called for a packet that starts on the link of a port.
	startsOn(port, flits uint32)
	// injected is called for a packet that a NIC with credit sends now.
	injected(nic uint32, n *nic, flits uint32)
}

// shape holds the sizes that all routers have in common. A slot is a virtual channel of a port, as
// input or as output. Its number is port*vcs + VC.
type shape struct {
	vcs      uint32
	portMask uint64        // a bit for each channel of a port
	portOf   array[uint16] // of a slot

	voq      bool // virtual output queues
	buffered bool // there are output buffers
	// adaptive routing with combined allocation: packets choose among outputs when they request the
	// crossbar
	adaptive bool
	// virtual channels are allocated before the crossbar
	separate bool
}

// needsGeneral reports whether only the general path can simulate a Spec.
func needsGeneral(s *Spec) bool {
	r := &s.Router
	return s.Doors != nil || s.Adaptive != nil || r.Queues != InputQueues || r.OutputBuffer != 0 ||
		!r.arbiterKind().fast() || !r.FlowControl.fast() || r.Allocation != CombinedAllocation ||
		r.Turnaround != 0 || r.Injection != RoutedVC || mostPackets(s) > maxPackets
}

// mostPackets returns how many of the smallest packets a buffer can hold.
func mostPackets(s *Spec) int64 {
	return int64(s.Router.Buffer) / max(1, s.Packet.Wire(0), s.Packet.Flit)
}

// newShape computes what the routers of a network have in common. mostSlots is the number of slots
// of the largest router.
func newShape(l *layout, mostSlots int) shape {
	r := &l.spec.Router
	s := shape{
		vcs: l.vcs, portMask: ones(l.vcs),
		voq: r.Queues == VirtualOutputQueues, buffered: r.OutputBuffer > 0,
		separate: r.Allocation == SeparateAllocation,
		adaptive: l.spec.Adaptive != nil && r.Allocation != SeparateAllocation,
	}
	ports := make([]uint16, mostSlots)
	for i := range ports {
		ports[i] = uint16(uint32(i) / l.vcs)
	}
	s.portOf = arrayOf(ports)
	return s
}

// port returns the port of a slot.
func (s *shape) port(slot uint32) uint32 { return uint32(*s.portOf.at(slot)) }

// newGeneral returns the block's part of the general path.
func newGeneral(b *nics, s *generalState, p *parcels, pool parcelPool) *general {
	l, r := b.layout, &b.spec.Router
	slots := 0
	for i := range l.routers {
		slots = max(slots, int(l.routers[i].slots))
	}
	words := wordsOf(slots)
	g := &general{
		b: b, events: &b.events, all: *s, shape: newShape(l, slots),
		arbiter:      newArbiter(b, s.granted),
		pool:         pool,
		injectInTurn: r.Injection == VCsInTurn,
	}
	grantTime := int64(0)
	if g.separate {
		grantTime = int64(r.SwitchAllocation)
	}
	g.wheel = newDueWheel(b, s)
	g.out = newOutputVCs(g)
	g.waits = newWaitLists(g)
	g.in = newInputVCs(g, int64(r.Turnaround))
	g.crossbar = newCrossbar(g)
	g.links = newOutputLinks(g)
	g.publish = newPublisher(g)
	g.contest = newContest(g, words)
	g.adapt = newAdaptiveChoice(g, words)
	g.adapt.choices = p.choices
	g.alloc = newVCAllocator(g, grantTime)
	g.loader = newGeneralLoader(g)
	return g
}

// parcels is the memory of all blocks for their packets on the general path.
type parcels struct {
	pool    parcelPool
	choices array[choice] // see adaptiveChoice
	riders  array[rider]  // see doors
	each    uint32        // parcels of a block
}

// newParcels allocates room for as many packets as the buffers can hold, in each of so many blocks.
func newParcels(arena *offheap.Arena, l *layout, blocks int) (*parcels, error) {
	p, r := &parcels{}, &l.spec.Router
	fifos := int64(l.nicLanes) + int64(len(l.spec.Graph.NICPort))*int64(l.vcs)
	flits := int64(l.capacity) + int64(r.OutputBuffer)/l.spec.Packet.Flit
	chooses := l.spec.Adaptive != nil && r.Allocation != SeparateAllocation
	queued := r.Queues == VirtualOutputQueues
	parts := blocks
	if chooses && queued {
		p.pool.words = uint32(wordsOf(mostSlots(&l.spec)))
		parts *= int(p.pool.words)
	}
	most := min(2*fifos*flits+1, maxParcels)
	if l.agents != nil { // whose queues have no bound
		most = maxParcels
	}
	p.each = shareOf(most, parts)
	count := int(p.each) * blocks
	if err := p.pool.wishes.reserve(arena, count*int(p.pool.words)); err != nil {
		return nil, err
	}
	if l.spec.Doors != nil {
		if err := p.riders.reserve(arena, count); err != nil {
			return nil, err
		}
	}
	if chooses && steady(&l.spec) {
		choices := int(l.nicLanes)
		if queued {
			choices = count
		}
		if err := p.choices.reserve(arena, choices); err != nil {
			return nil, err
		}
	}
	return p, p.pool.parcels.reserve(arena, count)
}

// of returns the pool of the block with a number.
func (p *parcels) of(block int) parcelPool {
	pool := p.pool
	pool.own = spanOf(block, p.each)
	pool.used = pool.own.first + 1
	return pool
}

// enter makes a router the visited one: it points every part at that router's records and bitmaps.
func (g *general) enter(r *routerState) {
	s := &g.all
	x := s.routers.at(r.number)
	g.r = r
	g.arbiter.first, g.out.flow.r = x.granted, r
	g.wheel.r, g.wheel.x, g.wheel.timers = r, x, x.timers()
	g.wheel.agenda.n, g.wheel.agenda.next = 0, 0
	g.in.here, g.in.router = g.in.inlets.from(r.lanes), x
	g.crossbar.here, g.crossbar.router = g.crossbar.ports.from(r.ports), x
	g.out.here = g.out.outlets.from(r.lanes)

	words := uint32(x.words)
	g.waits.words, g.contest.words, g.adapt.words = words, words, words
	asking := s.slotMap(x, askingMap) // see there for the order of what follows
	idleIn := asking.next(words)
	idleOut := idleIn.next(words)
	held := idleOut.next(words)
	roomy := held.next(words)
	dry := roomy.next(words)
	smaller := dry.next(words)
	ofPorts := smaller.next(words)
	g.waits.asks, g.waits.ofPorts = asking, ofPorts
	g.waits.ofSlots = ofPorts.next(words * uint32(x.ports))
	g.crossbar.inputs, g.crossbar.outputs = idleIn, idleOut
	g.out.holds, g.out.room, g.out.dried, g.in.small = held, roomy, dry, smaller
	g.adapt.r = r
	g.loader.manyHosts = 4*uint32(r.nNICs) >= uint32(x.ports)
	g.waits.recorded = held
	if g.contest.order.kept {
		g.contest.order.enter(x, g.waits.ofSlots.next(words*uint32(x.slots)).first)
	}
	if g.buffered {
		g.out.buffersHere = g.out.buffers.from(r.lanes)
		g.links.enter(r, x)
	}
	if g.separate {
		g.alloc.enter(r, x, roomy, dry, smaller)
	}
}
