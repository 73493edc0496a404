package routing

import (
	"fmt"
	"math/bits"

	"fabricast/topology"
)

// field is a range of bits of a route header.
type field struct {
	shift uint8
	mask  uint64
}

// of reads the field.
func (f field) of(header uint64) uint64 { return header >> (f.shift & 63) & f.mask }

// with is a header that has only this field set.
func (f field) with(value uint64) uint64 { return value & f.mask << (f.shift & 63) }

// set is the header with the field changed.
func (f field) set(header, value uint64) uint64 {
	return header&^(f.mask<<(f.shift&63)) | f.with(value)
}

// headerLayout gives out the 64 bits of a route header.
type headerLayout struct{ used int }

func (l *headerLayout) field(width int) field {
	f := field{shift: uint8(l.used & 63), mask: 1<<width - 1}
	l.used += width
	return f
}

const (
	laneBits    = 5 // as many lanes as a port may have virtual channels
	minFlowBits = 4
	maxFlowBits = 32
)

// address is what all route headers here have in common (but that of DOR): the
// router and the local port at which a packet leaves the network, the lane,
// which picks a virtual channel of a class, and the flow, which picks one of
// several ways. The flow has what the other fields leave of the 64 bits.
type address struct {
	graph                *topology.Graph
	to, exit, lane, flow field
}

// newAddress lays a header out in which an algorithm has so many bits for itself,
// and fails if that is more than 64 bits can hold.
func newAddress(g *topology.Graph, own int) (address, *headerLayout, error) {
	l := &headerLayout{}
	a := address{graph: g}
	a.to = l.field(routerBits(g))
	a.exit = l.field(bits.Len(uint(max(maxRadix(g)-1, 1))))
	a.lane = l.field(laneBits)
	rest := 64 - l.used - own
	if rest < minFlowBits {
		return a, nil, fmt.Errorf("a route header has 64 bits, and this algorithm needs %d on a network of %d routers with up to %d ports",
			l.used+own+minFlowBits, g.Routers, maxRadix(g))
	}
	a.flow = l.field(min(rest, maxFlowBits))
	return a, l, nil
}

// routerBits is the width of a router's number.
func routerBits(g *topology.Graph) int { return bits.Len(uint(max(g.Routers-1, 1))) }

func maxRadix(g *topology.Graph) int {
	most := 0
	for r := range g.Routers {
		most = max(most, int(g.PortBase[r+1]-g.PortBase[r]))
	}
	return most
}

// header is that of packets to a NIC; the top bits of hash choose the lane.
func (a *address) header(dst int32, flow, hash uint64) uint64 {
	port := a.graph.NICPort[dst]
	router := a.graph.Ports[port].Router
	return a.to.with(uint64(router)) | a.exit.with(uint64(port-a.graph.PortBase[router])) |
		a.lane.with(hash>>(64-laneBits)) | a.flow.with(flow)
}

// router is where a NIC is plugged in.
func (a *address) router(nic int32) int32 { return a.graph.Ports[a.graph.NICPort[nic]].Router }

// pair is a fixed hash of the hosts of two NICs, which packets of a pair have in common.
func (a *address) pair(src, dst int32) uint64 {
	n := int32(a.graph.NICsPerHost)
	return mix(uint64(src/n)<<32 | uint64(dst/n))
}

// pick chooses one of n ways at a router, for packets of one flow always the
// same one, and at different routers independently.
func pick(flow uint64, at int32, n int) int {
	h := uint32(flow)*0x9e3779b1 + uint32(at)*0x85ebca77
	h = (h ^ h>>15) * 0xc2b2ae3d
	h ^= h >> 13
	return int(uint64(h) * uint64(n) >> 32)
}
