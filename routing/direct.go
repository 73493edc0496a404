package routing

import "fabricast/topology"

// Direct is routing straight to the destination by minimal ways: packets of one
// pair of hosts all take the same one, chosen by a hash among equals, and keep to
// one virtual channel of each class.
//
// Dimension-order routing on a HyperX, minimal routing on a dragonfly or Slim Fly,
// shortest paths by tables and nearest common ancestors on a tree are all this,
// each with the hops and channel classes of its own topology.
type Direct struct {
	name  string
	leg   leg
	lanes *lanes
	flow  flowOf
	address
}

// flowOf is what tells flows apart.
type flowOf uint8

const (
	flowPair        flowOf = iota // a hash of source and destination host
	flowSource                    // the number of the source host
	flowDestination               // the number of the destination host
)

func newDirect(g *topology.Graph, name string, l leg, vcs int, flow flowOf) (*Direct, error) {
	lanes, err := newLanes(vcs, l.classes(), name)
	if err != nil {
		return nil, err
	}
	a, _, err := newAddress(g, 0)
	if err != nil {
		return nil, err
	}
	return &Direct{name: name, leg: l, lanes: lanes, flow: flow, address: a}, nil
}

// Name is the name used in experiments.
func (d *Direct) Name() string { return d.name }

// Start returns the header for packets between two NICs.
func (d *Direct) Start(src, dst int32) (uint64, uint8) {
	hash := d.pair(src, dst)
	flow := hash
	switch d.flow {
	case flowSource:
		flow = uint64(src / int32(d.graph.NICsPerHost))
	case flowDestination:
		flow = uint64(dst / int32(d.graph.NICsPerHost))
	}
	return d.enter(src, d.header(dst, flow, hash))
}

// enter adds the channel in which a packet enters: that of its first hop.
func (d *Direct) enter(src int32, header uint64) (uint64, uint8) {
	_, vc, _ := d.Next(d.router(src), header)
	return header, uint8(vc)
}

// Next is the leg's next hop, or the way out at the last router.
func (d *Direct) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	to, lane := int32(d.to.of(header)), d.lane.of(header)
	if router == to {
		return uint16(d.exit.of(header)), d.lanes.vc(0, lane), header
	}
	h := d.leg.next(router, to, d.address.flow.of(header))
	return h.port, d.lanes.vc(h.class, lane), header
}

// OutlineStarts implements Outliner: an outline is the destination router.
func (d *Direct) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}

// OutlineSteps implements Outliner.
func (d *Direct) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	return outlineLeg(d.leg, d.lanes, router, int32(outline), 0, outline, to)
}

// outlineLeg appends the channels of all ways from a router to another, the
// leg's classes beginning at the given one.
func outlineLeg(l leg, lanes *lanes, at, toward int32, class uint16, outline uint64, to []Candidate) []Candidate {
	if at == toward {
		return to
	}
	return lanes.spread(l.ways(at, toward, to), len(to), class, outline)
}

// Scattered is Direct with a way and lane of its own for every packet, by chance.
type Scattered struct{ *Direct }

// StartPacket implements Randomized.
func (s Scattered) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return s.enter(src, s.header(dst, coin, coin))
}
