package routing

import "fabricast/topology"

// Valiant is randomized routing by a router in between (Valiant, A scheme for fast
// parallel communication, SIAM J. Computing 1982; Valiant and Brebner, STOC 1981):
// every packet goes by minimal routing to a router drawn for it, and from there by minimal routing
// to its destination, so that any traffic becomes twice uniform random traffic.
// On a dragonfly it goes to a group drawn for it and no further there than needed
// (Kim, Dally, Scott and Abts, ISCA 2008), within its own group directly.
type Valiant struct{ *detours }

// NewValiant returns Valiant's routing on any topology. It needs the virtual channels
// of minimal routing twice; on a dragonfly three.
func NewValiant(t topology.Topology, vcs int) (Valiant, error) {
	d, err := newDetours(t, "valiant", vcs, 0)
	return Valiant{d}, err
}

// Start draws by a hash of the pair of hosts.
func (v Valiant) Start(src, dst int32) (uint64, uint8) {
	return v.StartPacket(src, dst, v.pair(src, dst))
}

// StartPacket implements Randomized.
func (v Valiant) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	from, flow := v.router(src), mix(coin)
	header := v.header(dst, flow, flow)
	if v.regions.region(from) == v.regions.region(v.router(dst)) {
		header |= v.phase.with(phaseLast)
	} else {
		header |= v.via.with(uint64(v.draw(coin)))
	}
	_, vc, _ := v.Next(from, header)
	return header, uint8(vc)
}

// Next is the next hop of the leg.
func (v Valiant) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	header = v.settle(router, header)
	if v.phase.of(header) == phaseLast && router == int32(v.to.of(header)) {
		return uint16(v.exit.of(header)), v.exitVC(header), header
	}
	h := v.hop(router, header)
	return h.port, v.lanes.vc(h.class, v.lane.of(header)), header
}
