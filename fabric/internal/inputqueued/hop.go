package inputqueued

import (
	"fabricast/fabric/internal/core"
)

// hop returns the output VC of a packet at a router, whose input VC is `down`, and the packet's
// header there. If it follows a packet of the same message, it takes the same route.
func (v *VCs) hop(p *core.Packet, router uint32, down *core.VC) (index uint16, route uint64) {
	if v.DOR != nil {
		index, route, _ = v.DOR.Hop(p.Route)
		return index, route
	}
	if v.OneRoute && down.Tail != 0 {
		if before := v.Nth(down, down.Tail-1); before.Precedes(p) {
			return before.Out, before.Route
		}
	}
	route, index = v.Onward(router, p.Route)
	return index, route
}
