package topology

// SlimFlyWays finds shortest paths on a Slim Fly in constant time. Its tables take a few bytes per
// router and, if the order of the field is not a prime, per pair of field elements.
type SlimFlyWays struct {
	q      int32
	places []slimFlyPlace // position of each router
	// Logarithms and powers in the field. The logarithm of 0 is so large that the power of any sum
	// with it is 0.
	log, exp []uint16
	less     []uint16 // differences of elements a and b, at a*q+b; empty if q is a prime
	local    [2]slimFlyColumns
}

// slimFlyPlace is the position of a router: side, column on that side, index in the column.
type slimFlyPlace struct{ s, x, y int16 }

// slimFlyColumns holds the ports within the columns of one side, by difference of the index in the
// column.
type slimFlyColumns struct {
	ports int32 // number of local ports
	port  []int16
	over  [][]uint16 // first ports of two-hop paths within the column
}

// SlimFlyWay holds the ports at which shortest paths from a router to another start: the ports Over
// if there are any, and otherwise One and, unless it is NoPort, Two, in ascending order.
type SlimFlyWay struct {
	One, Two uint16
	Hops     uint16 // number of hops: 1 or 2
	Over     []uint16
}

// NoPort marks a missing port of a SlimFlyWay.
const NoPort = 0xffff

// Ways returns the tables for finding shortest paths.
func (f *SlimFly) Ways() *SlimFlyWays {
	q := f.q
	w := &SlimFlyWays{
		q: int32(q), places: make([]slimFlyPlace, f.graph.Routers),
		log: make([]uint16, q), exp: make([]uint16, 4*q),
	}
	for r := range w.places {
		s, x, y := f.Place(r)
		w.places[r] = slimFlyPlace{int16(s), int16(x), int16(y)}
	}
	for i := range 2 * (q - 1) {
		w.exp[i] = uint16(f.field.power(i))
	}
	for e := range q {
		w.log[e] = uint16(f.field.log[e])
	}
	w.log[0] = uint16(2 * (q - 1))
	if f.field.n > 1 {
		w.less = make([]uint16, q*q)
		for i := range w.less {
			w.less[i] = uint16(f.minus(i/q, i%q))
		}
	}
	for s := range w.local {
		w.local[s] = f.columns(s)
	}
	return w
}

// columns returns the ports within the columns of side s.
func (f *SlimFly) columns(s int) slimFlyColumns {
	c := slimFlyColumns{
		ports: int32(len(f.sets[s])), port: make([]int16, f.q), over: make([][]uint16, f.q),
	}
	for d := range f.q {
		c.port[d] = int16(f.index[s][d])
		for p, e := range f.sets[s] {
			if f.index[s][f.minus(d, e)] >= 0 {
				c.over[d] = append(c.over[d], uint16(p))
			}
		}
	}
	return c
}

// minus returns a - b in the field.
func (w *SlimFlyWays) minus(a, b int32) int32 {
	if len(w.less) > 0 {
		return int32(w.less[a*w.q+b])
	}
	d := a - b
	return d + w.q&(d>>31)
}

// Between returns the ports at which shortest paths from a router to another start (see
// SlimFly.Nearer).
func (w *SlimFlyWays) Between(router, to int32) SlimFlyWay {
	a, b := w.places[router], w.places[to]
	x, y, u, v := int32(a.x), int32(a.y), int32(b.x), int32(b.y)
	own := &w.local[a.s&1]
	if a.s == b.s && x == u {
		d := w.minus(v, y)
		if p := own.port[d]; p >= 0 {
			return SlimFlyWay{One: uint16(p), Two: NoPort, Hops: 1}
		}
		return SlimFlyWay{Hops: 2, Over: own.over[d]}
	}
	if a.s == b.s {
		rise := w.minus(y, v)
		if a.s == 1 {
			rise = w.minus(v, y)
		}
		run := w.minus(x, u)
		slope := w.exp[int32(w.log[rise])-int32(w.log[run])+w.q-1]
		return SlimFlyWay{One: uint16(own.ports) + slope, Two: NoPort, Hops: 2}
	}
	return w.across(own, &w.local[b.s&1], a, b)
}

// across implements Between for routers of different sides.
func (w *SlimFlyWays) across(own, other *slimFlyColumns, a, b slimFlyPlace) SlimFlyWay {
	product := int32(w.exp[uint32(w.log[a.x])+uint32(w.log[b.x])])
	var off int32 // distance in index from the neighbour in the column
	if a.s == 0 {
		off = w.minus(int32(b.y), w.minus(int32(a.y), product))
	} else {
		off = w.minus(w.minus(int32(b.y), product), int32(a.y))
	}
	global := uint16(own.ports) + uint16(b.x)
	if off == 0 {
		return SlimFlyWay{One: global, Two: NoPort, Hops: 1}
	}
	one, two := own.port[off], other.port[off]
	switch {
	case one < 0:
		return SlimFlyWay{One: global, Two: NoPort, Hops: 2}
	case two < 0:
		return SlimFlyWay{One: uint16(one), Two: NoPort, Hops: 2}
	}
	return SlimFlyWay{One: uint16(one), Two: global, Hops: 2}
}
