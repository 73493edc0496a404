package routing

import "fabricast/topology"

var _ = Register(70, Description[ROMMOptions]{
	Summary:  "minimal, by a router drawn among those on the shortest ways",
	Networks: "torus or mesh", Fits: is[*topology.Torus],
	Make: func(_ *ROMMOptions, n Network) (Algorithm, error) {
		return NewROMM(n.Topology.(*topology.Torus), n.VCs)
	},
	Alike: []topology.Family{topology.FamilyRings},
	Manual: Manual{
		Section: "romm", Routes: "minimal, through a router drawn from those on shortest paths",
		VCs: "twice 'dor'", Source: "Nesson and Johnsson 1995",
	},
	Examples: []string{""},
})

// ROMMOptions stands for the algorithm "romm" in experiments, which has no options.
type ROMMOptions struct{}

// Name implements Spec.
func (ROMMOptions) Name() string { return "romm" }

// ROMM is randomized, oblivious, minimal routing in two phases on a torus or mesh (Nesson and
// Johnsson, SPAA 1995). Every packet goes in dimension order to a random router on one of its
// shortest paths, and from there in dimension order to its destination. Each phase has channel
// classes of its own, as in Valiant routing.
type ROMM struct {
	Valiant
	leg *torusLeg
}

// NewROMM returns ROMM in two phases. It needs twice as many virtual channels as dimension order,
// and fails if there are fewer.
func NewROMM(t *topology.Torus, vcs int) (ROMM, error) {
	d, err := newDetours(t, "romm", vcs, 0)
	if err != nil {
		return ROMM{}, err
	}
	return ROMM{Valiant{d}, d.leg.(*torusLeg)}, nil
}

// Start returns the header of packets between two NICs. A hash of the pair of hosts chooses the
// intermediate router.
func (r ROMM) Start(src, dst int32) (uint64, uint8) {
	return r.StartPacket(src, dst, r.pair(src, dst))
}

// StartPacket returns a header with a random intermediate router. It implements Randomized.
func (r ROMM) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	from, flow := r.router(src), mix(coin)
	header := r.header(dst, flow, flow)
	header |= r.via.with(uint64(r.leg.between(from, r.router(dst), r.flow.of(header), mix(flow))))
	_, vc, _ := r.Next(from, header)
	return header, uint8(vc)
}

// between returns a random router on the shortest paths between two routers. Where both directions
// round a ring are equally long, flow selects the direction.
func (l *torusLeg) between(from, to int32, flow, coin uint64) int32 {
	router, stride := int32(0), int32(1)
	a, b := l.coords.of(from), l.coords.of(to)
	for d, k := range l.size {
		up, either := l.upward(d, int(a[d]), int(b[d]))
		step := int32(1)
		if up == (either && flow>>(d&63)&1 == 1) {
			step = -1
		}
		hops := (step*(int32(b[d])-int32(a[d])) + k) % k
		hops = int32(uint64(uint32(coin)) * uint64(hops+1) >> 32)
		router += (int32(a[d]) + step*hops + k) % k * stride
		stride *= k
		coin = mix(coin)
	}
	return router
}
