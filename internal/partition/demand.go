package partition

import (
	"fabricast/topology"
)

// scale converts the expected loads of router outputs to integer weights.
type scale struct {
	graph  *topology.Graph
	demand []float64 // expected load by output; nil: all ports in use have equal load
	factor float64
}

// total is approximately the sum of the weights of all outputs. A router that sends nothing weighs
// 1/idle of the mean router, because its own events still cost a little time.
const (
	total = 1 << 28
	idle  = 50
)

func scaleOf(g *topology.Graph, demand []float64) *scale {
	s := &scale{graph: g, demand: demand}
	sum := 0.0
	for _, d := range demand {
		sum += d
	}
	if sum <= 0 {
		s.demand = nil
		return s
	}
	s.factor = total / sum
	return s
}

// router returns the weight of a router.
func (s *scale) router(r int32) (w int64) {
	if s.demand == nil {
		return weight(s.graph, r)
	}
	sum := 0.0
	for p := s.graph.PortBase[r]; p < s.graph.PortBase[r+1]; p++ {
		sum += s.demand[p]
	}
	return int64(sum*s.factor) + total/int64(s.graph.Routers)/idle + 1
}

// link returns the weight of a link in the direction leaving the given port.
func (s *scale) link(port int32) int64 {
	if s.demand == nil {
		return 1
	}
	return int64(s.demand[port]*s.factor) + 1
}
