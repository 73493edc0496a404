package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// twistedLeg is routing by shortest ways on a twisted torus, one dimension after the other. Where both
// directions are equally long, a hash of the flow chooses one.
//
// The links along a dimension form rings, which pass through a twisted dimension several times. In a
// ring, packets are in class 1 as long as its wrap-around link is still ahead, in class 0 from there
// on, as on a torus (Dally and Seitz, IEEE Trans. Computers 1987).
type twistedLeg struct {
	torus   *topology.TwistedTorus
	dims    int
	place   []int32 // by router and dimension: the router's place in its ring
	ring    []int32 // likewise: the length of this ring
	classes int
}

var _ = register(func(t *topology.TwistedTorus, _ Ends) (Leg, error) { return newTwistedLeg(t), nil })

func newTwistedLeg(t *topology.TwistedTorus) *twistedLeg {
	n, routers := len(t.Dims()), t.Graph().Routers
	l := &twistedLeg{
		torus: t, dims: n, place: make([]int32, routers*n), ring: make([]int32, routers*n), classes: 1,
	}
	for d := range n {
		for r := range routers {
			if l.ring[r*n+d] == 0 {
				l.number(r, d)
			}
		}
	}
	return l
}

// number fills in the places of the ring along dimension d that starts at a router.
func (l *twistedLeg) number(first, d int) {
	length := int32(0)
	for r := first; length == 0 || r != first; r = l.torus.Neighbour(r, 2*d) {
		l.place[r*l.dims+d] = length
		length++
	}
	if length > 3 { // packets could wait for one another in a cycle
		l.classes = 2
	}
	for i, r := int32(0), first; i < length; i, r = i+1, l.torus.Neighbour(r, 2*d) {
		l.ring[r*l.dims+d] = length
	}
}

func (l *twistedLeg) Classes() int { return l.classes }

func (l *twistedLeg) Distance(at, to int32) int { return int(l.torus.Way(int(at), int(to)).Hops) }

func (l *twistedLeg) Next(at, to int32, flow uint64) Hop {
	w := l.torus.Way(int(at), int(to))
	if w.Hops == 0 {
		panic("routing: a hop from a router to itself")
	}
	return l.hop(at, w, w.Up && (!w.Down || headers.Pick(flow, at, 2) == 0))
}

// hop returns the next hop of a way, up or down along its dimension.
func (l *twistedLeg) hop(at int32, w topology.TwistedWay, up bool) Hop {
	i := int(at)*l.dims + int(w.Dim)
	h, crosses := Hop{Port: 2 * uint16(w.Dim)}, l.place[i]+w.Steps >= l.ring[i]
	if !up {
		h.Port++
		crosses = l.place[i] < w.Steps
	}
	if crosses && l.classes == 2 {
		h.Class = 1
	}
	return h
}

func (l *twistedLeg) Ways(at, to int32, list []Candidate) []Candidate {
	w := l.torus.Way(int(at), int(to))
	if w.Up {
		list = append(list, l.hop(at, w, true).Way())
	}
	if w.Down {
		list = append(list, l.hop(at, w, false).Way())
	}
	return list
}
