package routing

import (
	"fmt"
	"math"

	"fabricast/topology"
)

// torusLeg is dimension order on a torus or mesh, with the channel classes of
// Dally and Seitz (IEEE Trans. Computers 1987): in a ring, class 1 as long as the
// wrap-around link is still ahead, class 0 from there on. Unlike the classes
// of DOR these follow from where the packet is and goes, at the price of using
// the channels less evenly.
type torusLeg struct {
	torus  *topology.Torus
	coords coordTable
	rings  bool // there are rings long enough to need two classes
}

func newTorusLeg(t *topology.Torus) (*torusLeg, error) {
	for _, k := range t.Dims() {
		if k > math.MaxUint16 {
			return nil, fmt.Errorf("at most %d routers in a dimension, not %d", math.MaxUint16, k)
		}
	}
	return &torusLeg{torus: t, coords: newCoordTable(t.Dims()), rings: DORMinVCs(t) > 1}, nil
}

func (l *torusLeg) classes() int {
	if l.rings {
		return 2
	}
	return 1
}

func (l *torusLeg) distance(at, to int32) int {
	sum := 0
	a, b := l.coords.of(at), l.coords.of(to)
	for d := range a {
		h, _ := l.torus.Hops(d, int(a[d]), int(b[d]))
		sum += max(h, -h)
	}
	return sum
}

func (l *torusLeg) next(at, to int32, flow uint64) hop {
	a, b := l.coords.of(at), l.coords.of(to)
	for d := range a {
		if a[d] != b[d] {
			return l.step(d, int(a[d]), int(b[d]), flow>>d&1)
		}
	}
	panic("routing: a hop from a router to itself")
}

// step is one hop in a dimension; coin decides where both ways are equally long,
// and the class where any would do.
func (l *torusLeg) step(d, from, to int, coin uint64) hop {
	hops, tie := l.torus.Hops(d, from, to)
	up := hops > 0 != (tie && coin == 1)
	h := hop{port: uint16(2 * d)}
	if !up {
		h.port++
	}
	switch {
	case !l.rings:
	case !l.torus.Wraps(d):
		h.class = uint16(coin)
	case (from > to) == up: // the end of the ring is still to come
		h.class = 1
	}
	return h
}

func (l *torusLeg) ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.coords.of(at), l.coords.of(to)
	for d := range a {
		if a[d] != b[d] {
			return l.both(d, int(a[d]), int(b[d]), list)
		}
	}
	return list
}

// both appends the hops in a dimension that either coin yields.
func (l *torusLeg) both(d, from, to int, list []Candidate) []Candidate {
	heads, tails := l.step(d, from, to, 0), l.step(d, from, to, 1)
	list = append(list, heads.way())
	if tails != heads {
		list = append(list, tails.way())
	}
	return list
}

// productive appends, for every dimension in which packets have to travel, the
// hops of shortest ways in it. It is what adaptive algorithms choose from; the
// class is that of the escape channel.
func (l *torusLeg) productive(at, to int32, list []Candidate) []Candidate {
	a, b := l.coords.of(at), l.coords.of(to)
	for d := range a {
		if a[d] != b[d] {
			list = l.both(d, int(a[d]), int(b[d]), list)
		}
	}
	return list
}
