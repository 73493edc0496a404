package legs

import (
	"fmt"
	"math"

	"fabricast/topology"
)

// Torus is dimension-order routing on a torus or mesh with the channel classes of Dally and
// Seitz (IEEE Trans. Computers 1987): in a ring, class 1 as long as the wrap-around link is still
// ahead, class 0 from there on. Unlike the classes of DOR, these depend only on where the packet is
// and goes, but they use the channels less evenly.
type Torus struct {
	torus  *topology.Torus
	Coords CoordTable
	size   []int32 // of a dimension
	wraps  []bool
	rings  bool     // there are rings long enough to need two classes
	hops   [][2]Hop // by direction coin, see tabulate
	waysOf []uint8  // bitmaps, see tabulate
	middle []int32  // by dimension: index in hops and waysOf of equal coordinates
}

var _ = register(func(t *topology.Torus, _ Ends) (Leg, error) { return newTorusLeg(t) })

func newTorusLeg(t *topology.Torus) (*Torus, error) {
	for _, k := range t.Dims() {
		if k > math.MaxUint16 {
			return nil, fmt.Errorf("at most %d routers in a dimension, not %d", math.MaxUint16, k)
		}
	}
	l := &Torus{torus: t, Coords: newCoordTable(t.Dims()), rings: LongRings(t)}
	for d, k := range t.Dims() {
		l.size, l.wraps = append(l.size, int32(k)), append(l.wraps, t.Wraps(d))
	}
	l.tabulate()
	return l, nil
}

// LongRings reports whether a ring has more than three routers, so that packets could wait for one
// another in a cycle.
func LongRings(t *topology.Torus) bool {
	for d, k := range t.Dims() {
		if t.Wraps(d) && k > 3 {
			return true
		}
	}
	return false
}

func (l *Torus) Classes() int {
	if l.rings {
		return 2
	}
	return 1
}

func (l *Torus) Distance(at, to int32) int {
	sum := int32(0)
	a, b := l.Coords.Of(at), l.Coords.Of(to)
	for d := range a {
		hops := max(int32(a[d])-int32(b[d]), int32(b[d])-int32(a[d]))
		if l.wraps[d] {
			hops = min(hops, l.size[d]-hops)
		}
		sum += hops
	}
	return int(sum)
}

func (l *Torus) Next(at, to int32, flow uint64) Hop {
	differ := l.Coords.differ(at, to)
	if differ == 0 {
		panic("routing: a hop from a router to itself")
	}
	d := l.Coords.first(differ)
	return l.hops[l.middle[d]+l.Coords.away(d, at, to)][flow>>(d&63)&1]
}

// tabulate fills hops and waysOf, indexed by the difference of coordinates in each dimension. hops
// holds the hop that a packet takes for each value of the coin; waysOf holds which of the two ports
// bring it nearer, as a bitmap.
func (l *Torus) tabulate() {
	for d, k := range l.size {
		l.middle = append(l.middle, int32(len(l.waysOf))+k-1)
		for away := int(1 - k); away < int(k); away++ {
			from, to := max(0, -away), max(0, away)
			hops, ways := [2]Hop{l.Step(d, from, to, 0), l.Step(d, from, to, 1)}, uint8(0)
			if up, either := l.upward(d, from, to); away != 0 {
				ways = 2
				if up {
					ways = 1
				}
				if either {
					ways = 3
				}
			}
			l.hops, l.waysOf = append(l.hops, hops), append(l.waysOf, ways)
		}
	}
}

// Step returns one hop in a dimension. The coin (0 or 1) decides the direction where both are
// equally long, and the channel class where either is free of deadlock.
func (l *Torus) Step(d, from, to int, coin uint64) Hop {
	up, either := l.upward(d, from, to)
	return l.hop(d, from > to, up != (either && coin == 1), coin)
}

// upward returns whether the shorter direction in a dimension is up, and whether both directions
// are equally long.
func (l *Torus) upward(d, from, to int) (up, either bool) {
	if !l.wraps[d] {
		return to > from, false
	}
	k, hops := int(l.size[d]), to-from
	if hops < 0 {
		hops += k
	}
	return 2*hops <= k, 2*hops == k
}

// hop returns the hop up or down in dimension d. Set higher if the packet's coordinate is above its
// destination's.
func (l *Torus) hop(d int, higher, up bool, coin uint64) Hop {
	h := Hop{Port: uint16(2 * d)}
	if !up {
		h.Port++
	}
	switch {
	case !l.rings:
	case !l.wraps[d]:
		h.Class = uint16(coin)
	case higher == up: // the end of the ring is still to come
		h.Class = 1
	}
	return h
}

func (l *Torus) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.Coords.Of(at), l.Coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			return l.both(d, int(a[d]), int(b[d]), list)
		}
	}
	return list
}

// both appends the hops in dimension d for both values of the coin, without repeating equal ones.
func (l *Torus) both(d, from, to int, list []Candidate) []Candidate {
	up, either := l.upward(d, from, to)
	list = append(list, l.hop(d, from > to, up, 0).Way())
	if either || l.rings && !l.wraps[d] {
		list = append(list, l.hop(d, from > to, up != either, 1).Way())
	}
	return list
}

// Productive appends all hops that bring a packet nearer to its destination, in every dimension.
// Adaptive algorithms choose among them; the channel class is that of the escape channel.
func (l *Torus) Productive(at, to int32, list []Candidate) []Candidate {
	a, b := l.Coords.Of(at), l.Coords.Of(to)
	for d := range a {
		if a[d] != b[d] {
			list = l.both(d, int(a[d]), int(b[d]), list)
		}
	}
	return list
}

// Ports returns the ports that productive appends, as a bitmap; 0 if there are more than 64 ports.
func (l *Torus) Ports(at, to int32) (ports uint64) {
	if len(l.size) > 32 {
		return 0
	}
	for differ := l.Coords.differ(at, to); differ != 0; {
		d := l.Coords.first(differ)
		ports |= uint64(l.waysOf[l.middle[d]+l.Coords.away(d, at, to)]) << (2 * d & 63)
		differ = l.Coords.fields[d].Set(differ, 0)
	}
	return ports
}
