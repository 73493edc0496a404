package legs

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"fabricast/internal/panics"
	"fabricast/topology"
)

// legalLengths holds the lengths of the shortest up*/down* routes between all routers.
type legalLengths struct {
	neighbours
	rank []int32 // of routers: a link to a lower rank leads up
	// lengths in hops, at index to*routers+at: of the shortest route that only goes down (noWay if
	// there is none), and of the shortest route of any kind
	down, up []uint16
}

const noWay = math.MaxUint16

// newLegalLengths computes the lengths by breadth-first search backward from every router, 64
// routers at a time, as topology.Graph.Hops does.
func newLegalLengths(g *topology.Graph, rank []int32) *legalLengths {
	size := g.Routers * g.Routers
	l := &legalLengths{newNeighbours(g), rank, make([]uint16, size), make([]uint16, size)}
	batches := (g.Routers + 63) / 64
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), batches) {
		group.Go(panics.Guarded("lengths of ways", func() {
			s := newLegalSearch(l)
			for batch := next.Add(1) - 1; batch < int64(batches); batch = next.Add(1) - 1 {
				s.from(int(batch) * 64)
			}
		}))
	}
	group.Wait()
	return l
}

// row returns the part of a table that holds the routes to one router.
func (l *legalLengths) row(table []uint16, to int32) []uint16 {
	n := len(l.rank)
	return table[int(to)*n : (int(to)+1)*n]
}

// climbing finds the next hops of packets that may still go up.
type climbing struct{ *legalLengths }

func (c climbing) Onward(at, to int32, list []Candidate) []Candidate {
	down, up := c.row(c.down, to), c.row(c.up, to)
	for p, r := range c.of(at) {
		if r == topology.Unconnected {
			continue
		}
		length := up[r]
		if c.rank[r] > c.rank[at] {
			length = down[r]
		}
		if length != noWay && length+1 == up[at] {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// falling finds the next hops of packets that have gone down, and so may not go up again.
type falling struct{ *legalLengths }

func (f falling) Onward(at, to int32, list []Candidate) []Candidate {
	down := f.row(f.down, to)
	for p, r := range f.of(at) {
		if r != topology.Unconnected && f.rank[r] > f.rank[at] && down[r] != noWay && down[r]+1 == down[at] {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// legalSearch is breadth-first search backward from 64 routers at once, one bit for each search. It
// follows links against their direction: links down by which a packet comes to a router, and links
// up.
type legalSearch struct {
	lengths    *legalLengths
	down, any  legalSets
	downs, ups []uint16 // the searches' parts of the tables
}

// legalSets holds, by router, which searches have visited it, which have just come to it, and which
// come to it with the next step; one bit for each search.
type legalSets struct{ seen, here, after []uint64 }

func newLegalSearch(l *legalLengths) *legalSearch {
	sets := func() legalSets {
		words := make([]uint64, 3*len(l.rank))
		n := len(l.rank)
		return legalSets{words[:n:n], words[n : 2*n : 2*n], words[2*n:]}
	}
	return &legalSearch{lengths: l, down: sets(), any: sets()}
}

// from fills in the lengths of the routes to up to 64 routers, starting with router to.
func (s *legalSearch) from(to int) {
	n := len(s.lengths.rank)
	count := min(64, n-to)
	s.downs, s.ups = s.lengths.down[to*n:(to+count)*n], s.lengths.up[to*n:(to+count)*n]
	for i := range s.downs {
		s.downs[i] = noWay
	}
	s.down.begin(to, count)
	s.any.begin(to, count)
	for i := range count {
		s.downs[i*n+to+i], s.ups[i*n+to+i] = 0, 0
	}
	for length := uint16(1); s.spread(); length++ {
		s.settle(length)
	}
}

// begin starts each search at its own router.
func (l *legalSets) begin(to, count int) {
	clear(l.seen)
	clear(l.here)
	for i := range count {
		l.seen[to+i], l.here[to+i] = 1<<i, 1<<i
	}
}

// spread takes every search one link further back. It returns false if no search has anywhere to
// go.
func (s *legalSearch) spread() bool {
	clear(s.down.after)
	clear(s.any.after)
	some := false
	for r, here := range s.any.here {
		down := s.down.here[r]
		if here|down == 0 {
			continue
		}
		some = true
		for _, n := range s.lengths.of(int32(r)) {
			switch {
			case n == topology.Unconnected:
			case s.lengths.rank[n] < s.lengths.rank[r]:
				s.down.after[n] |= down
			default:
				s.any.after[n] |= here
			}
		}
	}
	return some
}

// settle records the length for routers that searches reached for the first time.
func (s *legalSearch) settle(length uint16) {
	n := len(s.lengths.rank)
	for r := range n {
		down := s.down.fresh(r, s.down.after[r])
		note(s.downs, n, r, down, length)
		note(s.ups, n, r, s.any.fresh(r, s.any.after[r]|down), length)
	}
}

// fresh returns the searches that reach a router for the first time, and marks it as visited by
// them.
func (l *legalSets) fresh(router int, after uint64) uint64 {
	fresh := after &^ l.seen[router]
	l.seen[router] |= fresh
	l.here[router] = fresh
	return fresh
}

// note enters a length in the table for each search that has reached a router.
func note(table []uint16, routers, router int, searches uint64, length uint16) {
	for ; searches != 0; searches &= searches - 1 {
		table[bits.TrailingZeros64(searches)*routers+router] = length
	}
}
