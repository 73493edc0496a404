package pacing

import (
	"fmt"
	"iter"

	"fabricast/routing"
	"fabricast/topology"
)

// Network is what routes depend on. It has a routing Function, or an Adaptive algorithm.
type Network struct {
	Graph    *topology.Graph
	Routing  routing.Function
	Adaptive routing.Adaptive
	Seed     uint64 // of what routing leaves to chance
}

// Message goes in a step from one host to another, or from one rank to another where that is
// said. Steps count from 0.
type Message struct {
	Step, From, To int
	// Call says, of a message of Steps, how many calls that send, or receive and block, its rank
	// has made before. It is less than Step where the rank has waited for its turn.
	Call int
}

// MaxSteps bounds the steps of a pattern, of which each has a gap.
const MaxSteps = 1 << 24

// Gaps returns the gap of each step of a pattern between hosts: the largest number of messages that
// cross the same link between routers, in the same direction, less one, or 0 if none does.
// Messages come in the order of steps, which are less than MaxSteps; a step without any has a gap of 0. There is always a first step.
//
// Only links between routers count: a NIC sends its messages one after the other anyway, and
// those for one destination have met on its last links. A message takes the
// route between the first NICs of its hosts. Of a randomized algorithm this is one route, drawn from the seed, and of
// an adaptive one that which the first packet would take in an idle network.
func (n *Network) Gaps(pattern iter.Seq[Message]) (gaps []uint32, err error) {
	c := &counter{network: n, crossed: make([]uint32, len(n.Graph.Ports))}
	step := 0
	for m := range pattern {
		switch {
		case m.Step < 0 || m.Step >= MaxSteps:
			return nil, fmt.Errorf("found a message of step %d, expected steps from 0 to %d", m.Step, MaxSteps-1)
		case m.Step < step:
			return nil, fmt.Errorf("found a message of step %d after one of step %d, expected the order of steps", m.Step, step)
		}
		for ; step < m.Step; step++ {
			gaps = append(gaps, c.next())
		}
		if err := c.message(m.From, m.To); err != nil {
			return nil, err
		}
	}
	return append(gaps, c.next()), nil
}

// counter counts the messages of one step.
type counter struct {
	network    *Network
	crossed    []uint32 // by global port number: messages that leave there
	most       uint32
	candidates []routing.Candidate
}

// next ends a step and returns its gap.
func (c *counter) next() uint32 {
	gap := max(c.most, 1) - 1
	if c.most > 0 {
		clear(c.crossed)
		c.most = 0
	}
	return gap
}

// mostHops bounds a route: one that is longer leads nowhere.
const mostHops = 4096

// message counts a message on all links of its route.
func (c *counter) message(from, to int) error {
	g := c.network.Graph
	if from < 0 || from >= g.Hosts || to < 0 || to >= g.Hosts {
		return fmt.Errorf("found a message from host %d to host %d, expected hosts from 0 to %d", from, to, g.Hosts-1)
	}
	if from == to {
		return nil
	}
	src, dst := int32(from*g.NICsPerHost), int32(to*g.NICsPerHost)
	header := c.start(src, dst)
	router := g.Ports[g.NICPort[src]].Router
	for range mostHops {
		var port uint16
		port, header = c.hop(router, header)
		out := g.PortBase[router] + int32(port)
		if g.Ports[out].NIC == dst {
			return nil
		}
		peer := g.Ports[out].Peer
		if peer == topology.Unconnected {
			break
		}
		c.crossed[out]++
		c.most = max(c.most, c.crossed[out])
		router = g.Ports[peer].Router
	}
	return fmt.Errorf("routing does not bring packets from host %d to host %d", from, to)
}

// start is the route header of a message.
func (c *counter) start(src, dst int32) (header uint64) {
	coin := mix(mix(c.network.Seed+golden) + uint64(uint32(src))<<32 + uint64(uint32(dst)))
	if a := c.network.Adaptive; a != nil {
		header, _ = a.StartPacket(src, dst, coin)
	} else if random, ok := c.network.Routing.(routing.Randomized); ok {
		header, _ = random.StartPacket(src, dst, coin)
	} else {
		header, _ = c.network.Routing.Start(src, dst)
	}
	return header
}

// hop is a message's way out of a router, a local port.
func (c *counter) hop(router int32, header uint64) (port uint16, next uint64) {
	if c.network.Adaptive == nil {
		port, _, next = c.network.Routing.Next(router, header)
		return port, next
	}
	c.candidates = c.network.Adaptive.Candidates(router, header, idle{}, c.candidates[:0])
	best := &c.candidates[0]
	for i := range c.candidates {
		if c.candidates[i].Cost < best.Cost {
			best = &c.candidates[i]
		}
	}
	return best.Port, best.Header
}

// idle is the view of a router in an idle network.
type idle struct{}

func (idle) Queue(uint16, uint16) int64 { return 0 }

// Queues implements routing.View.
func (idle) Queues([]routing.Candidate) {}

func (idle) PortQueue(uint16) int64 { return 0 }

// Published makes it a routing.GlobalView too.
func (idle) Published(int32, uint16) int64 { return 0 }

const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
