package routing

import "math/bits"

// Steady is an adaptive algorithm whose candidates at a router follow from a packet's header
// alone, which they leave as it is; queues only decide which of them is taken. A router
// asks it once for each packet, and chooses by itself whenever something has changed.
type Steady interface {
	Adaptive
	// Offer is what a packet may take at a router in place of the answer of Candidates, which has to be
	// asked if no ports are named. scratch is an empty list that it may use and overwrite.
	Offer(router int32, header uint64, scratch []Candidate) Options
	// Resort is the escape channel of a packet to which Offer has said that there is one.
	Resort(router int32, header uint64) (port, vc uint16)
}

// Options are the channels from From up to, not including, End of some ports. Of those that a packet can start on
// it takes the one with the shortest queue (View.Queue); of equal ones that which comes first from number First on,
// in the order of ports and then of channels, going round.
type Options struct {
	Ports     uint64 // bitmap; with ports beyond the 64th no algorithm is steady
	From, End uint16
	First     uint16
	Resorts   bool // if the packet can start on none of them, it takes its escape channel
}

// only is a single channel as all there is.
func only(port, vc uint16) Options {
	return Options{Ports: 1 << port, From: vc, End: vc + 1} // no bit if there are too many ports
}

// among are the channels of some ports, with the first of them for a flow at a router.
func among(ports uint64, from, end uint16, flow uint64, router int32) Options {
	n := bits.OnesCount64(ports) * int(end-from)
	if n > 1<<rankBits {
		return Options{}
	}
	return Options{Ports: ports, From: from, End: end, First: uint16(pick(flow^rankSalt, router, n))}
}

// Offer implements Steady.
func (m *MinimalAdaptive) Offer(router int32, header uint64, _ []Candidate) Options {
	dst := int32(m.to.of(header))
	if router == dst {
		return only(uint16(m.exit.of(header)), anyChannel(m.lane.of(header), 0, m.vcs))
	}
	o := among(m.leg.ports(router, dst), m.escapes, m.vcs, m.flow.of(header), router)
	o.Resorts = true
	return o
}

// Resort implements Steady.
func (m *MinimalAdaptive) Resort(router int32, header uint64) (port, vc uint16) {
	h := m.leg.next(router, int32(m.to.of(header)), m.flow.of(header))
	return h.port, h.class
}

// Offer implements Steady.
func (s Spreading) Offer(router int32, header uint64, scratch []Candidate) Options {
	dst := int32(s.to.of(header))
	if router == dst {
		way := s.leave(header)
		return only(way.Port, way.VC)
	}
	ways := s.leg.ways(router, dst, scratch)
	ports := uint64(0)
	for i := range ways {
		bit := uint64(1) << ways[i].Port
		if bit <= ports || ways[i].VC != ways[0].VC { // not in order, too many ports, or channels that differ
			return Options{}
		}
		ports |= bit
	}
	class := ways[0].hop().class
	first := uint16(s.lanes.first[class])
	return among(ports, first, first+uint16(s.lanes.count[class]), s.address.flow.of(header), router)
}

// Resort implements Steady: there is no escape channel.
func (s Spreading) Resort(int32, uint64) (port, vc uint16) { return 0, 0 }

// ports is the bitmap of the ports of productive; 0 if there are more than 64.
func (l *torusLeg) ports(at, to int32) (ports uint64) {
	if len(l.size) > 32 {
		return 0
	}
	for differ := l.coords.differ(at, to); differ != 0; {
		d := l.coords.first(differ)
		ports |= uint64(l.waysOf[l.middle[d]+l.coords.away(d, at, to)]) << (2 * d & 63)
		differ = l.coords.fields[d].set(differ, 0)
	}
	return ports
}

// ports is the bitmap of the ports of productive; 0 if there are more than 64.
func (l *hyperxLeg) ports(at, to int32) (ports uint64) {
	if l.degree > 64 {
		return 0
	}
	a, b := l.coords.packed[at], l.coords.packed[to]
	for i := range l.toward {
		d := &l.toward[i]
		own, other := d.field.of(a), d.field.of(b)
		switch {
		case other > own:
			ports |= d.parallel << ((d.base + (other-1)*d.width) & 63)
		case other < own:
			ports |= d.parallel << ((d.base + other*d.width) & 63)
		}
	}
	return ports
}

// hyperxPorts says by which ports a packet travels in a dimension.
type hyperxPorts struct {
	field       field // of packed coordinates
	base, width uint64
	parallel    uint64 // the bitmap of the ports toward one coordinate
}
