package deadlock

import (
	"fabricast/routing"
	"fabricast/topology"
)

// Limits of the work of Follow: the approximate number of hops, and the largest and smallest number
// of pairs of NICs.
const (
	followed   = 1 << 20
	mostPairs  = 1 << 12
	leastPairs = 1 << 6
)

// Follow sends single packets along the routes of an algorithm, between all pairs of NICs or an
// evenly spread sample, and from the NICs of a sample to themselves too. Unlike Check it does not use what an algorithm says about its routes (see
// routing.Outliner), and it always uses the network itself instead of a representative one. Its
// error is a *RouteError: a packet did not arrive.
func Follow(g *topology.Graph, algorithm routing.Algorithm) error {
	f := follower{graph: g, most: MostHops(g)}
	switch a := algorithm.(type) {
	case routing.Adaptive:
		f.start = a.StartPacket
		f.candidates = func(router int32, header uint64, to []routing.Candidate) []routing.Candidate {
			return a.Candidates(router, header, nil, to)
		}
	case routing.Randomized:
		f.start, f.candidates = a.StartPacket, only(a)
	case routing.Function:
		f.start = func(src, dst int32, _ uint64) (uint64, uint8) { return a.Start(src, dst) }
		f.candidates = only(a)
	}
	nics := uint64(len(g.NICPort))
	pairs := min(nics*nics, uint64(max(leastPairs, min(mostPairs, followed/g.Routers))))
	for i := range pairs {
		pair := i
		if pairs < nics*nics {
			pair = coin(0, i) % (nics * nics)
		}
		src, dst := int32(pair/nics), int32(pair%nics)
		err := f.follow(src, dst, coin(pair, 0))
		if err == nil && pairs < nics*nics {
			err = f.follow(src, src, coin(pair, 0))
		}
		if err != nil {
			return called(err, algorithm)
		}
	}
	return nil
}

// MostHops returns after how many hops a packet counts as lost in a loop.
func MostHops(g *topology.Graph) int { return 16*g.Routers + 1024 }

// follower sends single packets.
type follower struct {
	graph      *topology.Graph
	start      func(src, dst int32, coin uint64) (uint64, uint8)
	candidates func(int32, uint64, []routing.Candidate) []routing.Candidate
	// largest number of hops: the first half with random choices, then escape channels if offered
	most int
	room []routing.Candidate
}

// follow sends one packet and returns an error if it does not arrive.
func (f *follower) follow(src, dst int32, chance uint64) error {
	g := f.graph
	router := g.Ports[g.NICPort[src]].Router
	header, _ := f.start(src, dst, chance)
	for hop := range f.most {
		f.room = f.candidates(router, header, f.room[:0])
		if len(f.room) == 0 {
			return &RouteError{Router: router, NIC: dst, Problem: noOutput}
		}
		c := f.choose(chance, hop)
		port := g.PortBase[router] + int32(c.Port)
		if problem := misled(g, router, dst, c); problem != "" {
			return &RouteError{Router: router, NIC: dst, Problem: problem}
		}
		if g.Ports[port].NIC == dst {
			return nil
		}
		router, header = g.Ports[g.Ports[port].Peer].Router, c.Header
	}
	return &RouteError{Router: router, NIC: dst, Problem: "packets go round and never arrive"}
}

// choose chooses one of the candidates in room for the packet's next hop.
func (f *follower) choose(chance uint64, hop int) routing.Candidate {
	if hop >= f.most/2 {
		for _, c := range f.room {
			if c.Escape {
				return c
			}
		}
	}
	return f.room[coin(chance, uint64(hop))%uint64(len(f.room))]
}
