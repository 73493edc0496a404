package ethernetoracle

// scramble is the output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), after its step.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// What is drawn of a packet at a port.
const (
	toMark = 1
	toCut  = 2
)

// draw returns a number from 0 to 1 (exclusive).
func (n *network) draw(p *packet, port int, what uint64) float64 {
	x := scramble(n.spec.Seed ^ what<<56)
	x = scramble(x ^ uint64(p.src)<<32 ^ uint64(p.flow))
	x = scramble(x ^ uint64(p.psn)<<16 ^ uint64(p.times)<<48 ^ uint64(p.kind)<<56)
	x = scramble(x ^ uint64(port))
	return float64(x/2048) / (1 << 53)
}

// seedOf returns the seed of the paths of a flow.
func (n *network) seedOf(e ends) uint64 {
	x := scramble(n.spec.Seed ^ uint64(e.src)<<32 ^ uint64(e.dst))
	return scramble(x ^ uint64(e.pair))
}

// hashOf returns the number by which a router chooses among equal ports.
func (n *network) hashOf(p *packet, router int) uint64 {
	x := n.spec.Seed ^ uint64(p.src)<<32 ^ uint64(p.dst)
	x ^= uint64(p.flow) << 40
	x ^= uint64(p.entropy) << 16
	x ^= uint64(router)
	return scramble(x*0x9e3779b97f4a7c15) >> 32
}
