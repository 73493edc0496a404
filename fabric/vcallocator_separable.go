package fabric

// Separable allocators work in two steps, like those of hardware routers (Becker and Dally, SC
// 2009): each input chooses one request, and each output chooses one of the requests that inputs
// have chosen. An input whose chosen request loses gets nothing, even if another of its requests
// could have been granted. A packet that asked for a free resource and did not get it asks again
// when the time of a round has passed.

// offer is the request that an input has chosen.
type offer struct {
	seeker
	out    uint32 // output slot
	header uint64 // with adaptive routing: that the packet carries on
}

// allocateVCsSeparably gives virtual channels to the packets that ask for one. The inputs of the
// allocator are slots, its outputs virtual channels.
func (a *vcAllocator) allocateVCsSeparably() {
	a.offers = a.offers[:0]
	for _, s := range a.seekers() {
		o := offer{seeker: s}
		if a.chooses {
			o.out, o.header = a.chosenVC(&s)
		} else {
			o.out = a.nextVC(&s)
		}
		if o.out == anyOutput {
			continue
		}
		o.port = a.port(o.out)
		last := uint32(a.ownedAt(o.out).last)
		a.rankSeeker(&o.seeker, last, a.vcGrants(o.port, o.out-o.port*a.vcs))
		a.offers = append(a.offers, o)
	}
	for i := range a.offers {
		o := &a.offers[i]
		switch {
		case !a.wins(o):
			a.seeking.clear(o.slot)
			a.again.set(o.slot)
			a.askAgain(o.slot, a.round)
		case a.chooses:
			a.giveChosen(&o.seeker, o.out, o.header)
		default:
			a.give(&o.seeker, a.ownedAt(o.out), o.out-o.port*a.vcs)
		}
	}
}

// wins reports whether no other offer for the same output comes before this one in the arbitration
// order.
func (a *vcAllocator) wins(o *offer) bool {
	for i := range a.offers {
		if p := &a.offers[i]; p.out == o.out && p.slot != o.slot && p.before(&o.seeker) {
			return false
		}
	}
	return true
}

// askAgain makes the packet of a slot ask again after `round` ps.
func (a *vcAllocator) askAgain(slot uint32, round int64) {
	in := a.in.at(slot)
	in.ask = a.events.now + round
	a.wheel.armHere(slot, in.ask)
}

// nextVC returns the first free output VC that a packet with a fixed route may take, in cyclic
// order from the one after that which a packet of its slot got last; anyOutput if there is none.
func (a *vcAllocator) nextVC(s *seeker) uint32 {
	begin := s.port*a.vcs + s.among[0]
	n := s.among[1] - s.among[0]
	shift := uint32(0)
	if last := uint32(a.askedAt(s.slot).last); last > begin && last < begin+n {
		shift = last - begin
	}
	for i := range n {
		if out := begin + (shift+i)%n; a.ownedAt(out).owner == 0 {
			return out
		}
	}
	return anyOutput
}

// chosenByInput reports whether c is the request that its input port chooses.
func (a *vcAllocator) chosenByInput(list []owner, c *owner) bool {
	port, key := *a.portOf.at(uint32(c.slot)), a.inputKey(c)
	for i := range list {
		d := &list[i]
		if d.slot == c.slot || *a.portOf.at(uint32(d.slot)) != port {
			continue
		}
		if other := a.inputKey(d); other.before(key) || other == key && d.slot < c.slot {
			return false
		}
	}
	return true
}

// chosenByOutput reports whether c is the request that its output port chooses among those that
// inputs have chosen.
func (a *vcAllocator) chosenByOutput(list []owner, c *owner) bool {
	port := *a.portOf.at(uint32(c.out))
	for i := range list {
		if d := &list[i]; d.slot != c.slot && d.chosen != byNone && *a.portOf.at(uint32(d.out)) == port &&
			d.before(&c.contender) {
			return false
		}
	}
	return true
}

// inputKey returns the rank of a request at its input port, which has a grant memory of its own. In
// round robin the order is by outputs first.
func (a *vcAllocator) inputKey(c *owner) Rank {
	slot := uint32(c.slot)
	var h past
	switch a.arbiter.memory {
	case NoMemory:
		return c.key
	case LastGrant:
		turn := a.turnAt(a.port(slot))
		ports := a.slots / a.vcs
		port := (a.port(uint32(c.out)) + ports - uint32(turn.toward)) % ports
		h.turn = int64(port*a.slots + (slot+a.slots-uint32(turn.passed))%a.slots)
	case GrantTimes:
		h.granted = a.arbiter.granted(a.routerGrants()+a.slots, slot)
	}
	return a.arbiter.order(a.pool.parcels.at(c.parcel), a.askedAt(slot).crossbar, h)
}
