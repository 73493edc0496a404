// Package headers lays out the 64 bits of route headers, and makes the choices that depend on them.
package headers

import (
	"fmt"
	"math"
	"math/bits"

	"fabricast/topology"
)

// Field is a range of bits of a route header.
type Field struct {
	shift uint8
	mask  uint64
}

// Of returns the value of the field in a header.
func (f Field) Of(header uint64) uint64 { return header >> (f.shift & 63) & f.mask }

// With returns a header in which only this field is set, to value.
func (f Field) With(value uint64) uint64 { return value & f.mask << (f.shift & 63) }

// Set returns the header with this field replaced by value.
func (f Field) Set(header, value uint64) uint64 {
	return header&^(f.mask<<(f.shift&63)) | f.With(value)
}

// Max returns the greatest value of the field; 0 if it has no bits.
func (f Field) Max() uint64 { return f.mask }

// Layout allocates the 64 bits of a route header to fields.
type Layout struct{ Used int }

func (l *Layout) Field(width int) Field {
	f := Field{shift: uint8(l.Used & 63), mask: 1<<width - 1}
	l.Used += width
	return f
}

const (
	ChannelBits = 5 // enough for as many channels as a port may have virtual channels
	minFlowBits = 4
	maxFlowBits = 32
)

// Address holds the fields that the route headers of all algorithms except DOR have in common: the
// router and the local port at which a packet leaves the network; the choice, a number that picks one
// virtual channel of a class; and the flow, a hash that picks one of several routes. The flow has
// the bits that the other fields leave.
type Address struct {
	Graph                  *topology.Graph
	To, Exit, Choice, Flow Field
	// by NIC: the fields to and exit of packets to it; nil if these take more than 32 bits, or follow
	// from the number
	homes  []uint32
	spread spread
	layout *Layout
}

// Spare returns how many of the highest bits of the headers belong to no field.
func (a *Address) Spare() int { return 64 - a.layout.Used }

// spread is where NICs are if each router has as many as the others, at consecutive ports, by their
// numbers. A table of millions of NICs misses the cache; this takes two multiplications.
type spread struct {
	each       uint64 // NICs of a router; 0 if they are otherwise
	reciprocal uint64 // 2^64/each, rounded up: exact for numbers below 2^32
	first      uint64 // fields to and exit of packets to NIC 0
	exit       uint8  // where the field exit begins
}

// home returns the fields to and exit of packets to a NIC.
func (s *spread) home(nic int32) uint64 {
	router, _ := bits.Mul64(uint64(uint32(nic)), s.reciprocal)
	return s.first + router + (uint64(uint32(nic))-router*s.each)<<(s.exit&63)
}

// NewAddress lays out a header of which the algorithm itself needs `own` bits. It fails if fewer
// than minFlowBits would be left for the flow.
func NewAddress(g *topology.Graph, own int) (Address, *Layout, error) {
	l := &Layout{}
	a := Address{Graph: g, layout: l}
	a.To = l.Field(RouterBits(g))
	a.Exit = l.Field(bits.Len(uint(max(MaxRadix(g)-1, 1))))
	a.Choice = l.Field(ChannelBits)
	rest := 64 - l.Used - own
	if rest < minFlowBits {
		return a, nil, fmt.Errorf(
			"a route header has 64 bits, and this algorithm needs %d on a network of %d routers "+
				"with up to %d ports",
			l.Used+own+minFlowBits, g.Routers, MaxRadix(g),
		)
	}
	a.Flow = l.Field(min(rest, maxFlowBits))
	if a.Choice.shift <= 32 {
		homes := make([]uint32, len(g.NICPort))
		for nic := range homes {
			homes[nic] = uint32(a.home(int32(nic)))
		}
		a.homes = homes
		a.lookForSpread()
	}
	return a, l, nil
}

// lookForSpread replaces the table of homes by arithmetic if that gives the same. NICs that are alone
// at their routers keep it.
func (a *Address) lookForSpread() {
	each := 1
	for each < len(a.homes) && a.To.Of(uint64(a.homes[each])) == a.To.Of(uint64(a.homes[0])) {
		each++
	}
	if each < 2 || a.To.shift != 0 {
		return
	}
	s := spread{
		each: uint64(each), reciprocal: math.MaxUint64/uint64(each) + 1, first: uint64(a.homes[0]),
		exit: a.Exit.shift,
	}
	for nic, home := range a.homes {
		if s.home(int32(nic)) != uint64(home) {
			return
		}
	}
	a.homes, a.spread = nil, s
}

// home returns the fields to and exit of packets to a NIC.
func (a *Address) home(nic int32) uint64 {
	if a.spread.each != 0 {
		return a.spread.home(nic)
	}
	if int(nic) < len(a.homes) {
		return uint64(a.homes[nic])
	}
	port := a.Graph.NICPort[nic]
	router := a.Graph.Ports[port].Router
	return a.To.With(uint64(router)) | a.Exit.With(uint64(port-a.Graph.PortBase[router]))
}

// RouterBits returns how many bits a router's number needs.
func RouterBits(g *topology.Graph) int { return bits.Len(uint(max(g.Routers-1, 1))) }

func MaxRadix(g *topology.Graph) int {
	most := 0
	for r := range g.Routers {
		most = max(most, int(g.PortBase[r+1]-g.PortBase[r]))
	}
	return most
}

// Header returns the header of packets to NIC dst. The top bits of hash choose the channel.
func (a *Address) Header(dst int32, flow, hash uint64) uint64 {
	return a.home(dst) | a.Choice.With(hash>>(64-ChannelBits)) | a.Flow.With(flow)
}

// Router returns the router that a NIC is connected to.
func (a *Address) Router(nic int32) int32 { return int32(a.To.Of(a.home(nic))) }

// Pair returns a hash of the two hosts of a pair of NICs, the same for all packets between them.
func (a *Address) Pair(src, dst int32) uint64 {
	if n := int32(a.Graph.NICsPerHost); n > 1 {
		src, dst = src/n, dst/n
	}
	return Mix(uint64(src)<<32 | uint64(dst))
}
