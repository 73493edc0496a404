package experiments

import (
	"fabricast/routing"
	"fabricast/topology"
)

// grid finds shortest paths on a torus, for routing algorithms made for tests. The lower 32 bits of
// a route header are the destination's NIC.
type grid struct {
	torus *topology.Torus
	graph *topology.Graph
	dims  []int
	nics  int
	vcs   uint64
}

func newGrid(t *topology.Torus, vcs int) grid {
	return grid{t, t.Graph(), t.Dims(), t.Graph().NICsPerHost, uint64(vcs)}
}

// way is a hop in one dimension of a shortest path.
type way struct {
	port    uint16
	crosses bool // the rest of the path in this dimension uses the wrap-around link
	tie     bool // the path in the other direction is equally long
}

// maxWays is the maximum number of hops that bring a packet nearer to its destination.
const maxWays = 2 * topology.MaxDims

// ways appends the hops that bring a packet nearer to its destination, in the order of dimensions.
// If both directions of a ring are equally long, it appends both.
func (g grid) ways(router int32, header uint64, to []way) []way {
	at, dst := int(router), int(uint32(header))/g.nics
	for dim, k := range g.dims {
		a, b := at%k, dst%k
		at, dst = at/k, dst/k
		if a == b {
			continue
		}
		hops, tie := g.torus.Hops(dim, a, b)
		to = append(to, g.way(dim, a, hops, tie))
		if tie {
			to = append(to, g.way(dim, a, -hops, tie))
		}
	}
	return to
}

func (g grid) way(dim, from, hops int, tie bool) way {
	end := from + hops
	w := way{port: uint16(2 * dim), crosses: end < 0 || end >= g.dims[dim], tie: tie}
	if hops < 0 {
		w.port++
	}
	return w
}

// ejection returns the port of the destination's NIC.
func (g grid) ejection(header uint64) uint16 {
	return uint16(2*len(g.dims) + int(uint32(header))%g.nics)
}

// scatter corrects the dimensions in cyclic order, starting with a random one, r. Each order uses
// two channels of its own if there are enough channels: channel 2r+1 until the path in a ring has
// crossed the dateline, and channel 2r afterwards.
type scatter struct{ grid }

var _ routing.Randomized = scatter{}

func newScatter(t *topology.Torus, vcs int) scatter { return scatter{newGrid(t, vcs)} }

func (scatter) Name() string { return "scatter" }

func (s scatter) Start(_, dst int32) (header uint64, vc uint8) { return uint64(dst), 0 }

func (s scatter) StartPacket(_, dst int32, coin uint64) (header uint64, vc uint8) {
	return coin&^(1<<32-1) | uint64(dst), uint8(coin % s.vcs)
}

func (s scatter) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	var room [maxWays]way
	ways := s.ways(router, header, room[:0])
	coin := header >> 32
	if len(ways) == 0 {
		return s.ejection(header), uint16(coin % s.vcs), header
	}
	dims := uint64(len(s.dims))
	rotation := coin % min(dims, max(1, s.vcs/2))
	first := ways[0]
	for _, w := range ways[1:] {
		a, b := (uint64(w.port/2)+dims-rotation)%dims, (uint64(first.port/2)+dims-rotation)%dims
		if a < b || a == b && coin>>31 == 1 {
			first = w
		}
	}
	if s.vcs == 1 {
		return first.port, 0, header
	}
	vc = uint16(2 * rotation)
	if first.crosses {
		vc++
	}
	return first.port, vc, header
}
