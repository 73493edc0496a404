package fabric

import "math/bits"

// With separate allocation, adaptively routed packets choose among outputs when they ask for a
// virtual channel. The channel must be free and have space for the packet. An owner therefore never
// waits for space, and escape channels remain available to all others.

// chooseVCs implements allocateVCs for adaptive routing: packets choose virtual channels in the
// arbitration order.
func (a *vcAllocator) chooseVCs() {
	list := a.seekers()
	for i := range list {
		s := &list[i]
		a.rankSeeker(s, a.router.last, a.routerGrants())
	}
	for len(list) > 0 {
		first := 0
		for i := range list {
			if list[i].before(&list[first]) {
				first = i
			}
		}
		s := list[first]
		list = append(list[:first], list[first+1:]...)
		if out, header := a.chosenVC(&s); out != anyOutput {
			a.giveChosen(&s, out, header)
		}
	}
}

// before reports whether s comes before t in the arbitration order.
func (s *seeker) before(t *seeker) bool {
	if s.key != t.key {
		return s.key.before(t.key)
	}
	return s.slot < t.slot
}

// giveChosen does what give does, for a virtual channel that the packet has chosen itself. header
// is the header that it carries on from here.
func (a *vcAllocator) giveChosen(s *seeker, out uint32, header uint64) {
	s.port = a.port(out)
	a.pool.parcels.at(a.in.firstIn(s.slot)).route = header
	a.waits.wishesAt(s.slot).empty(a.words)
	v := a.ownedAt(out)
	a.give(s, v, out-s.port*a.vcs)
}

// chosenVC returns the output slot of the available virtual channel with the lowest cost for a
// packet, and the header to carry on; anyOutput if none is available. It calls the algorithm again,
// unless all candidates of the last call are unavailable.
func (a *vcAllocator) chosenVC(s *seeker) (best uint32, header uint64) {
	p := a.pool.parcels.at(a.in.firstIn(s.slot))
	flits := a.out.flow.asks(s.slot, p)
	wishes := a.waits.wishesAt(s.slot)
	best = anyOutput
	if wishes.any(a.words) && !a.anyToBeHad(wishes, flits) {
		return best, 0
	}
	wishes.empty(a.words)
	a.adapt.ask(p.route)
	least := int64(0)
	for i := range a.adapt.answers {
		c := &a.adapt.answers[i]
		base, count := uint32(c.Port)*a.vcs, uint32(1)
		if a.crossbar.at(uint32(c.Port)).router < 0 {
			count = a.vcs // a NIC takes in whatever arrives
		}
		for n := range count {
			out := base + (uint32(c.VC)+n)%a.vcs
			wishes.set(out)
			if a.toBeHad(out, flits) && (best == anyOutput || c.Cost < least) {
				best, least, header = out, c.Cost, c.Header
			}
		}
	}
	return best, header
}

// anyToBeHad reports whether one of the output slots in a bitmap is available.
func (a *vcAllocator) anyToBeHad(outs bitmap, flits int32) (any bool) {
	for w := range a.words {
		for m := *outs.word(w); m != 0; m &= m - 1 {
			any = a.toBeHad(w<<6+uint32(bits.TrailingZeros64(m)), flits) || any
		}
	}
	return any
}

// toBeHad reports whether the virtual channel of an output slot is available: free, and with space
// for so many flits. It requests a notification of missing space. If the channel has an owner, the
// owner's departure is noticed anyway.
func (a *vcAllocator) toBeHad(out uint32, flits int32) bool {
	if a.ownedAt(out).owner != 0 {
		return false
	}
	if a.out.hasSpace(out, flits) {
		return true
	}
	a.out.want(out, a.out.at(out))
	return false
}
