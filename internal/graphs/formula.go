package graphs

import (
	"slices"

	"fabricast/topology"
)

// Bisection is the smallest bandwidth between two halves of the hosts. Hosts stay with their
// routers, so host links do not count.
type Bisection struct {
	Bandwidth int64  // bytes/s, in one direction
	Hosts     int    // in the smaller half, if hosts cannot be divided equally
	Formula   bool   // true: exact, by a formula; false: an upper bound, the best division found
	Method    string // in words
}

// Bisect computes the bisection: by a formula if one is known for the topology and its sizes are
// even, and otherwise by a search. bandwidth holds bytes/s by link class. regular means that all
// links have the topology's own classes. ok is false if all hosts are at one router.
func Bisect(t topology.Topology, bandwidth []int64, regular bool) (b Bisection, ok bool) {
	if known, ok := t.(topology.Bisected); ok && regular {
		if rate, formula := known.Bisection(bandwidth); formula != "" {
			return Bisection{rate, smallerHalf(t), true, formula}, true
		}
	}
	n := New(t.Graph(), bandwidth)
	if n.total == 0 || slices.Max(n.Hosts) == n.total {
		return Bisection{}, false
	}
	rate, smaller := n.divide()
	return Bisection{rate, smaller, false, "best division found, an upper bound"}, true
}

// smallerHalf returns the number of hosts in the smaller half of a network with a formula. Its
// routers with hosts all have the same number of hosts. If the number of such routers is odd, one
// half has one router less.
func smallerHalf(t topology.Topology) int {
	g := t.Graph()
	each := 0 // number of hosts of a router
	for h := range g.Hosts {
		if g.HostRouter(h) == g.HostRouter(0) {
			each++
		}
	}
	return g.Hosts / each / 2 * each
}
