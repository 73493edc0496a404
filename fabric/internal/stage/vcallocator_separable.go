package stage

import (
	"fabricast/fabric/model"
)

// Separable allocators work in two steps, like those of hardware routers (Becker and Dally, SC
// 2009): each input chooses one request, and each output chooses one of the requests that inputs
// have chosen. An input whose chosen request loses gets nothing, even if another of its requests
// could have been granted. A packet that requested a free resource and did not get it repeats its
// request after the time of a round.

// offer is the request that an input has chosen.
type offer struct {
	seeker
	out    uint32 // the requested output VC
	header uint64 // with adaptive routing: the packet's header at the next router
}

// AllocateVCsSeparably allocates virtual channels to the packets that request one. The inputs of
// the allocator are VCs, and its outputs are virtual channels.
func (a *VCAllocator) AllocateVCsSeparably() {
	a.offers = a.offers[:0]
	for _, s := range a.seekers() {
		o := offer{seeker: s}
		if a.Chooses {
			o.out, o.header = a.chosenVC(&s)
		} else {
			o.out = a.nextVC(&s)
		}
		if o.out == AnyOutput {
			continue
		}
		o.port = a.Port(o.out)
		last := uint32(a.OwnedAt(o.out).last)
		a.rankSeeker(&o.seeker, last, a.vcGrants(o.port, o.out-o.port*a.NumVCs))
		a.offers = append(a.offers, o)
	}
	for i := range a.offers {
		o := &a.offers[i]
		switch {
		case !a.wins(o):
			a.seeking.Clear(o.index)
			a.again.Set(o.index)
			a.AskAgain(o.index, a.round)
		case a.Chooses:
			a.giveChosen(&o.seeker, o.out, o.header)
		default:
			a.give(&o.seeker, a.OwnedAt(o.out), o.out-o.port*a.NumVCs)
		}
	}
}

// wins reports whether no other offer for the same output comes before this one in arbitration
// order.
func (a *VCAllocator) wins(o *offer) bool {
	for i := range a.offers {
		if p := &a.offers[i]; p.out == o.out && p.index != o.index && p.Before(&o.seeker) {
			return false
		}
	}
	return true
}

// AskAgain makes the packet of a VC repeat its request after `round` ps.
func (a *VCAllocator) AskAgain(index uint32, round int64) {
	in := a.in.At(index)
	in.Ask = a.events.Now + round
	a.wheel.ArmHere(index, in.Ask)
}

// nextVC returns the first free output VC that a packet with a fixed route may take, in cyclic
// order after the one that a packet of its VC got last. It returns AnyOutput if there is none.
func (a *VCAllocator) nextVC(s *seeker) uint32 {
	begin := s.port*a.NumVCs + s.among[0]
	n := s.among[1] - s.among[0]
	shift := uint32(0)
	if last := uint32(a.AskedAt(s.index).last); last > begin && last < begin+n {
		shift = last - begin
	}
	for i := range n {
		if out := begin + (shift+i)%n; a.OwnedAt(out).Owner == 0 {
			return out
		}
	}
	return AnyOutput
}

// ChosenByInput reports whether c is the request that its input port chooses.
func (a *VCAllocator) ChosenByInput(list []owner, c *owner) bool {
	port, key := *a.PortOf.At(uint32(c.Input)), a.inputKey(c)
	for i := range list {
		d := &list[i]
		if d.Input == c.Input || *a.PortOf.At(uint32(d.Input)) != port {
			continue
		}
		if other := a.inputKey(d); other.Before(key) || other == key && d.Input < c.Input {
			return false
		}
	}
	return true
}

// ChosenByOutput reports whether c is the request that its output port chooses among those that
// inputs have chosen.
func (a *VCAllocator) ChosenByOutput(list []owner, c *owner) bool {
	port := *a.PortOf.At(uint32(c.Out))
	for i := range list {
		if d := &list[i]; d.Input != c.Input && d.Chosen != byNone && *a.PortOf.At(uint32(d.Out)) == port &&
			d.Before(&c.Requester) {
			return false
		}
	}
	return true
}

// inputKey returns the rank of a request at its input port, which has a separate grant memory. In
// round robin, requests are ordered by outputs first.
func (a *VCAllocator) inputKey(c *owner) model.Rank {
	index := uint32(c.Input)
	var h past
	switch a.arbiter.Memory {
	case model.NoMemory:
		return c.key
	case model.LastGrant:
		turn := a.TurnAt(a.Port(index))
		ports := a.VCs / a.NumVCs
		port := (a.Port(uint32(c.Out)) + ports - uint32(turn.Toward)) % ports
		h.turn = int64(port*a.VCs + (index+a.VCs-uint32(turn.Passed))%a.VCs)
	case model.GrantTimes:
		h.granted = a.arbiter.granted(a.RouterGrants()+a.VCs, index)
	}
	return a.arbiter.order(a.pool.Packets.At(c.Packet), a.AskedAt(index).Crossbar, h)
}
