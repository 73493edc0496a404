package graphs

import (
	"math"
	"slices"

	"fabricast/topology"
)

// Bisection is the least bandwidth between two halves of the hosts. Hosts stay with their routers,
// so host links do not count.
type Bisection struct {
	Bandwidth int64  // bytes/s, in one direction
	Hosts     int    // in the smaller half, which has fewer than the other if hosts cannot be halved
	Formula   bool   // computed by a formula; else an upper bound: the best division found
	Method    string // in words
}

// Bisect computes the bisection: by a formula if one is known for the topology and its sizes are
// even, else by a search. bandwidth holds bytes/s by link class. regular means that all links are
// of the topology's own classes. ok is false if all hosts are at one router.
func Bisect(t topology.Topology, bandwidth []int64, regular bool) (b Bisection, ok bool) {
	if rate, method := formula(t, bandwidth); method != "" && regular {
		return Bisection{rate, smallerHalf(t), true, method}, true
	}
	n := New(t.Graph(), bandwidth)
	if n.total == 0 || slices.Max(n.Hosts) == n.total {
		return Bisection{}, false
	}
	rate, smaller := n.divide()
	return Bisection{rate, smaller, false, "best division found, an upper bound"}, true
}

// smallerHalf returns the number of hosts in the smaller half of a network that a formula knows. Its
// routers with hosts have equally many; of an odd number of them, one half has one less.
func smallerHalf(t topology.Topology) int {
	g := t.Graph()
	each := 0 // hosts of a router
	for h := range g.Hosts {
		if g.HostRouter(h) == g.HostRouter(0) {
			each++
		}
	}
	return g.Hosts / each / 2 * each
}

func formula(t topology.Topology, bandwidth []int64) (rate int64, method string) {
	switch t := t.(type) {
	case *topology.Torus:
		return torusBisection(t, bandwidth)
	case *topology.HyperX:
		return hyperXBisection(t, bandwidth)
	case *topology.Full:
		n := int64(t.Dims()[0])
		if n > 1 {
			links := n / 2 * ((n + 1) / 2) * int64(t.Width(0))
			return links * bandwidth[topology.LinkRouter], "formula: half of the routers to the other half"
		}
	case *topology.XGFT:
		return treeBisection(t, bandwidth)
	}
	return 0, ""
}

// class returns the link class of a dimension or level.
func class(d int) int {
	if d == 0 {
		return int(topology.LinkRouter)
	}
	return d + int(topology.LinkHost)
}

// torusBisection returns the bandwidth of the cut across the dimension with the least bandwidth.
// The result is valid only if the size of that dimension is even.
func torusBisection(t *topology.Torus, bandwidth []int64) (int64, string) {
	best, even := int64(math.MaxInt64), false
	for d, k := range t.Dims() {
		if k < 2 {
			continue
		}
		cables := int64(t.Graph().Routers / k)
		if t.Wraps(d) {
			cables *= 2
		}
		if len(t.LinkClasses()) > class(d) {
			cables *= bandwidth[class(d)]
		} else {
			cables *= bandwidth[topology.LinkRouter]
		}
		if cables < best || cables == best && k%2 == 0 {
			best, even = cables, k%2 == 0
		}
	}
	if !even {
		return oddTorus(t, bandwidth)
	}
	return best, "formula: across one dimension"
}

// oddTorus handles k-ary n-cubes and n-D meshes whose dimensions have the same odd size (Efe and
// Feng, "A proof for bisection width of grids", 2007).
func oddTorus(t *topology.Torus, bandwidth []int64) (int64, string) {
	k, links, power := t.Dims()[0], int64(0), int64(1)
	rate := bandwidth[topology.LinkRouter]
	for d, size := range t.Dims() {
		if len(t.LinkClasses()) > class(d) && bandwidth[class(d)] != rate || size != k ||
			t.Wraps(d) != t.Wraps(0) {
			return 0, ""
		}
		links += power // (k^n - 1) / (k - 1)
		power *= int64(k)
	}
	if k == 1 {
		return 0, ""
	}
	if t.Wraps(0) {
		links *= 2
	}
	return links * rate, "formula: of grids of equal odd sizes"
}

// hyperXBisection returns the bandwidth of the cut across the dimension with the least bandwidth
// (Ahn and others, SC 2009).
func hyperXBisection(t *topology.HyperX, bandwidth []int64) (int64, string) {
	best, even := int64(math.MaxInt64), false
	for d, k := range t.Dims() {
		if k < 2 {
			continue
		}
		lines := int64(t.Graph().Routers / k)
		cut := lines * int64(k/2*((k+1)/2)*t.Width(d)) * bandwidth[class(d)]
		if cut < best || cut == best && k%2 == 0 {
			best, even = cut, k%2 == 0
		}
	}
	if !even {
		return 0, ""
	}
	return best, "formula: across one dimension"
}

// treeBisection returns the bandwidth between two halves of the subtrees, at the level with the
// least bandwidth. The result is valid only if the number of subtrees at the top is even.
func treeBisection(t *topology.XGFT, bandwidth []int64) (int64, string) {
	top := t.Levels()
	if top < 2 || t.Children(top)%2 == 1 {
		return 0, ""
	}
	best := int64(math.MaxInt64)
	nodes := t.Graph().Hosts / t.Children(1) // leaf switches
	for l := 1; l < top; l++ {
		links := int64(nodes * t.Ups(l))
		best = min(best, links/2*bandwidth[class(l-1)])
		nodes = nodes * t.Parents(l) / t.Children(l+1)
	}
	return best, "formula: half of the subtrees at the narrowest level"
}
