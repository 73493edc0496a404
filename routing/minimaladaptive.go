package routing

import (
	"fmt"
	"math"
	"slices"

	"fabricast/internal/option"
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(80, Description[AdaptiveOptions]{
	Summary:  "minimal, chosen at every router, with escape channels",
	Networks: "torus, mesh, hyperx, fully-connected, dragonfly, dragonfly+ or hierarchy",
	Fits: func(t topology.Topology) bool {
		return isGrid(t) || is[*topology.Dragonfly](t) || is[*topology.DragonflyPlus](t) ||
			is[*topology.Hierarchy](t)
	},
	Make: func(o *AdaptiveOptions, n Network) (Algorithm, error) {
		return NewMinimalAdaptiveWith(n.Topology, n.VCs, o.Escape)
	},
	Alike: []topology.Family{topology.FamilyRings, topology.FamilyJoined},
	Help: map[string]string{
		"escape": "packets 'leave' escape channels again when others can be had, or 'stay' in " +
			"them",
	},
	Manual: Manual{
		Section: "minimal-adaptive", Routes: "minimal, chosen at every router",
		VCs: "one more than 'dor' or 'minimal'", Source: "Duato 1993",
	},
	Examples: []string{""},
})

// AdaptiveOptions are the options of the algorithm "adaptive" in experiments.
type AdaptiveOptions struct {
	Escape Escapes `yaml:"escape" default:"'leave'"`
}

// Name implements Spec.
func (AdaptiveOptions) Name() string { return "adaptive" }

// MinimalAdaptive is fully adaptive minimal routing with escape channels (Duato, A new theory of
// deadlock-free adaptive routing in wormhole networks, IEEE Trans. Parallel and Distributed Systems
// 1993). On adaptive channels, a packet may take any hop that brings it nearer to its destination;
// on escape channels, only the hop of deterministic minimal routing. On a torus, mesh, HyperX or
// fully connected network, that is dimension-order routing. On dragonflies, dragonflies+ and
// hierarchies the adaptive hops are those of all minimal routes, and a hash chooses the escape hop.
//
// A packet takes the adaptive channel with the shortest queue, and an escape channel only if no
// adaptive channel is available. Whether it may leave the escape channels again depends on Escapes.
//
// The first virtual channels of a port are escape channels: one for each class of dimension order
// (two on a torus with rings of more than three routers, else one) or of minimal routing. All
// others, at least one, are adaptive.
type MinimalAdaptive struct {
	toRouter
	leg legs.AdaptiveLeg
	// number of escape channels
	escapes uint16
	vcs     uint16
	stays   headers.Field // 1 once a packet has taken an escape channel and must stay in escape channels
	address headers.Address
}

// Escapes says what packets do after they have taken an escape channel.
type Escapes uint8

const (
	// LeaveEscapes: they take adaptive channels again when these are available.
	LeaveEscapes Escapes = iota
	// StayInEscapes: they stay in escape channels to the end.
	StayInEscapes
)

var escapes = []string{LeaveEscapes: "leave", StayInEscapes: "stay"}

// Words implements option.Worded.
func (e *Escapes) Words() []string { return escapes }

// UnmarshalText parses the word used in experiments.
func (e *Escapes) UnmarshalText(text []byte) error { return option.Parse(e, text, escapes) }

// NewMinimalAdaptive returns minimal adaptive routing with LeaveEscapes. It fails on topologies
// that it does not support, and if there are too few virtual channels.
func NewMinimalAdaptive(t topology.Topology, vcs int) (*MinimalAdaptive, error) {
	return NewMinimalAdaptiveWith(t, vcs, LeaveEscapes)
}

// NewMinimalAdaptiveWith is like NewMinimalAdaptive, and selects whether packets may leave escape
// channels.
func NewMinimalAdaptiveWith(t topology.Topology, vcs int, e Escapes) (*MinimalAdaptive, error) {
	l, err := legs.New(t, legs.HostedEnds)
	if err != nil {
		return nil, err
	}
	a, ok := l.(legs.AdaptiveLeg)
	if !ok {
		a, ok = legs.ByWays(l)
	}
	if !ok {
		return nil, fmt.Errorf(
			"minimal adaptive routing with escape channels needs a torus, mesh, hyperx, fully "+
				"connected network, dragonfly or hierarchy, not %s",
			t.Kind(),
		)
	}
	if err := enoughChannels(vcs, l.Classes()+1, "minimal adaptive routing"); err != nil {
		return nil, err
	}
	m := &MinimalAdaptive{leg: a, escapes: uint16(l.Classes()), vcs: uint16(vcs)}
	var layout *headers.Layout
	m.address, layout, err = headers.NewAddress(t.Graph(), int(e))
	if err == nil && e == StayInEscapes {
		m.stays = layout.Field(1)
	}
	return m, err
}

// Name returns "adaptive".
func (m *MinimalAdaptive) Name() string { return "adaptive" }

// StartPacket returns a header with a random flow and choice, and an adaptive channel. It implements
// Adaptive.
func (m *MinimalAdaptive) StartPacket(_, dst int32, coin uint64) (uint64, uint8) {
	header := m.address.Header(dst, coin, coin)
	return header, uint8(anyChannel(m.address.Choice.Of(header), m.escapes, m.vcs))
}

// anyChannel returns the channel, from first up to but not including end, that a choice selects.
func anyChannel(choice uint64, first, end uint16) uint16 {
	return first + uint16(choice)%(end-first)
}

// leaveBy returns the output to the destination NIC, on any of a number of channels.
func leaveBy(a *headers.Address, vcs uint16, header uint64) Candidate {
	return Candidate{Port: uint16(a.Exit.Of(header)), VC: anyChannel(a.Choice.Of(header), 0, vcs), Header: header}
}

// lastResort is the cost of an escape channel. It is higher than that of any adaptive channel.
const lastResort = math.MaxInt64 / 4

// Candidates implements Adaptive.
func (m *MinimalAdaptive) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst := int32(m.address.To.Of(header))
	if router == dst {
		return append(to, leaveBy(&m.address, m.vcs, header))
	}
	first := len(to)
	if m.stays.Of(header) == 0 {
		to = m.adaptive(router, dst, header, to)
		priceFrom(to[first:], v, m.address.Flow.Of(header), router)
	}
	return append(to, escapeBy(m.leg.Next(router, dst, m.address.Flow.Of(header)), header|m.stays.With(1)))
}

// adaptive appends the adaptive channels of all hops that bring the packet nearer.
func (m *MinimalAdaptive) adaptive(router, dst int32, header uint64, to []Candidate) []Candidate {
	first := len(to)
	return adaptively(m.leg.Productive(router, dst, to), first, m.escapes, m.vcs, header)
}

// adaptively replaces the hops at the end of a list, from index first on, by candidates for the
// channels from up to, not including, end of each port.
func adaptively(list []Candidate, first int, from, end uint16, header uint64) []Candidate {
	ports := first
	for i := first; i < len(list); i++ {
		if i == first || list[i].Port != list[ports-1].Port { // else the same hop in another class
			list[ports].Port = list[i].Port
			ports++
		}
	}
	n := int(end - from)
	list = slices.Grow(list[:ports], (ports-first)*n)[:first+(ports-first)*n]
	// from the back, for the channels take the place of the ports
	for i := ports - 1; i >= first; i-- {
		port := list[i].Port
		for vc := n - 1; vc >= 0; vc-- {
			list[first+(i-first)*n+vc] = Candidate{Port: port, VC: from + uint16(vc), Header: header}
		}
	}
	return list
}

// channels appends candidates for the channels of a port from first up to, not including, end.
func channels(port, first, end uint16, header uint64, to []Candidate) []Candidate {
	for vc := first; vc < end; vc++ {
		to = append(to, Candidate{Port: port, VC: vc, Header: header})
	}
	return to
}

// escapeBy returns the candidate for the escape channel of a hop. The channel has the number of the
// hop's class.
func escapeBy(h legs.Hop, header uint64) Candidate {
	return Candidate{Port: h.Port, VC: h.Class, Escape: true, Cost: lastResort, Header: header}
}

// OutlineSteps implements Outliner.
func (m *MinimalAdaptive) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	dst := int32(outline)
	if router == dst {
		return to
	}
	to = m.adaptive(router, dst, outline, to)
	first := len(to)
	to = m.leg.Ways(router, dst, to)
	for i := first; i < len(to); i++ {
		to[i] = escapeBy(legs.HopOf(to[i]), outline)
	}
	return to
}
