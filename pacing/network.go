package pacing

import (
	"fmt"
	"iter"

	"fabricast/routing"
	"fabricast/topology"
)

// Network holds the data that determines routes. Either Routing or Adaptive must be set.
type Network struct {
	Graph    *topology.Graph
	Routing  routing.Function
	Adaptive routing.Adaptive
	Seed     uint64 // of random choices in routing
}

// Message is a message of one step, between hosts or, in patterns returned by Steps, between ranks.
// Steps are numbered from 0.
type Message struct {
	Step, From, To int
	// Call is set in patterns returned by Steps. It is the number of earlier calls of the sending
	// rank that send, or that receive and block. It is lower than Step if the rank had to wait for
	// a message.
	Call int
}

// MaxSteps is the maximum number of steps of a pattern. Each step has a gap.
const MaxSteps = 1 << 24

// Gaps returns the gap of each step of a pattern between hosts, in packet times: the maximum number
// of messages that cross the same link between routers in the same direction, minus 1, or 0 if
// there are none. Messages must be in order of steps, which must be less than MaxSteps. A step
// without messages has a gap of 0. The result has at least one step.
//
// Only links between routers count: a NIC sends its messages one after another anyway, and messages
// for the same destination have met before its last link. A message takes the route between the
// first NICs of its hosts. For a randomized algorithm, this is one route drawn from the seed. For
// an adaptive algorithm, it is the route of the first packet in an idle network.
func (n *Network) Gaps(pattern iter.Seq[Message]) (gaps []uint32, err error) {
	return n.gaps(pattern, false)
}

// HopGaps is like Gaps with an older rule: the gap of a step is the maximum number of links between
// routers that one of its messages crosses, minus 1, or 0 if none crosses any. Both rules agree on
// a ring whose hosts all send equally far.
func (n *Network) HopGaps(pattern iter.Seq[Message]) ([]uint32, error) { return n.gaps(pattern, true) }

func (n *Network) gaps(pattern iter.Seq[Message], hops bool) (gaps []uint32, err error) {
	c := &counter{network: n, crossed: make([]uint32, len(n.Graph.Ports)), hops: hops}
	step := 0
	for m := range pattern {
		switch {
		case m.Step < 0 || m.Step >= MaxSteps:
			return nil, fmt.Errorf(
				"found a message of step %d, expected steps from 0 to %d",
				m.Step, MaxSteps-1,
			)
		case m.Step < step:
			return nil, fmt.Errorf(
				"found a message of step %d after one of step %d, expected the order of steps",
				m.Step, step,
			)
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

// counter counts the messages of one step on each link.
type counter struct {
	network *Network
	crossed []uint32 // by global port ID: messages that leave through the port
	// maximum of crossed
	most       uint32
	hops       bool   // compute the gaps of HopGaps
	farthest   uint32 // number of links of the longest route
	candidates []routing.Candidate
}

// next ends a step and returns its gap in packet times.
func (c *counter) next() uint32 {
	gap := max(c.most, 1) - 1
	if c.hops {
		gap = max(c.farthest, 1) - 1
	}
	if c.most > 0 {
		clear(c.crossed)
		c.most, c.farthest = 0, 0
	}
	return gap
}

// mostHops is the length at which a route is considered endless.
const mostHops = 4096

// message counts a message on all links of its route between two hosts.
func (c *counter) message(from, to int) error {
	g := c.network.Graph
	if from < 0 || from >= g.Hosts || to < 0 || to >= g.Hosts {
		return fmt.Errorf(
			"found a message from host %d to host %d, expected hosts from 0 to %d",
			from, to, g.Hosts-1,
		)
	}
	if from == to {
		return nil
	}
	src, dst := int32(from*g.NICsPerHost), int32(to*g.NICsPerHost)
	header := c.start(src, dst)
	router := g.Ports[g.NICPort[src]].Router
	for links := range uint32(mostHops) {
		var port uint16
		port, header = c.hop(router, header)
		out := g.PortBase[router] + int32(port)
		if g.Ports[out].NIC == dst {
			c.farthest = max(c.farthest, links)
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

// start returns the initial route header of a message between two NICs.
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

// hop returns the local port through which a message leaves a router, and its next route header.
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

// idle is a routing view in which all queues are empty.
type idle struct{}

func (idle) Queue(uint16, uint16) int64 { return 0 }

// Queues implements routing.View: it leaves all queues empty.
func (idle) Queues([]routing.Candidate) {}

func (idle) PortQueue(uint16) int64 { return 0 }

// Published implements routing.GlobalView: it returns 0.
func (idle) Published(int32, uint16) int64 { return 0 }

const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
