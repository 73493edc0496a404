package fabric

import (
	"fabricast/internal/offheap"
	"fabricast/routing"
)

// stages are the parts of a block's switched routers, one for each stage of a packet's way. Each has
// its own state, and knows only parts that come before it.
type stages struct {
	b      *nics
	events *eventWheel  // of the block
	all    generalState // of all blocks
	shape

	arbiter  arbiter        // in which order packets are granted what they ask for
	pool     parcelPool     // packets
	wheel    dueWheel       // what the routers have to do, and when
	out      outputVCs      // space behind the outputs, and the return of credit
	waits    waitLists      // which packets wait for which output
	in       inputVCs       // input buffers
	crossbar crossbar       // which ports are free
	links    outputLinks    // output buffers, and the links behind them
	publish  publisher      // lengths of queues that all routers know
	contest  contest        // which packets may start at this instant
	adapt    adaptiveChoice // which output a packet takes, with adaptive routing
	alloc    vcAllocator    // who has which virtual channel, with separate allocation

	r *routerState // the visited router
}

// begin makes the parts of a block. Its NICs must be there, where this one stays.
func (g *stages) begin(b *nics, s *generalState, p *parcels, pool parcelPool) {
	l, r := b.layout, &b.spec.Router
	slots := 0
	for i := range l.routers {
		slots = max(slots, int(l.routers[i].slots))
	}
	words := wordsOf(slots)
	g.b, g.events, g.all, g.shape = b, &b.events, *s, newShape(l, slots)
	g.arbiter, g.pool = newArbiter(b, s.granted), pool
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
func (g *stages) enter(r *routerState) {
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

// steady reports whether each waiting packet stores its possible outputs (see choice).
func steady(s *Spec) bool {
	_, ok := s.Adaptive.(routing.Steady)
	return ok && s.Router.Allocation != SeparateAllocation
}

// mostSlots returns the largest number of virtual channels, over all ports, of any router.
func mostSlots(s *Spec) int {
	most := int32(0)
	for r := range s.Graph.Routers {
		most = max(most, s.Graph.PortBase[r+1]-s.Graph.PortBase[r])
	}
	return int(most) * s.Router.VCs
}
