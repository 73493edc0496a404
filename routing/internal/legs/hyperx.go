package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// hyperxLeg is dimension-order routing on a HyperX (a flattened butterfly, hypercube or fully
// connected network): one hop in each dimension in which the routers differ, in the order of the
// dimensions (Kim, Dally and Abts, ISCA 2007; Ahn et al., SC 2009). Where links are parallel, a
// hash of the flow chooses one. Packets wait only for channels of later dimensions, so one channel
// class is enough.
type hyperxLeg struct {
	net    *topology.HyperX
	coords CoordTable
	base   []int32 // by dimension: its first port
	width  []int32
	degree int // ports to other routers
	toward []hyperxPorts
}

var (
	_ = register(func(h *topology.HyperX, _ Ends) (Leg, error) { return newHyperXLeg(h), nil })
	_ = register(func(f *topology.Full, _ Ends) (Leg, error) { return newHyperXLeg(f.HyperX), nil })
)

func newHyperXLeg(h *topology.HyperX) *hyperxLeg {
	l := &hyperxLeg{net: h, coords: newCoordTable(h.Dims())}
	base := 0
	for d, k := range h.Dims() {
		l.base, l.width = append(l.base, int32(base)), append(l.width, int32(h.Width(d)))
		width := uint64(h.Width(d))
		l.toward = append(l.toward, hyperxPorts{l.coords.fields[d], uint64(base), width, 1<<width - 1})
		base += (k - 1) * h.Width(d)
	}
	l.degree = base
	return l
}

func (l *hyperxLeg) Classes() int { return 1 }

func (l *hyperxLeg) Distance(at, to int32) int {
	differ := 0
	a, b := l.coords.Of(at), l.coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			differ++
		}
	}
	return differ
}

func (l *hyperxLeg) Next(at, to int32, flow uint64) Hop {
	a, b := l.coords.Of(at), l.coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			first := l.first(d, a[d], b[d])
			if l.width[d] > 1 {
				first += int32(headers.Pick(flow, at, int(l.width[d])))
			}
			return Hop{Port: uint16(first)}
		}
	}
	panic("routing: a hop from a router to itself")
}

// first returns the first of the parallel ports that lead from coordinate own to coordinate to in
// dimension d.
func (l *hyperxLeg) first(d int, own, to uint16) int32 {
	if to > own {
		to--
	}
	return l.base[d] + int32(to)*l.width[d]
}

func (l *hyperxLeg) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.coords.Of(at), l.coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			return l.parallel(d, a[d], b[d], list)
		}
	}
	return list
}

func (l *hyperxLeg) parallel(d int, own, to uint16, list []Candidate) []Candidate {
	first := l.first(d, own, to)
	for i := range l.width[d] {
		list = append(list, Candidate{Port: uint16(first + i)})
	}
	return list
}

func (l *hyperxLeg) Productive(at, to int32, list []Candidate) []Candidate {
	a, b := l.coords.Of(at), l.coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			list = l.parallel(d, a[d], b[d], list)
		}
	}
	return list
}

// Ports returns the ports that productive appends, as a bitmap; 0 if there are more than 64 ports.
func (l *hyperxLeg) Ports(at, to int32) (ports uint64) {
	if l.degree > 64 {
		return 0
	}
	a, b := l.coords.packed[at], l.coords.packed[to]
	for i := range l.toward {
		d := &l.toward[i]
		own, other := d.field.Of(a), d.field.Of(b)
		switch {
		case other > own:
			ports |= d.parallel << ((d.base + (other-1)*d.width) & 63)
		case other < own:
			ports |= d.parallel << ((d.base + other*d.width) & 63)
		}
	}
	return ports
}

// hyperxPorts holds the ports of one dimension of a HyperX router.
type hyperxPorts struct {
	field       headers.Field // the bits of packed coordinates that hold this dimension
	base, width uint64
	parallel    uint64 // the bitmap of the ports toward one coordinate
}
