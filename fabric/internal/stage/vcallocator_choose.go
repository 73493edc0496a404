package stage

import (
	"math/bits"

	"fabricast/fabric/internal/core"
)

// With separate allocation, adaptively routed packets choose an output when they request a virtual
// channel. The channel must be free and have space for the packet. An owner therefore never waits
// for space, and escape channels remain available to all others.

// ChooseVCs implements AllocateVCs for adaptive routing: packets choose virtual channels in
// arbitration order.
func (a *VCAllocator) ChooseVCs() {
	list := a.seekers()
	for i := range list {
		s := &list[i]
		a.rankSeeker(s, a.router.last, a.RouterGrants())
	}
	for len(list) > 0 {
		first := 0
		for i := range list {
			if list[i].Before(&list[first]) {
				first = i
			}
		}
		s := list[first]
		list = append(list[:first], list[first+1:]...)
		if out, header := a.chosenVC(&s); out != AnyOutput {
			a.giveChosen(&s, out, header)
		}
	}
}

// Before reports whether s comes before t in arbitration order.
func (s *seeker) Before(t *seeker) bool {
	if s.key != t.key {
		return s.key.Before(t.key)
	}
	return s.index < t.index
}

// giveChosen is like give, for a virtual channel that the packet has chosen itself. header is its
// header from here on.
func (a *VCAllocator) giveChosen(s *seeker, out uint32, header uint64) {
	s.port = a.Port(out)
	a.pool.Packets.At(a.in.FirstIn(s.index)).Route = header
	a.waits.RequestsAt(s.index).Empty(a.words)
	v := a.OwnedAt(out)
	a.give(s, v, out-s.port*a.NumVCs)
}

// chosenVC returns the output VC of the available virtual channel with the lowest cost for a
// packet, and the packet's header from there on. It returns AnyOutput if none is available. It
// calls the algorithm again, unless all candidates of the last call are unavailable.
func (a *VCAllocator) chosenVC(s *seeker) (best uint32, header uint64) {
	p := a.pool.Packets.At(a.in.FirstIn(s.index))
	flits := a.out.Flow.Asks(s.index, p)
	requests := a.waits.RequestsAt(s.index)
	best = AnyOutput
	if requests.Any(a.words) && !a.anyToBeHad(requests, flits) {
		return best, 0
	}
	requests.Empty(a.words)
	a.adapt.ask(s.index, p.Route)
	least := int64(0)
	for i := range a.adapt.answers {
		c := &a.adapt.answers[i]
		base, count := uint32(c.Port)*a.NumVCs, uint32(1)
		if a.crossbar.At(uint32(c.Port)).Router < 0 {
			count = a.NumVCs // a NIC accepts every packet
		}
		for n := range count {
			out := base + (uint32(c.VC)+n)%a.NumVCs
			requests.Set(out)
			if a.toBeHad(out, flits) && (best == AnyOutput || c.Cost < least) {
				best, least, header = out, c.Cost, c.Header
			}
		}
	}
	return best, header
}

// anyToBeHad reports whether one of the output VCs in a bitmap is available.
func (a *VCAllocator) anyToBeHad(outs core.Bitmap, flits int32) (any bool) {
	for w := range a.words {
		for m := *outs.Word(w); m != 0; m &= m - 1 {
			any = a.toBeHad(w<<6+uint32(bits.TrailingZeros64(m)), flits) || any
		}
	}
	return any
}

// toBeHad reports whether the virtual channel of an output VC is available: free, and with space
// for the given number of flits. It requests a notification of missing space. If the channel has an
// owner, the owner's departure is noticed anyway.
func (a *VCAllocator) toBeHad(out uint32, flits int32) bool {
	if a.OwnedAt(out).Owner != 0 {
		return false
	}
	if a.out.HasSpace(out, flits) {
		return true
	}
	a.out.Want(out, a.out.At(out))
	return false
}
