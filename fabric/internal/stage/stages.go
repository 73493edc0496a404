package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/routing"
)

// Stages are the parts of a block's switched routers, one for each stage that a packet passes. Each
// has its own state and refers only to earlier parts.
type Stages struct {
	B      *nic.NICs
	Events *core.EventWheel // events of the block
	All    State            // state of all blocks
	Shape

	Arbiter  arbiter        // the order in which requests are granted
	Pool     PacketPool     // packets of the block
	Wheel    DueWheel       // timers of the routers
	Out      OutputVCs      // space behind the outputs, and returns of credit
	Waits    WaitLists      // what packets wait for
	In       InputVCs       // input buffers
	Crossbar Crossbar       // free ports
	Links    outputLinks    // output buffers, and the links behind them
	Publish  publisher      // queue lengths published to all routers
	Contest  contest        // packets that may start at this instant
	Adapt    adaptiveChoice // selects the output of a packet, with adaptive routing
	Alloc    VCAllocator    // owners of virtual channels, with separate allocation

	R *core.Router // active router
}

// EndVisit resets the parts to their state between windows. A speculative window may have failed in
// the middle of an activation that had contenders. Its state is then restored, except for the data
// that parts hold only for an instant.
func (g *Stages) EndVisit() {
	g.Contest.Clear()
	g.Links.Busy.Empty(uint32(core.WordsOf(int(g.PortOf.N))))
}

// Begin creates the parts of a block. The block's NICs must already exist, and must not be moved
// afterwards.
func (g *Stages) Begin(b *nic.NICs, s *State, p *Packets, pool PacketPool) {
	l, r := b.Layout, &b.Spec.Router
	vcs := 0
	for i := range l.Routers {
		vcs = max(vcs, int(l.Routers[i].NumVCs))
	}
	words := core.WordsOf(vcs)
	g.B, g.Events, g.All, g.Shape = b, &b.Events, *s, newShape(l, vcs)
	g.Arbiter, g.Pool = newArbiter(b, s.Granted), pool
	grantTime := int64(0)
	if g.Separate {
		grantTime = int64(r.SwitchAllocation)
	}
	g.Wheel = newDueWheel(b, s)
	g.Out = newOutputVCs(g)
	g.Waits = newWaitLists(g)
	g.In = newInputVCs(g, int64(r.Turnaround))
	g.Crossbar = newCrossbar(g)
	g.Links = newOutputLinks(g)
	g.Publish = newPublisher(g)
	g.Contest = newContest(g, words)
	g.Adapt = newAdaptiveChoice(g, words)
	g.Adapt.Choices = p.choices
	g.Alloc = newVCAllocator(g, grantTime)
}

// Shape holds the sizes common to all routers. A VC is a virtual channel of a port, as input or as
// output. Its index is port*NumVCs + virtual channel.
type Shape struct {
	NumVCs   uint32
	SetVCs   uint32             // virtual channels of each class of messages: all without classes
	PortMask uint64             // one bit per virtual channel of a port
	PortOf   core.Array[uint16] // port of each VC

	VOQ      bool // there are virtual output queues
	Buffered bool // there are output buffers
	// adaptive routing with combined allocation: packets choose an output when they request the
	// crossbar
	Adaptive bool
	// virtual channels are allocated before the crossbar
	Separate bool
}

// newShape computes the Shape of a network's routers. mostVCs is the number of VCs of the largest
// router.
func newShape(l *core.Layout, mostVCs int) Shape {
	r := &l.Spec.Router
	s := Shape{
		NumVCs: l.NumVCs, SetVCs: l.SetVCs, PortMask: core.Ones(l.NumVCs),
		VOQ: r.Queues == model.VirtualOutputQueues, Buffered: r.OutputBuffer > 0,
		Separate: r.Allocation == model.SeparateAllocation,
		Adaptive: l.Spec.Adaptive != nil && r.Allocation != model.SeparateAllocation,
	}
	ports := make([]uint16, mostVCs)
	for i := range ports {
		ports[i] = uint16(uint32(i) / l.NumVCs)
	}
	s.PortOf = core.ArrayOf(ports)
	return s
}

// Port returns the port of a VC.
func (s *Shape) Port(index uint32) uint32 { return uint32(*s.PortOf.At(index)) }

// Packets is the memory for the packets of all blocks on the general path.
type Packets struct {
	pool    PacketPool
	choices core.Array[Choice]     // see adaptiveChoice.Choices
	Riders  core.Array[core.Rider] // by packet: its data for doors
	each    uint32                 // number of packets of each block
}

// NewPackets allocates memory for as many packets as the buffers can hold, divided among the given
// number of blocks.
func NewPackets(arena *offheap.Arena, l *core.Layout, blocks int) (*Packets, error) {
	p, r := &Packets{}, &l.Spec.Router
	fifos := int64(l.FirstNICVC) + int64(len(l.Spec.Graph.NICPort))*int64(l.NumVCs)
	flits := int64(l.Capacity) + int64(r.OutputBuffer)/l.Spec.Packet.Flit
	chooses := l.Spec.Adaptive != nil && r.Allocation != model.SeparateAllocation
	queued := r.Queues == model.VirtualOutputQueues
	parts := blocks
	if chooses && queued {
		p.pool.Words = uint32(core.WordsOf(MostVCs(&l.Spec)))
		parts *= int(p.pool.Words)
	}
	most := min(2*fifos*flits+1, maxPackets)
	if l.Agents != nil { // the queues of agents have no limit
		most = maxPackets
	}
	p.each = core.ShareOf(most, parts)
	count := int(p.each) * blocks
	if err := p.pool.Requests.Reserve(arena, count*int(p.pool.Words)); err != nil {
		return nil, err
	}
	if l.Spec.Doors != nil {
		if err := p.Riders.Reserve(arena, count); err != nil {
			return nil, err
		}
	}
	if chooses && Steady(&l.Spec) {
		choices := int(l.FirstNICVC)
		if queued {
			choices = count
		}
		if err := p.choices.Reserve(arena, choices); err != nil {
			return nil, err
		}
	}
	return p, p.pool.Packets.Reserve(arena, count)
}

// Of returns the pool of the given block.
func (p *Packets) Of(block int) PacketPool {
	pool := p.pool
	pool.Own = core.SpanOf(block, p.each)
	pool.Used = pool.Own.First + 1
	return pool
}

// Enter makes a router the active one: it points every part at that router's records and bitmaps.
func (g *Stages) Enter(r *core.Router) {
	s := &g.All
	x := s.Routers.At(r.Number)
	g.R = r
	g.Arbiter.first, g.Out.Flow.r = x.Granted, r
	g.Wheel.r, g.Wheel.X, g.Wheel.Timers = r, x, x.timers()
	g.Wheel.Due.N, g.Wheel.Due.Next = 0, 0
	g.In.here, g.In.router = g.In.VCs.From(r.FirstVC), x
	g.Crossbar.here, g.Crossbar.router, g.Crossbar.first = g.Crossbar.Ports.From(r.FirstPort), x, r.FirstPort
	g.Out.here = g.Out.VCs.From(r.FirstVC)

	words := uint32(x.Words)
	g.Waits.Words, g.Contest.Words, g.Adapt.words = words, words, words
	asking := s.vcMap(x, askingMap) // see askingMap for the order of the bitmaps
	idleIn := asking.Next(words)
	idleOut := idleIn.Next(words)
	held := idleOut.Next(words)
	roomy := held.Next(words)
	dry := roomy.Next(words)
	smaller := dry.Next(words)
	ofPorts := smaller.Next(words)
	g.Waits.Asks, g.Waits.ofPorts = asking, ofPorts
	g.Waits.ofVCs = ofPorts.Next(words * uint32(x.NumPorts))
	g.Crossbar.Inputs, g.Crossbar.Outputs = idleIn, idleOut
	g.Out.Holds, g.Out.room, g.Out.dried, g.In.Small = held, roomy, dry, smaller
	g.Adapt.r = r
	g.Waits.recorded = held
	if g.Contest.Order.Kept {
		g.Contest.Order.enter(x, g.Waits.ofVCs.Next(words*uint32(x.NumVCs)).First)
	}
	if g.Buffered {
		g.Out.buffersHere = g.Out.buffers.From(r.FirstVC)
		g.Links.enter(r, x)
	}
	if g.Separate {
		g.Alloc.enter(r, x, roomy, dry, smaller)
	}
}

// Steady reports whether each waiting packet stores its possible outputs (see Choice).
func Steady(s *model.Spec) bool {
	_, ok := s.Adaptive.(routing.Steady)
	return ok && s.Router.Allocation != model.SeparateAllocation && !losesPackets(s) && len(s.Router.Classes) == 0
}

// MostVCs returns the maximum number of virtual channels, over all ports, of any router.
func MostVCs(s *model.Spec) int {
	most := int32(0)
	for r := range s.Graph.Routers {
		most = max(most, s.Graph.PortBase[r+1]-s.Graph.PortBase[r])
	}
	return int(most) * s.Router.VCs
}
