package routing

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"fabricast/topology"
)

// legalLengths holds the lengths of the shortest up*/down* ways between all routers.
type legalLengths struct {
	neighbours
	rank     []int32  // of routers: lower is up
	down, up []uint16 // by to*routers+at: of ways that only go down, noWay if there is none; and of all
}

const noWay = math.MaxUint16

// newLegalLengths searches backward from every router, 64 of them at a time, as topology.Graph.Hops does.
func newLegalLengths(g *topology.Graph, rank []int32) *legalLengths {
	size := g.Routers * g.Routers
	l := &legalLengths{neighbours: newNeighbours(g), rank: rank, down: make([]uint16, size), up: make([]uint16, size)}
	batches := (g.Routers + 63) / 64
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), batches) {
		group.Go(func() {
			s := newLegalSearch(l)
			for batch := next.Add(1) - 1; batch < int64(batches); batch = next.Add(1) - 1 {
				s.from(int(batch) * 64)
			}
		})
	}
	group.Wait()
	return l
}

// row is the part of a table that is about ways to one router.
func (l *legalLengths) row(table []uint16, to int32) []uint16 {
	n := len(l.rank)
	return table[int(to)*n : (int(to)+1)*n]
}

// climbing are the ways of packets that may still go up.
type climbing struct{ *legalLengths }

func (c climbing) onward(at, to int32, list []Candidate) []Candidate {
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

// falling are the ways of packets that have gone down.
type falling struct{ *legalLengths }

func (f falling) onward(at, to int32, list []Candidate) []Candidate {
	down := f.row(f.down, to)
	for p, r := range f.of(at) {
		if r != topology.Unconnected && f.rank[r] > f.rank[at] && down[r] != noWay && down[r]+1 == down[at] {
			list = append(list, Candidate{Port: uint16(p)})
		}
	}
	return list
}

// legalSearch goes backward from 64 routers at once, a bit for each: from routers to those from which packets
// come down to them, and to those from which packets climb to them.
type legalSearch struct {
	lengths    *legalLengths
	down, any  legalSets
	downs, ups []uint16 // the searches' parts of the tables
}

// legalSets are, by router, the searches that have seen it, have just come to it, and come to it next.
type legalSets struct{ seen, here, after []uint64 }

func newLegalSearch(l *legalLengths) *legalSearch {
	sets := func() legalSets {
		words := make([]uint64, 3*len(l.rank))
		n := len(l.rank)
		return legalSets{words[:n:n], words[n : 2*n : 2*n], words[2*n:]}
	}
	return &legalSearch{lengths: l, down: sets(), any: sets()}
}

// from fills in the lengths of ways to up to 64 routers.
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

// begin puts each search at its own router.
func (l *legalSets) begin(to, count int) {
	clear(l.seen)
	clear(l.here)
	for i := range count {
		l.seen[to+i], l.here[to+i] = 1<<i, 1<<i
	}
}

// spread takes every search one link further back; false if there was nothing to take.
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

// settle notes the routers that searches came to for the first time.
func (s *legalSearch) settle(length uint16) {
	n := len(s.lengths.rank)
	for r := range n {
		down := s.down.fresh(r, s.down.after[r])
		note(s.downs, n, r, down, length)
		note(s.ups, n, r, s.any.fresh(r, s.any.after[r]|down), length)
	}
}

// fresh are the searches that come to a router for the first time.
func (l *legalSets) fresh(router int, after uint64) uint64 {
	fresh := after &^ l.seen[router]
	l.seen[router] |= fresh
	l.here[router] = fresh
	return fresh
}

// note enters a length for searches that have come to a router.
func note(table []uint16, routers, router int, searches uint64, length uint16) {
	for ; searches != 0; searches &= searches - 1 {
		table[bits.TrailingZeros64(searches)*routers+router] = length
	}
}
