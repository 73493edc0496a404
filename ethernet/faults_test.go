package ethernet

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"fabricast/internal/units"
	"fabricast/topology"
)

// drawFaults makes links of some networks fail, recover and slow down, with and without a reaction of
// routers.
func drawFaults(s *Spec) {
	if s.NIC.Timeout < 0 || s.Seed%3 != 1 {
		return
	}
	r, ports := rand.New(rand.NewPCG(s.Seed, 6)), int32(len(s.Graph.Ports))
	var downs []int32
	for range 1 + r.IntN(4) {
		way := r.Int32N(ports + int32(len(s.Graph.NICPort)))
		if way < ports && s.Graph.Ports[way].Peer < 0 && s.Graph.Ports[way].NIC < 0 {
			continue
		}
		if !slices.Contains(downs, way) {
			downs = append(downs, way)
			drawOutage(r, s, way)
		}
	}
	byTime := func(x, y Change) int { return cmp.Compare(x.At, y.At) }
	slices.SortStableFunc(s.Changes, byTime)
	for at := int64(0); len(s.Changes) > 0 && r.IntN(2) == 0; at += r.Int64N(20_000_000) {
		s.Epochs = append(s.Epochs, Epoch{at, drawThinned(r, s.Graph, downs)})
	}
}

// drawOutage makes a direction slower, or fail and perhaps recover some times.
func drawOutage(r *rand.Rand, s *Spec, way int32) {
	at := r.Int64N(2) * r.Int64N(20_000_000)
	add := func(kind ChangeKind, rate units.Rate) {
		s.Changes = append(s.Changes, Change{at, kind, way, rate})
		at += 1 + r.Int64N(1<<(10+r.IntN(16)))
	}
	l := layout{Spec: *s}
	for _, port := range s.Graph.NICPort {
		l.nicRouter = append(l.nicRouter, s.Graph.Ports[port].Router)
	}
	full := s.bandwidth(l.linkOfWay(way))
	avoids := r.IntN(2) == 0
	for range 1 + r.IntN(3) {
		if r.IntN(2) == 0 {
			add(SetRate, 1+full/units.Rate(2+r.IntN(5)))
		}
		add(Down, 0)
		if avoids {
			add(Avoid, 0)
		}
		if r.IntN(4) == 0 {
			return
		}
		if r.IntN(2) == 0 {
			add(SetRate, 0)
		}
		add(Up, 0)
		if avoids {
			add(Use, 0)
		}
	}
}

// drawThinned returns a graph without some of the links that fail.
func drawThinned(r *rand.Rand, g *topology.Graph, downs []int32) *topology.Graph {
	less := *g
	less.Ports = slices.Clone(g.Ports)
	for _, way := range downs {
		if way < int32(len(g.Ports)) && g.Ports[way].Peer >= 0 && r.IntN(2) == 0 {
			less.Ports[g.Ports[way].Peer].Peer, less.Ports[way].Peer = topology.Unconnected, topology.Unconnected
		}
	}
	return &less
}
