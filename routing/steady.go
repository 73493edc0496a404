package routing

import (
	"math/bits"

	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
)

// Steady is an adaptive algorithm whose candidates at a router depend on the packet's header alone,
// and do not change it; queues only decide which candidate is taken. The fabric asks it once for
// each packet at a router, and then chooses by itself whenever a queue changes.
type Steady interface {
	Adaptive
	// Offer writes to o what a packet may take at a router. If o.Ports is 0 then, the caller has to
	// use Candidates instead. scratch is an empty list that Offer may overwrite.
	Offer(router int32, header uint64, scratch []Candidate, o *Options)
	// Resort returns the escape channel of a packet for which Offer has set Options.Resorts.
	Resort(router int32, header uint64) (port, vc uint16)
}

// Options is a set of virtual channels: of each port in Ports, the channels from From up to, not
// including, End. Of those on which a packet can start, it takes the one with the shortest queue
// (View.Queue). Among equals it takes the first, counted cyclically from number First on, in the
// order of ports and then of channels.
type Options struct {
	Ports     uint64 // bitmap; 0 if the ports do not fit in 64 bits
	From, End uint16
	First     uint16
	Resorts   bool // if the packet can start on none of them, it takes its escape channel
}

// set writes all fields, one by one: what is stored as a whole is slow to read right afterwards.
func (o *Options) set(ports uint64, from, end, first uint16, resorts bool) {
	o.Ports, o.From, o.End, o.First, o.Resorts = ports, from, end, first, resorts
}

// only offers a single channel.
func (o *Options) only(port, vc uint16) {
	o.set(1<<port, vc, vc+1, 0, false) // no bit if there are too many ports
}

// among offers the channels from up to end of some ports. A hash of the flow and the router chooses
// which of them is the first.
func (o *Options) among(ports uint64, from, end uint16, flow uint64, router int32, resorts bool) {
	n := bits.OnesCount64(ports) * int(end-from)
	if n > 1<<rankBits {
		ports, n = 0, 0
	}
	o.set(ports, from, end, uint16(headers.Pick(flow^rankSalt, router, n)), resorts)
}

// Offer implements Steady. It offers no ports where the header changes on the route.
func (m *MinimalAdaptive) Offer(router int32, header uint64, _ []Candidate, o *Options) {
	dst := int32(m.address.To.Of(header))
	switch {
	case m.stays.Max() != 0: // the header changes on the way
		o.Ports = 0
	case router == dst:
		o.only(uint16(m.address.Exit.Of(header)), anyChannel(m.address.Choice.Of(header), 0, m.vcs))
	default:
		o.among(m.leg.Ports(router, dst), m.escapes, m.vcs, m.address.Flow.Of(header), router, true)
	}
}

// Resort returns the next hop of the escape network. It implements Steady.
func (m *MinimalAdaptive) Resort(router int32, header uint64) (port, vc uint16) {
	h := m.leg.Next(router, int32(m.address.To.Of(header)), m.address.Flow.Of(header))
	return h.Port, h.Class
}

// Offer implements Steady.
func (s Spreading) Offer(router int32, header uint64, scratch []Candidate, o *Options) {
	dst := int32(s.address.To.Of(header))
	if router == dst {
		way := s.leave(header)
		o.only(way.Port, way.VC)
		return
	}
	ports, class := s.offered(router, dst, scratch)
	if o.Ports = ports; ports == 0 {
		return
	}
	first := uint16(s.channels.first[class])
	o.among(ports, first, first+uint16(s.channels.count[class]), s.address.Flow.Of(header), router, false)
}

// offered returns the ports of all next hops to a router as a bitmap, and their channel class. It
// returns no ports if they do not fit in the bitmap, are not in order, or differ in class.
func (s Spreading) offered(router, dst int32, scratch []Candidate) (ports uint64, class uint16) {
	if s.row != nil {
		first, n, class := s.row.Onward(router, dst)
		if first+n > 64 {
			return 0, 0
		}
		return ^uint64(0) >> (64 - n) << first, class
	}
	ways := s.leg.Ways(router, dst, scratch)
	for i := range ways {
		bit := uint64(1) << ways[i].Port
		if bit <= ports || ways[i].VC != ways[0].VC {
			return 0, 0
		}
		ports |= bit
	}
	return ports, legs.HopOf(ways[0]).Class
}

// Resort is never called, since there is no escape channel. It implements Steady.
func (s Spreading) Resort(int32, uint64) (port, vc uint16) { return 0, 0 }
