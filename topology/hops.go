package topology

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/internal/panics"
)

// Hops holds the distances between all routers of a graph, in links, with one byte per pair.
type Hops struct {
	routers int
	ends    []bool  // see Graph.Ends
	links   []uint8 // number of links from b to a, at index a*routers+b
	oneWay  bool    // some links lead only one way
}

// MostHops is the maximum distance that Hops can hold, in links.
const MostHops = math.MaxUint8 - 1

const unreached = math.MaxUint8

// Between returns the distance from router a to router b, in links.
func (h *Hops) Between(a, b int32) int { return int(h.links[int(b)*h.routers+int(a)]) }

// Nearer reports whether a router is one link nearer to a destination than a neighbour at a distance,
// and passes on what that neighbour sends there.
func (h *Hops) Nearer(router, to int32, distance int) bool {
	return h.Between(router, to) == distance-1 && (h.ends == nil || router == to || !h.ends[router])
}

// To returns the distances from all routers to one, in links. The caller must not change them.
func (h *Hops) To(router int32) []uint8 {
	return h.links[int(router)*h.routers : (int(router)+1)*h.routers]
}

// DisconnectedError reports that some routers of a network cannot reach one another.
type DisconnectedError struct {
	Router  int // the first router that router 0 cannot reach
	Reached int // number of routers that router 0 can reach, itself included
}

func (e *DisconnectedError) Error() string {
	return fmt.Sprintf(
		"the network is not connected: no way leads to router %d (%d routers are reached)",
		e.Router, e.Reached,
	)
}

// hopsMemo caches the distances of a graph.
type hopsMemo struct {
	mutex sync.Mutex
	known atomic.Pointer[Hops]
}

// Hops returns the distances between all routers. They are computed at the first call and cached.
// The error is a DisconnectedError, or says that routers are more than MostHops links apart.
func (g *Graph) Hops() (*Hops, error) {
	if h := g.hops.known.Load(); h != nil {
		return h, nil
	}
	g.hops.mutex.Lock()
	defer g.hops.mutex.Unlock()
	if h := g.hops.known.Load(); h != nil {
		return h, nil
	}
	h := &Hops{routers: g.Routers, ends: g.Ends, links: make([]uint8, g.Routers*g.Routers), oneWay: g.OneWay()}
	if err := h.search(g.neighbours()); err != nil {
		return nil, err
	}
	g.hops.known.Store(h)
	return h, nil
}

// neighbours returns the routers from which links lead to each router. Those of router r are
// list[first[r]:first[r+1]], in the order of its ports.
func (g *Graph) neighbours() (first, list []int32) {
	first = make([]int32, g.Routers+1)
	for r := range g.Routers {
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if n := g.PeerRouter(int(p)); n >= 0 && !g.Ports[g.Ports[p].Peer].Closed {
				list = append(list, int32(n))
			}
		}
		first[r+1] = int32(len(list))
	}
	return first, list
}

// broken returns why some router may not reach another, although the network is in one piece; "" if it does.
func (h *Hops) broken() string {
	switch {
	case h.oneWay:
		return "some links lead only one way"
	case h.ends != nil:
		return "packets pass no node that they are not for"
	}
	return ""
}

// search computes all distances, in batches of 64 source routers.
func (h *Hops) search(first, list []int32) error {
	batches := (h.routers + 63) / 64
	errs := make([]error, batches)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), batches) {
		group.Go(panics.Guarded("distances", func() {
			s := newManySearch(h, first, list)
			for {
				batch := int(next.Add(1)) - 1
				if batch >= batches {
					return
				}
				errs[batch] = s.from(batch * 64)
			}
		}))
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// manySearch is a breadth-first search from 64 routers at once, against the direction of packets. It records with one bit per search
// which routers have been visited and which have just been reached (Then, Kaufmann, Chirigati,
// Hoang-Vu, Pham, Kemper, Neumann and Vo, Proc. VLDB Endowment 8, 2014).
type manySearch struct {
	hops              *Hops
	first, list       []int32
	seen, here, after []uint64 // by router: one bit per search
	start             int      // router of the first search; the others follow
}

func newManySearch(h *Hops, first, list []int32) *manySearch {
	words := func() []uint64 { return make([]uint64, h.routers) }
	return &manySearch{hops: h, first: first, list: list, seen: words(), here: words(), after: words()}
}

// from fills in the distances to up to 64 routers, starting with router.
func (s *manySearch) from(router int) error {
	n := s.hops.routers
	count := min(64, n-router)
	s.start = router
	clear(s.seen)
	clear(s.here)
	rows := s.hops.links[router*n : (router+count)*n]
	for i := range rows {
		rows[i] = unreached
	}
	for i := range count {
		s.seen[router+i], s.here[router+i] = 1<<i, 1<<i
		rows[i*n+router+i] = 0
	}
	for length := 1; s.spread(); length++ {
		if s.settle(rows, length) && length > MostHops {
			return fmt.Errorf("shortest paths of more than %d hops do not fit in routing tables", MostHops)
		}
	}
	if why := s.hops.broken(); why != "" {
		for i := range count {
			if from := slices.Index(rows[i*n:(i+1)*n], unreached); from >= 0 {
				return fmt.Errorf("no way leads from router %d to router %d: %s", from, router+i, why)
			}
		}
	}
	return s.complete(rows[:n])
}

// spread advances every search by one link. It returns false if no search can advance.
func (s *manySearch) spread() bool {
	clear(s.after)
	some := false
	for r, here := range s.here {
		if here == 0 {
			continue
		}
		some = true
		if s.hops.ends != nil && s.hops.ends[r] {
			here &= 1 << uint(r-s.start) // its own search; others do not pass
		}
		for _, n := range s.list[s.first[r]:s.first[r+1]] {
			s.after[n] |= here
		}
	}
	return some
}

// settle records the distance of the routers that searches have reached for the first time, and
// reports whether there are any.
func (s *manySearch) settle(rows []uint8, length int) bool {
	some := false
	for r, after := range s.after {
		fresh := after &^ s.seen[r]
		s.seen[r] |= fresh
		s.here[r] = fresh
		some = some || fresh != 0
		for ; fresh != 0; fresh &= fresh - 1 {
			rows[bits.TrailingZeros64(fresh)*s.hops.routers+r] = uint8(length)
		}
	}
	return some
}

// complete returns an error if the first search has not reached every router.
func (s *manySearch) complete(row []uint8) error {
	missing, reached := -1, 0
	for r, d := range row {
		switch {
		case d != unreached:
			reached++
		case missing < 0:
			missing = r
		}
	}
	if missing >= 0 {
		return &DisconnectedError{Router: missing, Reached: reached}
	}
	return nil
}
