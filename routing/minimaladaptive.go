package routing

import (
	"fmt"
	"math"
	"slices"

	"fabricast/topology"
)

// MinimalAdaptive is fully adaptive minimal routing with escape channels (Duato, A
// new theory of deadlock-free adaptive routing in wormhole networks, IEEE Trans.
// Parallel and Distributed Systems 1993) on a torus, mesh, HyperX or fully connected network: on
// adaptive channels a packet may take any hop that brings it nearer, on escape
// channels that of dimension-order routing. It takes the channel with the shortest queue, an escape channel
// only if no other can be had, and may leave the escape channels again.
//
// The escape channels are the first: one for each class of dimension order (two
// on a torus with rings of more than three routers, else one); all others are adaptive, at least one.
type MinimalAdaptive struct {
	leg     adaptiveLeg
	escapes uint16
	vcs     uint16
	address
}

// adaptiveLeg is a leg with a choice.
type adaptiveLeg interface {
	leg
	// productive appends all hops that bring a packet nearer to a router.
	productive(at, to int32, list []Candidate) []Candidate
	// ports is the bitmap of their ports; 0 if the router has more than 64 of them.
	ports(at, to int32) uint64
}

// NewMinimalAdaptive fails on topologies without dimensions, and with too few virtual channels.
func NewMinimalAdaptive(t topology.Topology, vcs int) (*MinimalAdaptive, error) {
	l, err := newLeg(t)
	if err != nil {
		return nil, err
	}
	a, ok := l.(adaptiveLeg)
	if !ok {
		return nil, fmt.Errorf("minimal adaptive routing with escape channels needs a torus, mesh, hyperx or fully connected network, not %s", t.Kind())
	}
	if err := enoughChannels(vcs, l.classes()+1, "minimal adaptive routing"); err != nil {
		return nil, err
	}
	m := &MinimalAdaptive{leg: a, escapes: uint16(l.classes()), vcs: uint16(vcs)}
	m.address, _, err = newAddress(t.Graph(), 0)
	return m, err
}

func enoughChannels(vcs, need int, algorithm string) error {
	if vcs < need {
		return &TooFewVCsError{Algorithm: algorithm, Need: need, Have: vcs}
	}
	if vcs > MaxVCs {
		return fmt.Errorf("at most %d virtual channels, not %d", MaxVCs, vcs)
	}
	return nil
}

// Name is "adaptive".
func (m *MinimalAdaptive) Name() string { return "adaptive" }

// StartPacket implements Adaptive.
func (m *MinimalAdaptive) StartPacket(_, dst int32, coin uint64) (uint64, uint8) {
	header := m.header(dst, coin, coin)
	return header, uint8(anyChannel(m.lane.of(header), m.escapes, m.vcs))
}

// anyChannel is the adaptive channel of a lane.
func anyChannel(lane uint64, first, end uint16) uint16 {
	return first + uint16(lane)%(end-first)
}

// lastResort is the cost of the escape channel, beyond that of others.
const lastResort = math.MaxInt64 / 4

// Candidates implements Adaptive.
func (m *MinimalAdaptive) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst := int32(m.to.of(header))
	if router == dst {
		return append(to, Candidate{Port: uint16(m.exit.of(header)), VC: anyChannel(m.lane.of(header), 0, m.vcs), Header: header})
	}
	first := len(to)
	to = m.adaptive(router, dst, header, to)
	priceFrom(to[first:], v, m.flow.of(header), router)
	return append(to, escapeBy(m.leg.next(router, dst, m.flow.of(header)), header))
}

// adaptive appends the adaptive channels of all productive hops.
func (m *MinimalAdaptive) adaptive(router, dst int32, header uint64, to []Candidate) []Candidate {
	first := len(to)
	return adaptively(m.leg.productive(router, dst, to), first, m.escapes, m.vcs, header)
}

// adaptively replaces the ways at the end of a list, from first on, by a range of
// channels of each port.
func adaptively(list []Candidate, first int, from, end uint16, header uint64) []Candidate {
	ports := first
	for i := first; i < len(list); i++ {
		if i == first || list[i].Port != list[ports-1].Port { // else the same hop in another class
			list[ports].Port = list[i].Port
			ports++
		}
	}
	n := int(end - from)
	list = slices.Grow(list[:ports], (ports-first)*n)[:first+(ports-first)*n]
	for i := ports - 1; i >= first; i-- { // from the back, for the channels take the place of the ports
		port := list[i].Port
		for vc := n - 1; vc >= 0; vc-- {
			list[first+(i-first)*n+vc] = Candidate{Port: port, VC: from + uint16(vc), Header: header}
		}
	}
	return list
}

// channels appends a range of channels of a port.
func channels(port, first, end uint16, header uint64, to []Candidate) []Candidate {
	for vc := first; vc < end; vc++ {
		to = append(to, Candidate{Port: port, VC: vc, Header: header})
	}
	return to
}

// escapeBy is the escape channel of a hop: the one with the number of its class.
func escapeBy(h hop, header uint64) Candidate {
	return Candidate{Port: h.port, VC: h.class, Escape: true, Cost: lastResort, Header: header}
}

// OutlineStarts implements Outliner: an outline is the destination router.
func (m *MinimalAdaptive) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}

// OutlineSteps implements Outliner.
func (m *MinimalAdaptive) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	dst := int32(outline)
	if router == dst {
		return to
	}
	to = m.adaptive(router, dst, outline, to)
	first := len(to)
	to = m.leg.ways(router, dst, to)
	for i := first; i < len(to); i++ {
		to[i] = escapeBy(to[i].hop(), outline)
	}
	return to
}
