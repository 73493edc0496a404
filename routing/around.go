package routing

import (
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

// Around is adaptive routing on any connected network, such as one without the links that have failed. Its
// first virtual channel is an escape channel, on which packets go up a spanning tree and down again
// (UpDown), by any of the shortest such routes, and stay. On the others they take any hop of a shortest
// route (Silla and Duato, High-performance routing in networks of workstations with irregular topology,
// IEEE Trans. Parallel and Distributed Systems 2000). With one channel all packets go up and down.
type Around struct {
	ways       *legs.UpDown
	leg        legs.Leg
	first, end uint16        // its virtual channels
	enter      uint16        // the first of those in which packets enter the network
	mode       headers.Field // modeFree, modeUp or modeDown
	address    headers.Address
}

// The modes of packets: not yet on an escape channel, or on one and up to now only upward, or also downward.
const (
	modeFree = iota
	modeUp
	modeDown
)

const modeBits = 2

// NewAround returns adaptive routing on the virtual channels from first up to, not including, end. The
// highest `spare` bits of its route headers are 0. It fails if the network is too large, not connected, or
// has links that lead one way.
func NewAround(g *topology.Graph, first, end, spare int) (*Around, error) {
	ways, err := legs.NewUpDown(g, -1)
	if err != nil {
		return nil, err
	}
	leg, err := legs.NewTable(g, false, legs.HostedEnds)
	if err != nil {
		return nil, err
	}
	address, layout, err := headers.NewAddress(g, modeBits+spare)
	if err != nil {
		return nil, err
	}
	a := &Around{
		ways: ways, leg: leg, first: uint16(first), end: uint16(end), mode: layout.Field(modeBits), address: address,
	}
	if a.enter = a.first; a.adapts() {
		a.enter++
	}
	return a, nil
}

// AroundMemory returns the memory for the tables of Around on a network of so many routers, in bytes.
func AroundMemory(routers int) int64 {
	return legs.UpDownMemory(routers) + legs.ShortestMemory(routers)
}

// adapts reports whether there are channels besides the escape channel.
func (a *Around) adapts() bool { return a.end > a.first+1 }

// Name implements Algorithm.
func (a *Around) Name() string { return "adaptive routing round faults" }

// StartPacket implements Adaptive. It returns a random flow and choice, and, if there are any others, a
// channel that is no escape channel.
func (a *Around) StartPacket(_, dst int32, coin uint64) (uint64, uint8) {
	header := a.address.Header(dst, coin, coin)
	return header, uint8(anyChannel(a.address.Choice.Of(header), a.enter, a.end))
}

// Candidates implements Adaptive.
func (a *Around) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst, mode := int32(a.address.To.Of(header)), a.mode.Of(header)
	if router == dst {
		vc := anyChannel(a.address.Choice.Of(header), a.first, a.end)
		return append(to, Candidate{Port: uint16(a.address.Exit.Of(header)), VC: vc, Header: header})
	}
	flow, first := a.address.Flow.Of(header), len(to)
	if mode == modeFree && a.adapts() {
		to = adaptively(a.leg.Ways(router, dst, to), first, a.enter, a.end, header)
		priceFrom(to[first:], v, flow, router)
	}
	escapes := len(to)
	to = a.escapes(router, dst, mode, to)
	priceFrom(to[escapes:], v, flow, router)
	for i := escapes; i < len(to); i++ {
		to[i].Header = a.mode.Set(header, to[i].Header)
		if v != nil && escapes > first {
			to[i].Cost += lastResort
		}
	}
	return to
}

// escapes appends the escape channels of a packet. Their headers are the modes that follow.
func (a *Around) escapes(router, dst int32, mode uint64, to []Candidate) []Candidate {
	down, first := uint64(0), len(to)
	if mode == modeDown {
		down = 1
	}
	to = a.ways.Onward(router, dst, down, to)
	for i := first; i < len(to); i++ {
		next := modeUp + (down | a.ways.LeadsDown(router, to[i].Port))
		to[i] = Candidate{Port: to[i].Port, VC: a.first, Escape: true, Header: next}
	}
	return to
}

// OutlineStarts implements Outliner.
func (a *Around) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}

// OutlineSteps implements Outliner. In an outline, the bits from 32 on are the mode.
func (a *Around) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	dst, mode := int32(outline), outline>>32
	if router == dst {
		return to
	}
	first := len(to)
	if mode == modeFree && a.adapts() {
		to = adaptively(a.leg.Ways(router, dst, to), first, a.enter, a.end, outline)
	}
	escapes := len(to)
	to = a.escapes(router, dst, mode, to)
	for i := escapes; i < len(to); i++ {
		to[i].Header = uint64(uint32(outline)) | to[i].Header<<32
	}
	return to
}

// eras are several algorithms of packets that are in a network together, each with the algorithm with which
// it started. It is one algorithm for the check for deadlock.
type eras []*Around

// eraShift is where the number of the era begins in an outline.
const eraShift = 32 + modeBits

// Name implements Algorithm.
func (e eras) Name() string { return e[0].Name() }

// StartPacket implements Adaptive. Packets of the check follow outlines instead.
func (e eras) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return e[0].StartPacket(src, dst, coin)
}

// Candidates implements Adaptive. Packets of the check follow outlines instead.
func (e eras) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	return e[0].Candidates(router, header, v, to)
}

// OutlineStarts implements Outliner.
func (e eras) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	for era := range e {
		outlines = append(outlines, uint64(era)<<eraShift|uint64(to))
	}
	return outlines
}

// OutlineSteps implements Outliner.
func (e eras) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	era, first := outline>>eraShift, len(to)
	to = e[era].OutlineSteps(router, outline&(1<<eraShift-1), to)
	for i := first; i < len(to); i++ {
		to[i].Header |= era << eraShift
	}
	return to
}
