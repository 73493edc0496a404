package stage

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/routing"
)

// With separate allocation, a packet takes two steps at a router. First it requests a virtual
// channel of its output (its VC is in the bitmap seeking). It owns that channel until its tail has
// left (Owning). After the switch allocation delay it requests the crossbar (Asks). At every
// instant with an event at the router, channels are allocated first, then the crossbar. All
// requests are examined each time, and every busy port has a timer, so that no lists of waiting
// packets are needed. This path is meant for studies of routers, not for large networks.

// VCAllocator records which packet owns which output VC, with separate allocation.
type VCAllocator struct {
	Shape
	events   *core.EventWheel
	wheel    *DueWheel
	pool     *PacketPool
	arbiter  *arbiter
	in       *InputVCs
	waits    *WaitLists
	crossbar *Crossbar
	adapt    *adaptiveChoice
	out      *OutputVCs
	// with adaptive routing, packets choose an output when they request a virtual channel
	Chooses   bool
	Separable bool          // allocation is separable, see AllocateVCsSeparably
	round     int64         // length of a round of a separable VC allocator (ps)
	GrantTime int64         // time from the grant of a virtual channel to the request for the crossbar (ps)
	alike     routing.Alike // nil: a packet takes the virtual channel that the routing algorithm names
	Owned     core.Array[OwnedVC]
	turns     core.Array[VcTurn]
	asked     core.Array[VCRequests]
	seeks     []seeker // packets that request a virtual channel at this instant
	offers    []offer  // with separable allocators: the request that each input has chosen
	asking    []owner  // packets that request the crossbar at this instant

	// The following fields belong to the active router.
	r          *core.Router
	router     *Router
	VCs, words uint32
	seeking    core.Bitmap // VCs whose first packet requests a virtual channel
	Owning     core.Bitmap // VCs whose first packet owns one and has not started
	// VCs whose first packet has lost a round of a separable allocator and will repeat its request
	again core.Bitmap
}

func newVCAllocator(g *Stages, grantTime int64) VCAllocator {
	spec := &g.B.Spec
	a := VCAllocator{
		Shape: g.Shape, events: g.Events, wheel: &g.Wheel, pool: &g.Pool, arbiter: &g.Arbiter,
		in: &g.In, waits: &g.Waits, crossbar: &g.Crossbar, adapt: &g.Adapt, out: &g.Out,
		round: int64(spec.Router.VCAllocation), GrantTime: grantTime,
		Owned: g.All.Owned, turns: g.All.Turns, asked: g.All.Asked,
	}
	if a.Separate {
		a.Chooses = spec.Adaptive != nil
		a.Separable = spec.Router.Allocator == model.SeparableAllocator
		a.alike, _ = spec.Routing.(routing.Alike)
	}
	return a
}

// enter makes a router the active one.
func (a *VCAllocator) enter(r *core.Router, x *Router, seeking, owning, again core.Bitmap) {
	a.r, a.router, a.VCs, a.words = r, x, uint32(x.NumVCs), uint32(x.Words)
	a.seeking, a.Owning, a.again = seeking, owning, again
}

// OwnedAt returns the allocation of an output VC of the active router.
func (a *VCAllocator) OwnedAt(out uint32) *OwnedVC { return a.Owned.At(a.r.FirstVC + out) }

// TurnAt returns the allocation of a port's virtual channels at the active router.
func (a *VCAllocator) TurnAt(port uint32) *VcTurn { return a.turns.At(a.r.FirstPort + port) }

// AskedAt returns the request times of the first packet of a VC of the active router.
func (a *VCAllocator) AskedAt(index uint32) *VCRequests { return a.asked.At(a.r.FirstVC + index) }

// owner is a packet that owns a virtual channel and requests the crossbar.
type owner struct {
	Requester
	Chosen chosenBy // with separable allocators, which side has chosen it
}

// chosenBy says which side of a separable allocator has chosen a request.
type chosenBy uint8

const (
	byNone chosenBy = iota
	ByInput
	ByBoth // chosen by its input and by the output
)

// OwnedVC is the allocation of one output VC.
type OwnedVC struct {
	Owner uint16 // 1 plus the VC of the packet that owns it; 0: it is free
	last  uint16 // VC index after that of the packet which got it last: the first in round-robin order
}

// VcTurn is the allocation of a port's virtual channels.
type VcTurn struct {
	next    uint16 // virtual channel after the one that was allocated last
	Leaving uint16 // VC of the output that the last packet leaves through
	// with separable allocators: the VC of this input after the one that was last granted the
	// crossbar
	Passed uint16
	Toward uint16 // the output port after the one that this grant was for
}

// VCRequests holds the times at which the first packet of an input VC made its requests.
type VCRequests struct {
	VC       int64 // when it requested a virtual channel (ps)
	Crossbar int64 // when it requested the crossbar (ps)
	// output VC after the one that a packet of this input VC got last; separable allocators start
	// there
	last uint16
}

// seeker is a packet that requests a virtual channel.
type seeker struct {
	index uint32
	port  uint32 // output port, with fixed routes
	// with fixed routes: the range of virtual channels that the packet may take (first, and one
	// past the last)
	among  [2]uint32
	served bool       // a virtual channel has been granted
	key    model.Rank // rank at the channel under consideration, if the arbiter remembers grants
}

// AskNext makes the first packet of a VC request its next resource: a virtual channel, or, if it
// owns one, the crossbar.
func (a *VCAllocator) AskNext(index uint32) {
	if a.Owning.Has(index) {
		a.waits.Asks.Set(index)
		return
	}
	if a.again.Has(index) {
		a.again.Clear(index)
	} else {
		a.AskedAt(index).VC = a.events.Now
	}
	a.seeking.Set(index)
}

// AllocateVCs allocates free virtual channels to packets that request them, port by port. The
// channels of a port are processed in cyclic order. Each goes to the first packet in arbitration
// order among those that may take it.
func (a *VCAllocator) AllocateVCs() {
	list := a.seekers()
	for len(list) > 0 {
		port := list[0].port
		turn := a.TurnAt(port)
		for i, first := uint32(0), uint32(turn.next); i < a.NumVCs; i++ {
			vc := (first + i) % a.NumVCs
			v := a.OwnedAt(port*a.NumVCs + vc)
			if v.Owner != 0 {
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

// seekers returns the packets that request a virtual channel.
func (a *VCAllocator) seekers() []seeker {
	list := a.seeks[:0]
	for w := range a.words {
		for m := *a.seeking.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			p := a.pool.Packets.At(a.in.FirstIn(index))
			s := seeker{index: index}
			if !a.Chooses {
				s.port = a.Port(uint32(p.Out))
				s.among = a.channelsFor(s.port, uint32(p.Out)-s.port*a.NumVCs)
			}
			if a.arbiter.Memory == model.NoMemory {
				s.key = a.arbiter.order(p, a.AskedAt(index).VC, past{})
			}
			list = append(list, s)
		}
	}
	a.seeks = list
	return list
}

// channelsFor returns the range of virtual channels of a port that a packet routed to `vc` may
// take: the first, and one past the last. At a port to a NIC, which accepts every packet, these are
// all channels.
func (a *VCAllocator) channelsFor(port, vc uint32) [2]uint32 {
	switch {
	case a.crossbar.At(port).Router < 0:
		return [2]uint32{0, a.NumVCs}
	case a.alike != nil:
		first, count := a.alike.Alike(uint16(vc))
		return [2]uint32{uint32(first), uint32(first) + uint32(count)}
	}
	return [2]uint32{vc, vc + 1}
}

// firstSeeker returns the first packet in arbitration order among those that may take a free
// virtual channel, or nil if there is none.
func (a *VCAllocator) firstSeeker(list []seeker, v *OwnedVC, port, vc uint32) (first *seeker) {
	var least model.Rank
	for i := range list {
		s := &list[i]
		if s.served || s.port != port || vc < s.among[0] || vc >= s.among[1] {
			continue
		}
		a.rankSeeker(s, uint32(v.last), a.vcGrants(port, vc))
		if first == nil || s.key.Before(least) {
			first, least = s, s.key
		}
	}
	return first
}

// rankSeeker computes the rank of a packet that requests a virtual channel. last is the VC after
// the one that got the channel last, and times is the index of the first VC's grant time.
func (a *VCAllocator) rankSeeker(s *seeker, last, times uint32) {
	var h past
	switch a.arbiter.Memory {
	case model.NoMemory: // the rank is the same at every channel
		return
	case model.LastGrant:
		h.turn = int64((s.index + a.VCs - last) % a.VCs)
	case model.GrantTimes:
		h.granted = a.arbiter.granted(times, s.index)
	}
	p := a.pool.Packets.At(a.in.FirstIn(s.index))
	s.key = a.arbiter.order(p, a.AskedAt(s.index).VC, h)
}

// vcGrants returns the index of the first VC's grant time for a virtual channel of a port.
func (a *VCAllocator) vcGrants(port, vc uint32) uint32 {
	ports := a.VCs / a.NumVCs
	return (ports + port*a.NumVCs + vc) * a.VCs
}

// RouterGrants returns the index of the first VC's grant time for any virtual channel. It is
// followed by the grant times of the crossbar.
func (a *VCAllocator) RouterGrants() uint32 { return (a.VCs/a.NumVCs + a.VCs) * a.VCs }

// give makes a packet the owner of a virtual channel of its port. The packet requests the crossbar
// after the switch allocation delay.
func (a *VCAllocator) give(s *seeker, v *OwnedVC, vc uint32) {
	index := s.index
	v.Owner, v.last = uint16(index+1), uint16(index+1)
	if a.arbiter.Memory == model.GrantTimes {
		a.arbiter.Grant(a.vcGrants(s.port, vc), index, a.events.Now)
		a.arbiter.Grant(a.RouterGrants(), index, a.events.Now)
	}
	s.served = true
	in := a.in.At(index)
	p := a.pool.Packets.At(in.Here.First)
	out := s.port*a.NumVCs + vc
	p.Out = uint16(out)
	asked := a.AskedAt(index)
	asked.last = uint16(out + 1)
	a.router.last = index + 1
	a.seeking.Clear(index)
	a.Owning.Set(index)
	in.Ask = a.events.Now + a.GrantTime
	asked.Crossbar = in.Ask
	if a.GrantTime == 0 {
		a.waits.Asks.Set(index)
	} else {
		a.wheel.ArmHere(index, in.Ask)
	}
}

// Owners returns the packets that own a virtual channel and whose ports are free, with their ranks.
func (a *VCAllocator) Owners() []owner {
	list := a.asking[:0]
	for w := range a.words {
		for m := *a.waits.Asks.Word(w) & *a.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			id := a.in.FirstIn(index)
			p := a.pool.Packets.At(id)
			if a.crossbar.Outputs.Has(uint32(p.Out)) {
				list = append(list, owner{Requester: Requester{
					key:   a.crossbar.key(index, p, a.AskedAt(index).Crossbar),
					Input: uint16(index), Out: p.Out, Packet: id,
				}})
			}
		}
	}
	a.asking = list
	return list
}
