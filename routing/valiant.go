package routing

import "fabricast/topology"

var _ = Register(60, Description[ValiantOptions]{
	Summary: "minimally to a router drawn for each packet, and on from there",
	Make:    func(_ *ValiantOptions, n Network) (Algorithm, error) { return NewValiant(n.Topology, n.VCs) },
	Memory:  func(_ *ValiantOptions, t topology.Topology) int64 { return MinimalMemory(t) },
	Alike:   []topology.Family{topology.FamilyRings, topology.FamilyJoined, topology.FamilySlimFlies},
	Manual: Manual{
		Section: "valiant", Networks: "as 'minimal'",
		Routes: "minimal to a router drawn for each packet, then minimal to the destination",
		VCs:    "twice 'minimal'; dragonfly 3", Source: "Valiant 1982",
	},
	Examples: []string{""},
})

// ValiantOptions stands for the algorithm "valiant" in experiments, which has no options.
type ValiantOptions struct{}

// Name implements Spec.
func (ValiantOptions) Name() string { return "valiant" }

// Valiant is randomized routing through an intermediate router (Valiant, A scheme for fast parallel
// communication, SIAM J. Computing 1982; Valiant and Brebner, STOC 1981). Every packet goes by
// minimal routing to a random router, and from there by minimal routing to its destination. So any
// traffic becomes uniform random traffic of twice the amount.
//
// On a dragonfly the packet goes to a random group, and there only to the first router that it
// reaches (Kim, Dally, Scott and Abts, ISCA 2008); within its own group it goes directly.
type Valiant struct{ *detours }

// NewValiant returns Valiant routing for any topology. It needs twice as many virtual channels as
// minimal routing, but only three on a dragonfly, and fails if there are fewer.
func NewValiant(t topology.Topology, vcs int) (Valiant, error) {
	d, err := newDetours(t, "valiant", vcs, 0)
	return Valiant{d}, err
}

// Start returns the header of packets between two NICs. A hash of the pair of hosts chooses the
// intermediate router.
func (v Valiant) Start(src, dst int32) (uint64, uint8) {
	return v.StartPacket(src, dst, v.pair(src, dst))
}

// StartPacket returns a header with a random intermediate router. It implements Randomized.
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

// Next returns the next hop of the packet's current leg.
func (v Valiant) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	header = v.settle(router, header)
	if v.phase.of(header) == phaseLast && router == int32(v.to.of(header)) {
		return uint16(v.exit.of(header)), v.exitVC(header), header
	}
	h := v.hop(router, header)
	return h.port, v.channels.vc(h.class, v.choice.of(header)), header
}
