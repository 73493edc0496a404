package routing

import "fabricast/topology"

// ROMM is randomized, oblivious, minimal routing in two phases on a torus or mesh
// (Nesson and Johnsson, SPAA 1995): every packet goes in dimension order to a router drawn
// among those that are on some shortest way, and on from there in dimension order. Each
// phase has channel classes of its own, as with Valiant, of whose routes these are some.
type ROMM struct {
	Valiant
	leg *torusLeg
}

// NewROMM returns ROMM in two phases. It needs the virtual channels of dimension order twice.
func NewROMM(t *topology.Torus, vcs int) (ROMM, error) {
	d, err := newDetours(t, "romm", vcs, 0)
	if err != nil {
		return ROMM{}, err
	}
	return ROMM{Valiant{d}, d.leg.(*torusLeg)}, nil
}

// Start draws by a hash of the pair of hosts.
func (r ROMM) Start(src, dst int32) (uint64, uint8) {
	return r.StartPacket(src, dst, r.pair(src, dst))
}

// StartPacket implements Randomized.
func (r ROMM) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	from, flow := r.router(src), mix(coin)
	header := r.header(dst, flow, flow)
	header |= r.via.with(uint64(r.leg.between(from, r.router(dst), r.flow.of(header), mix(flow))))
	_, vc, _ := r.Next(from, header)
	return header, uint8(vc)
}

// between draws a router among those on the shortest ways, in each dimension that
// way round on which a flow goes.
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
