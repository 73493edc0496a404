package graphs

import "fabricast/topology"

// Distances summarizes the distances between hosts, in links between routers.
type Distances struct {
	Diameter int     // the greatest distance; in a sample, the greatest found
	Mean     float64 // over all ordered pairs of different hosts
	Exact    bool
	Sources  int // routers from which distances were searched
}

// distanceBudget is the largest number of links visited in the search for distances.
const distanceBudget = 400_000_000

// Measure searches breadth first from every router with hosts, or from as many evenly spread ones
// as the budget allows. If the first routers of the network are known to represent all (see
// Representatives), it searches from those only.
func (n *Net) Measure(representatives int) Distances {
	var sources []int
	for r, hosts := range n.Hosts[:representatives] {
		if hosts > 0 {
			sources = append(sources, r)
		}
	}
	all := len(sources)
	use := min(all, max(1, distanceBudget/(len(n.peers)+n.Routers())))
	d := Distances{Exact: use == all, Sources: use}
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

// searcher performs breadth-first searches.
type searcher struct {
	n        *Net
	distance []int32
	queue    []int32
}

// From returns the distance of each router from the given one, in links; -1 if it cannot be
// reached.
func (n *Net) From(router int) []int32 {
	s := n.searcher()
	s.from(router)
	return s.distance
}

func (n *Net) searcher() *searcher {
	return &searcher{n: n, distance: make([]int32, n.Routers()), queue: make([]int32, 0, n.Routers())}
}

// from returns the routers that can be reached from src in the order of their distance, and sets
// the distances; -1 for others.
func (s *searcher) from(src int) []int32 {
	for i := range s.distance {
		s.distance[i] = -1
	}
	s.distance[src] = 0
	s.queue = append(s.queue[:0], int32(src))
	for i := 0; i < len(s.queue); i++ {
		r := s.queue[i]
		if i > 0 && s.n.ends != nil && s.n.ends[r] {
			continue
		}
		for _, p := range s.n.Peers(int(r)) {
			if s.distance[p] < 0 {
				s.distance[p] = s.distance[r] + 1
				s.queue = append(s.queue, p)
			}
		}
	}
	return s.queue
}

// Representatives returns the number of routers, from the first on, whose distances represent those
// of all (topology.Symmetric).
func Representatives(t topology.Topology) int {
	if s, ok := t.(topology.Symmetric); ok {
		return s.Representatives()
	}
	return t.Graph().Routers
}
