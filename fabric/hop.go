package fabric

// hop returns the output slot that a packet takes at a router, to whose lane `down` it goes, and
// the header that it carries there. If it follows a packet of its message, it does what that one
// does.
func (v *vcLanes) hop(p *packet, router uint32, down *lane) (slot uint16, route uint64) {
	if v.dor != nil {
		return v.dor.Hop(p.route)
	}
	if v.oneRoute && down.tail != 0 {
		if before := v.nth(down, down.tail-1); before.precedes(p) {
			return before.out, before.route
		}
	}
	route, slot = v.onward(router, p.route)
	return slot, route
}
