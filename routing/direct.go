package routing

import (
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

// Direct routes packets to their destination by minimal routes. All packets of a pair of hosts take
// the same route, chosen by a hash among those of equal length, and use one virtual channel of each
// class.
//
// It implements dimension-order routing on a HyperX, minimal routing on a dragonfly or Slim Fly,
// shortest paths by tables, and nearest common ancestors on a tree. The leg provides the hops and
// channel classes of each topology.
type Direct struct {
	name string
	leg  legs.Leg
	alike
	toRouter
	flow    flowOf
	address headers.Address
}

// flowOf says what the choice among routes of equal length depends on.
type flowOf uint8

const (
	flowPair        flowOf = iota // a hash of source and destination host
	flowSource                    // the number of the source host
	flowDestination               // the number of the destination host
)

func newDirect(g *topology.Graph, name string, l legs.Leg, vcs int, flow flowOf) (*Direct, error) {
	channels, err := newVCClasses(vcs, l.Classes(), name)
	if err != nil {
		return nil, err
	}
	a, _, err := headers.NewAddress(g, 0)
	if err != nil {
		return nil, err
	}
	return &Direct{name: name, leg: l, alike: alike{channels}, flow: flow, address: a}, nil
}

// Name returns the algorithm's name in experiments.
func (d *Direct) Name() string { return d.name }

// Start returns the route header for packets between two NICs and the virtual channel in which they
// enter the network.
func (d *Direct) Start(src, dst int32) (uint64, uint8) {
	return d.enter(src, d.headerOf(src, dst))
}

// FirstHop implements the interface of this name: packets enter in the channel of their first hop.
func (d *Direct) FirstHop(src, dst int32) (port, vc uint16, next uint64, entry uint8) {
	port, vc, next = d.Next(d.address.Router(src), d.headerOf(src, dst))
	return port, vc, next, uint8(vc)
}

// headerOf returns the header for packets between two NICs. It stays the same at every hop.
func (d *Direct) headerOf(src, dst int32) uint64 {
	hash := d.address.Pair(src, dst)
	flow := hash
	if d.flow != flowPair {
		end := src
		if d.flow == flowDestination {
			end = dst
		}
		if n := int32(d.address.Graph.NICsPerHost); n > 1 {
			end /= n
		}
		flow = uint64(end)
	}
	return d.address.Header(dst, flow, hash)
}

// enter returns the header together with the virtual channel in which a packet enters its first
// router: that of its first hop.
func (d *Direct) enter(src int32, header uint64) (uint64, uint8) {
	_, vc, _ := d.Next(d.address.Router(src), header)
	return header, uint8(vc)
}

// Next returns the leg's next hop, or at the destination's router the port of the destination NIC.
func (d *Direct) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	to, choice := int32(d.address.To.Of(header)), d.address.Choice.Of(header)
	if router == to {
		return uint16(d.address.Exit.Of(header)), d.channels.vc(0, choice), header
	}
	h := d.leg.Next(router, to, d.address.Flow.Of(header))
	return h.Port, d.channels.vc(h.Class, choice), header
}

// OutlineSteps appends the channels of all minimal routes to the outline's router. It implements
// Outliner.
func (d *Direct) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	return outlineLeg(d.leg, d.channels, router, int32(outline), 0, outline, to)
}

// outlineLeg appends the channels that any minimal route from router at to router toward may take
// next. The leg's channel classes start at class. It appends nothing if at == toward.
func outlineLeg(
	l legs.Leg, channels *vcClasses, at, toward int32, class uint16, outline uint64, to []Candidate,
) []Candidate {
	if at == toward {
		return to
	}
	return channels.spread(l.Ways(at, toward, to), len(to), class, outline)
}

// Scattered is Direct with a random choice of route and virtual channel for every packet.
type Scattered struct{ *Direct }

// StartPacket returns the header by which the packet's coin chooses its route and virtual channel.
// It implements Randomized.
func (s Scattered) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return s.enter(src, s.address.Header(dst, coin, coin))
}
