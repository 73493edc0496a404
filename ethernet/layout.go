package ethernet

import (
	"math/bits"

	"fabricast/ethernet/control"
	"fabricast/internal/random"
	"fabricast/internal/units"
)

// layout is what the blocks of a network share. It does not change during a run.
type layout struct {
	Spec
	routes    *routes // without changes
	needs     control.Needs
	classes   []Class  // at least one, completed by what the Switch has
	limits    []limits // by link class
	levels    [][]int  // the classes of each priority, the greatest first
	block     []int32  // of each router
	nicRouter []int32  // of each NIC
	control   int      // words of state of a flow: of the congestion control
	choices   int      // and of the choice of paths
	farthest  [2]int32 // two NICs with the longest way between them
	longest   int64    // their base round trip (ps)
	lookahead int64    // ps; positive

	epochs    []epoch           // in order of time
	downs     map[int32][]int64 // when each direction goes down (ps), in order
	downAtEnd map[int32]bool    // directions that stay down
	settled   int64             // when the last change or epoch begins (ps)
}

const psPerSecond = 1_000_000_000_000

// takes returns how long (ps) so many bytes take at a rate, rounded up.
func takes(bytes int64, r units.Rate) int64 {
	hi, lo := bits.Mul64(uint64(bytes), psPerSecond)
	quo, rem := bits.Div64(hi, lo, uint64(r))
	if rem > 0 {
		quo++
	}
	return int64(quo)
}

// way returns the classes of the links on a shortest path between two NICs.
func (l *layout) way(src, dst int32) (links []uint16) {
	g := l.Graph
	at, to := l.nicRouter[src], l.nicRouter[dst]
	links = append(links, g.Ports[g.NICPort[src]].Link)
	for at != to {
		port := l.routes.ports(at, to)[0]
		links = append(links, g.Ports[port].Link)
		at = int32(g.NextRouter(int(port)))
	}
	return append(links, g.Ports[g.NICPort[dst]].Link)
}

// pathOf returns what is known of the way between two NICs.
func (l *layout) pathOf(src, dst int32) control.Path {
	links := l.way(src, dst)
	rtt := int64(0)
	for _, link := range links {
		rtt += takes(l.Packet.MTU, l.bandwidth(link)) + takes(l.Packet.Control, l.bandwidth(link)) +
			2*int64(l.Links[link].Latency)
	}
	rtt += 2 * int64(len(links)-1) * l.Switch.Latency
	return control.Path{
		Rate: l.bandwidth(links[0]), RTT: rtt, NetworkRTT: max(rtt, l.longest), Hops: len(links),
		MTU: l.Packet.MTU, Header: l.Packet.Header, Queue: l.Switch.Queue, Trims: l.Switch.Trims,
	}
}

// draw returns a number from 0 to 1 (exclusive) that depends on what identifies a packet, and where.
func (l *layout) draw(k *packet, port int32, what uint64) float64 {
	x := random.Scramble(l.Seed ^ what<<56)
	x = random.Scramble(x ^ uint64(uint32(k.src))<<32 ^ uint64(k.flow))
	x = random.Scramble(x ^ uint64(k.psn)<<16 ^ uint64(k.times)<<48 ^ uint64(k.kind)<<56)
	return float64(random.Scramble(x^uint64(port))>>11) / (1 << 53)
}

// damages reports whether bit errors hit a packet, the n-th that a port sends.
func (l *layout) damages(out int32, k *packet, n uint64) bool {
	const seedOfErrors = 0x6269746572726f72
	u := random.Scramble(random.Scramble(random.Scramble(l.Seed^seedOfErrors)+uint64(out)) + n)
	return random.Corrupts(u, l.BitErrors[out], 8*uint64(k.size))
}

// What is drawn.
const (
	drawMark = iota + 1
	drawCut
)

// seedOf returns a number that differs from flow to flow.
func (l *layout) seedOf(key flowKey) uint64 {
	x := random.Scramble(l.Seed ^ uint64(uint32(key.src))<<32 ^ uint64(uint32(key.dst)))
	return random.Scramble(x ^ uint64(key.pair))
}

// hash returns the number by which a router chooses among equal paths. The routers' numbers take
// part, so that routers choose independently of each other.
func (l *layout) hash(router int32, k *packet) uint32 {
	x := l.Seed ^ uint64(uint32(k.src))<<32 ^ uint64(uint32(k.dst))
	x = (x ^ uint64(k.flow)<<40 ^ uint64(k.entropy)<<16 ^ uint64(uint32(router))) * 0x9e3779b97f4a7c15
	return uint32(random.Scramble(x) >> 32)
}
