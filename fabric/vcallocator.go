package fabric

import (
	"math/bits"

	"fabricast/routing"
)

// With separate allocation a packet takes two steps at a router. First it asks for a virtual
// channel of its output (its slot is in the bitmap seeking). It owns that channel until its tail
// has left (owning). After the time of switch allocation it asks for the crossbar (asking). At
// every instant with an event at the router, channels are allocated first, then the crossbar. All
// requests are examined each time, and every busy port has a timer, so that no lists of waiting
// packets are needed. This path is meant for studies of routers, not for large networks.

// vcAllocator records which packet owns which output VC, with separate allocation.
type vcAllocator struct {
	shape
	events   *eventWheel
	wheel    *dueWheel
	pool     *parcelPool
	arbiter  *arbiter
	in       *inputVCs
	waits    *waitLists
	crossbar *crossbar
	adapt    *adaptiveChoice
	out      *outputVCs
	// with adaptive routing, packets choose among outputs when they ask for a virtual channel
	chooses   bool
	separable bool          // see allocateVCsSeparably
	round     int64         // ps: of a separable allocator of virtual channels
	grantTime int64         // ps from the grant of a virtual channel to the request for the crossbar
	alike     routing.Alike // nil: a packet takes the virtual channel that is named
	owned     array[ownedVC]
	turns     array[vcTurn]
	asked     array[vcAsks]
	seeks     []seeker // packets that ask for a virtual channel at this instant
	offers    []offer  // with separable allocators: the request that each input has chosen
	asking    []owner  // packets that ask for the crossbar at this instant

	// the visited router
	r            *routerState
	router       *generalRouter
	slots, words uint32
	seeking      bitmap // slots whose first packet asks for a virtual channel
	owning       bitmap // slots whose first packet has one and has not started
	// slots whose first packet has lost a round of a separable allocator and will ask again
	again bitmap
}

func newVCAllocator(g *stages, grantTime int64) vcAllocator {
	spec := &g.b.spec
	a := vcAllocator{
		shape: g.shape, events: g.events, wheel: &g.wheel, pool: &g.pool, arbiter: &g.arbiter,
		in: &g.in, waits: &g.waits, crossbar: &g.crossbar, adapt: &g.adapt, out: &g.out,
		round: int64(spec.Router.VCAllocation), grantTime: grantTime,
		owned: g.all.owned, turns: g.all.turns, asked: g.all.asked,
	}
	if a.separate {
		a.chooses = spec.Adaptive != nil
		a.separable = spec.Router.Allocator == SeparableAllocator
		a.alike, _ = spec.Routing.(routing.Alike)
	}
	return a
}

// enter makes a router the visited one.
func (a *vcAllocator) enter(r *routerState, x *generalRouter, seeking, owning, again bitmap) {
	a.r, a.router, a.slots, a.words = r, x, uint32(x.slots), uint32(x.words)
	a.seeking, a.owning, a.again = seeking, owning, again
}

// ownedAt returns the allocation of an output VC of the visited router.
func (a *vcAllocator) ownedAt(out uint32) *ownedVC { return a.owned.at(a.r.lanes + out) }

// turnAt returns the allocation of a port's virtual channels at the visited router.
func (a *vcAllocator) turnAt(port uint32) *vcTurn { return a.turns.at(a.r.ports + port) }

// askedAt returns the record of when the first packet of a slot of the visited router began to ask.
func (a *vcAllocator) askedAt(slot uint32) *vcAsks { return a.asked.at(a.r.lanes + slot) }

// owner is a packet that owns a virtual channel and asks for the crossbar.
type owner struct {
	contender
	chosen chosenBy // with separable allocators
}

// chosenBy says which side of a separable allocator has chosen a request.
type chosenBy uint8

const (
	byNone chosenBy = iota
	byInput
	byBoth // its input and the output
)

// ownedVC is the allocation of one output VC.
type ownedVC struct {
	owner uint16 // slot+1 of the packet that has it; 0 = it is free
	last  uint16 // slot after the one that got it last, where round robin begins
}

// vcTurn is the allocation of a port's virtual channels.
type vcTurn struct {
	next    uint16 // virtual channel after the one allocated last
	leaving uint16 // slot of the output by which the last packet leaves
	// with separable allocators: the slot of this input after the one granted the crossbar last
	passed uint16
	toward uint16 // and the output port after the one that it was granted
}

// vcAsks is when the first packet of an input VC began to ask.
type vcAsks struct {
	vc       int64 // ps: for a virtual channel
	crossbar int64 // ps: for the crossbar
	// output slot after the one that a packet of this input VC got last; separable allocators begin
	// there
	last uint16
}

// seeker is a packet that asks for a virtual channel.
type seeker struct {
	slot uint32
	port uint32 // of its output, with fixed routes
	// with fixed routes: the first virtual channel that the packet may take, and the one after the
	// last
	among  [2]uint32
	served bool // it has got one
	key    Rank // where the arbiter remembers grants, at the channel in question
}

// askNext lets the first packet of a slot ask for what it needs next: a virtual channel, or, if it
// owns one, the crossbar.
func (a *vcAllocator) askNext(slot uint32) {
	if a.owning.has(slot) {
		a.waits.asks.set(slot)
		return
	}
	if a.again.has(slot) {
		a.again.clear(slot)
	} else {
		a.askedAt(slot).vc = a.events.now
	}
	a.seeking.set(slot)
}

// allocateVCs gives free virtual channels to packets that ask for them, port by port. The channels
// of a port are served in turn. Each goes to the packet that comes first in the arbitration order
// among those that may take it.
func (a *vcAllocator) allocateVCs() {
	list := a.seekers()
	for len(list) > 0 {
		port := list[0].port
		turn := a.turnAt(port)
		for i, first := uint32(0), uint32(turn.next); i < a.vcs; i++ {
			vc := (first + i) % a.vcs
			v := a.ownedAt(port*a.vcs + vc)
			if v.owner != 0 {
				continue
			}
			if s := a.firstSeeker(list, v, port, vc); s != nil {
				a.give(s, v, vc)
				turn.next = uint16(vc + 1)
			}
		}
		n := 0
		for i := range list {
			if list[i].port != port {
				list[n] = list[i]
				n++
			}
		}
		list = list[:n]
	}
}

// seekers returns the packets that ask for a virtual channel.
func (a *vcAllocator) seekers() []seeker {
	list := a.seeks[:0]
	for w := range a.words {
		for m := *a.seeking.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			p := a.pool.parcels.at(a.in.firstIn(slot))
			s := seeker{slot: slot}
			if !a.chooses {
				s.port = a.port(uint32(p.out))
				s.among = a.channelsFor(s.port, uint32(p.out)-s.port*a.vcs)
			}
			if a.arbiter.memory == NoMemory {
				s.key = a.arbiter.order(p, a.askedAt(slot).vc, past{})
			}
			list = append(list, s)
		}
	}
	a.seeks = list
	return list
}

// channelsFor returns the virtual channels of a port that a packet routed to `vc` may take: first,
// and one after the last. At a port to a NIC, which accepts every packet, these are all channels.
func (a *vcAllocator) channelsFor(port, vc uint32) [2]uint32 {
	switch {
	case a.crossbar.at(port).router < 0:
		return [2]uint32{0, a.vcs}
	case a.alike != nil:
		first, count := a.alike.Alike(uint16(vc))
		return [2]uint32{uint32(first), uint32(first) + uint32(count)}
	}
	return [2]uint32{vc, vc + 1}
}

// firstSeeker returns, of the packets that may take a free virtual channel, the first in the
// arbitration order; nil if there is none.
func (a *vcAllocator) firstSeeker(list []seeker, v *ownedVC, port, vc uint32) (first *seeker) {
	var least Rank
	for i := range list {
		s := &list[i]
		if s.served || s.port != port || vc < s.among[0] || vc >= s.among[1] {
			continue
		}
		a.rankSeeker(s, uint32(v.last), a.vcGrants(port, vc))
		if first == nil || s.key.before(least) {
			first, least = s, s.key
		}
	}
	return first
}

// rankSeeker computes the rank of a packet that asks for a virtual channel. last is the slot after
// the one that got the channel last; times is the index of the first slot's grant time.
func (a *vcAllocator) rankSeeker(s *seeker, last, times uint32) {
	var h past
	switch a.arbiter.memory {
	case NoMemory: // it is the same at every channel
		return
	case LastGrant:
		h.turn = int64((s.slot + a.slots - last) % a.slots)
	case GrantTimes:
		h.granted = a.arbiter.granted(times, s.slot)
	}
	p := a.pool.parcels.at(a.in.firstIn(s.slot))
	s.key = a.arbiter.order(p, a.askedAt(s.slot).vc, h)
}

// vcGrants returns the index of the first slot's grant time for a virtual channel of a port.
func (a *vcAllocator) vcGrants(port, vc uint32) uint32 {
	ports := a.slots / a.vcs
	return (ports + port*a.vcs + vc) * a.slots
}

// routerGrants returns the index of the first slot's grant time for any virtual channel. The grant
// times of the crossbar follow behind.
func (a *vcAllocator) routerGrants() uint32 { return (a.slots/a.vcs + a.slots) * a.slots }

// give makes a packet the owner of a virtual channel of its port. The packet asks for the crossbar
// when the time of switch allocation has passed.
func (a *vcAllocator) give(s *seeker, v *ownedVC, vc uint32) {
	slot := s.slot
	v.owner, v.last = uint16(slot+1), uint16(slot+1)
	if a.arbiter.memory == GrantTimes {
		a.arbiter.grant(a.vcGrants(s.port, vc), slot, a.events.now)
		a.arbiter.grant(a.routerGrants(), slot, a.events.now)
	}
	s.served = true
	in := a.in.at(slot)
	p := a.pool.parcels.at(in.here.first)
	out := s.port*a.vcs + vc
	p.out = uint16(out)
	asked := a.askedAt(slot)
	asked.last = uint16(out + 1)
	a.router.last = slot + 1
	a.seeking.clear(slot)
	a.owning.set(slot)
	in.ask = a.events.now + a.grantTime
	asked.crossbar = in.ask
	if a.grantTime == 0 {
		a.waits.asks.set(slot)
	} else {
		a.wheel.armHere(slot, in.ask)
	}
}

// owners returns the packets that own a virtual channel and whose ports are free, with their ranks.
func (a *vcAllocator) owners() []owner {
	list := a.asking[:0]
	for w := range a.words {
		for m := *a.waits.asks.word(w) & *a.crossbar.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			id := a.in.firstIn(slot)
			p := a.pool.parcels.at(id)
			if a.crossbar.outputs.has(uint32(p.out)) {
				list = append(list, owner{contender: contender{
					key:  a.crossbar.key(slot, p, a.askedAt(slot).crossbar),
					slot: uint16(slot), out: p.out, parcel: id,
				}})
			}
		}
	}
	a.asking = list
	return list
}
