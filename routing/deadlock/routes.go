package deadlock

import (
	"fmt"

	"fabricast/routing"
	"fabricast/topology"
)

// routes lists the routes of packets, by destination.
type routes interface {
	// destinations returns the number of destinations.
	destinations() int
	// starts calls visit with the first router and header of every packet to a destination.
	starts(destination int, visit func(router int32, header uint64))
	// steps appends the outputs that a packet may take at a router.
	steps(router int32, header uint64, to []routing.Candidate) []routing.Candidate
	// nic returns the NIC of a destination; Unconnected if the destination is a router.
	nic(destination int) int32
	// router returns the router at which packets to a destination leave the network.
	router(destination int) int32
	// sampled reports whether only some random headers were tried.
	sampled() bool
}

// routesOf returns the routes of an algorithm, or an error if its type is unknown.
func routesOf(g *topology.Graph, algorithm routing.Algorithm) (routes, error) {
	if o, ok := algorithm.(routing.Outliner); ok {
		return &outlines{outliner: o, hosted: g.HostedRouters()}, nil
	}
	switch a := algorithm.(type) {
	case routing.Adaptive:
		all := func(router int32, header uint64, to []routing.Candidate) []routing.Candidate {
			return a.Candidates(router, header, nil, to)
		}
		return &packets{graph: g, draw: a.StartPacket, candidates: all}, nil
	case routing.Randomized:
		return &packets{graph: g, draw: a.StartPacket, fixed: a.Start, candidates: only(a)}, nil
	case routing.Function:
		return &packets{graph: g, fixed: a.Start, candidates: only(a)}, nil
	}
	return nil, fmt.Errorf("%T is no routing algorithm", algorithm)
}

// only converts a Function to a function that appends its only candidate.
func only(f routing.Function) func(int32, uint64, []routing.Candidate) []routing.Candidate {
	return func(router int32, header uint64, to []routing.Candidate) []routing.Candidate {
		port, vc, next := f.Next(router, header)
		return append(to, routing.Candidate{Port: port, VC: vc, Header: next})
	}
}

// outlines lists the routes of an algorithm that implements routing.Outliner, between routers.
type outlines struct {
	outliner routing.Outliner
	hosted   []int32
}

func (o *outlines) destinations() int            { return len(o.hosted) }
func (o *outlines) nic(int) int32                { return topology.Unconnected }
func (o *outlines) router(destination int) int32 { return o.hosted[destination] }
func (o *outlines) sampled() bool                { return false }

func (o *outlines) starts(destination int, visit func(int32, uint64)) {
	var room [8]uint64
	to := o.hosted[destination]
	for _, from := range o.hosted {
		if from == to { // without a detour, packets take no channel; detours are legs from and to others
			continue
		}
		for _, outline := range o.outliner.OutlineStarts(from, to, room[:0]) {
			visit(from, outline)
		}
	}
}

func (o *outlines) steps(router int32, outline uint64, to []routing.Candidate) []routing.Candidate {
	return o.outliner.OutlineSteps(router, outline, to)
}

// packets lists the routes of any algorithm, from NIC to NIC.
type packets struct {
	graph      *topology.Graph
	fixed      func(src, dst int32) (uint64, uint8)
	draw       func(src, dst int32, coin uint64) (uint64, uint8)
	candidates func(int32, uint64, []routing.Candidate) []routing.Candidate
}

func (p *packets) destinations() int         { return len(p.graph.NICPort) }
func (p *packets) nic(destination int) int32 { return int32(destination) }
func (p *packets) router(destination int) int32 {
	return p.graph.Ports[p.graph.NICPort[destination]].Router
}
func (p *packets) sampled() bool { return p.draw != nil }

func (p *packets) starts(destination int, visit func(int32, uint64)) {
	dst := int32(destination)
	for src, port := range p.graph.NICPort {
		router := p.graph.Ports[port].Router
		if p.fixed != nil {
			header, _ := p.fixed(int32(src), dst)
			visit(router, header)
		}
		if p.draw == nil {
			continue
		}
		for i := range uint64(coins) {
			header, _ := p.draw(int32(src), dst, coin(uint64(src)<<32|uint64(dst), i))
			visit(router, header)
		}
	}
}

func (p *packets) steps(router int32, header uint64, to []routing.Candidate) []routing.Candidate {
	return p.candidates(router, header, to)
}

// coin returns random number i of a pair of NICs (the finalizer of SplitMix64).
func coin(pair, i uint64) uint64 {
	x := pair*0x9e3779b97f4a7c15 + i*0xbf58476d1ce4e5b9
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
