package graphs

import "fabricast/topology"

// Distances sums up how far hosts are apart, in links between routers.
type Distances struct {
	Diameter int     // the greatest distance of two hosts; of a sample, the greatest found
	Mean     float64 // over all ordered pairs of different hosts
	Exact    bool
	Sources  int // routers from which was searched
}

// distanceBudget bounds how many links are looked at in search of distances.
const distanceBudget = 400_000_000

// Measure searches breadth first from every router with hosts, from one alone
// where all see the same distances, or from as many as the budget allows, evenly spread.
func (n *Net) Measure(alike bool) Distances {
	var sources []int
	for r, hosts := range n.Hosts {
		if hosts > 0 {
			sources = append(sources, r)
		}
	}
	all := len(sources)
	use := min(all, max(1, distanceBudget/(len(n.peers)+n.Routers())))
	if alike {
		use = min(use, 1)
	}
	d := Distances{Exact: alike || use == all, Sources: use}
	var sum, pairs float64
	s := n.searcher()
	for i := range use {
		src := sources[i*all/use]
		hosts := float64(n.Hosts[src])
		for _, r := range s.from(src) {
			if n.Hosts[r] > 0 {
				sum += hosts * float64(n.Hosts[r]) * float64(s.distance[r])
				d.Diameter = max(d.Diameter, int(s.distance[r]))
			}
		}
		pairs += hosts * float64(n.total-1)
	}
	if pairs > 0 {
		d.Mean = sum / pairs
	}
	return d
}

// searcher searches breadth first.
type searcher struct {
	n        *Net
	distance []int32
	queue    []int32
}

func (n *Net) searcher() *searcher {
	return &searcher{n: n, distance: make([]int32, n.Routers()), queue: make([]int32, 0, n.Routers())}
}

// from returns the routers that can be reached from one in the order of their
// distance, which it sets; that of others is -1.
func (s *searcher) from(src int) []int32 {
	for i := range s.distance {
		s.distance[i] = -1
	}
	s.distance[src] = 0
	s.queue = append(s.queue[:0], int32(src))
	for i := 0; i < len(s.queue); i++ {
		r := s.queue[i]
		for _, p := range s.n.Peers(int(r)) {
			if s.distance[p] < 0 {
				s.distance[p] = s.distance[r] + 1
				s.queue = append(s.queue, p)
			}
		}
	}
	return s.queue
}

// Alike tells whether every host of a topology is known to see the same
// distances to the others.
func Alike(t topology.Topology) bool {
	switch t := t.(type) {
	case *topology.Torus:
		for d, k := range t.Dims() {
			if !t.Wraps(d) && k > 2 {
				return false
			}
		}
		return true
	case *topology.HyperX, *topology.Full, *topology.XGFT, *topology.DragonflyPlus:
		return true
	}
	return false
}
