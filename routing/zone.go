package routing

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(120, Description[ZoneOptions]{
	Summary:  "minimal, adaptive within sets of dimensions, as in Blue Gene/Q",
	Networks: "torus or mesh, or a hierarchy of fully connected blocks joined by one",
	Fits:     func(t topology.Topology) bool { return is[*topology.Torus](t) || is[*topology.Hierarchy](t) },
	Make: func(o *ZoneOptions, n Network) (Algorithm, error) {
		return NewZone(n.Topology, n.VCs, o.Zones...)
	},
	Alike: []topology.Family{topology.FamilyRings, topology.FamilyJoined},
	Help: map[string]string{
		"zones": "for each zone id, sets of dimensions in order, such as '[\"x|yz\"]'",
	},
	Manual: Manual{
		Section: "zone-routing", Networks: "torus or mesh; a hierarchy that joins fully connected blocks by one",
		Routes: "minimal, adaptive within sets of dimensions", VCs: "3 with a ring of more than 3 routers, else 2",
		Source: "Chen et al. (Blue Gene/Q) 2011",
	},
	Examples: []string{""},
})

// ZoneOptions are the options of the algorithm "zone" in experiments.
type ZoneOptions struct {
	Zones []ZoneMasks `yaml:"zones" default:"all dimensions at once"`
}

// Name implements Spec.
func (ZoneOptions) Name() string { return "zone" }

// Check returns the mistakes in the options.
func (o *ZoneOptions) Check() []topology.Mistake {
	if len(o.Zones) <= MaxZones {
		return nil
	}
	return []topology.Mistake{{
		Field: "zones", Found: fmt.Sprintf("%d zones", len(o.Zones)),
		Expected: fmt.Sprintf("at most %d", MaxZones),
	}}
}

// UnmarshalText parses masks as ParseZone does.
func (m *ZoneMasks) UnmarshalText(text []byte) (err error) {
	if *m, err = ParseZone(string(text)); err != nil {
		return &units.Error{Found: string(text), Expected: `sets of dimensions in order, such as "x|yz"`}
	}
	return nil
}

// Zone is zone routing as in Blue Gene/Q (Chen, Eisley, Heidelberger, Senger, Sugawara, Kumar,
// Salapura, Satterfield, Steinmacher-Burow and Parker, The IBM Blue Gene/Q interconnection network
// and message unit, SC 2011; US patent 8,359,404). Routers hold, for each zone id, a list of masks,
// each a set of dimensions. A packet carries a zone id, its destination, and one hint bit for each
// dimension, which gives its direction there. A router applies the masks in order: a packet is
// routed adaptively in the dimensions of the first mask in which it still has hops to make, and in
// those of the next mask only when it has finished these.
//
// It runs on tori and meshes, and on hierarchies in which a torus or mesh joins fully connected
// blocks, such as HiNetSim's 4.5D torus (4-D torus of superblocks). There the dimensions are those
// of the outer torus. If the external port of a hop is at another router of the block, a packet
// makes one hop to that router, and then has to leave the block by one of the ports there.
//
// The first virtual channels are escape channels, one for each class of dimension-order routing (on
// hierarchies, of minimal routing level by level). All others, at least one, are adaptive. All
// packets of one pair of hosts have the same zone id, chosen by a hash.
type Zone struct {
	outer  *torusLeg
	inside *hierarchyLeg // nil on a torus itself
	escape leg
	// number of escape channels
	escapes uint16
	vcs     uint16
	masks   []ZoneMasks // by zone id
	address
	zone, hints, moved field
}

// ZoneMasks is the list of masks of a zone id. Bit d of a mask stands for dimension d.
type ZoneMasks []uint8

// dimensionLetters are the names of dimensions in the text of masks.
const dimensionLetters = "xyzabcd"

// String returns the masks as ParseZone reads them.
func (m ZoneMasks) String() string {
	var b strings.Builder
	for i, mask := range m {
		if i > 0 {
			b.WriteByte('|')
		}
		for d, letter := range dimensionLetters {
			if mask>>d&1 == 1 {
				b.WriteRune(letter)
			}
		}
	}
	return b.String()
}

// MaxZones is the greatest number of zone ids.
const MaxZones = 4

// ParseZone parses masks written as letters of dimensions, separated by bars. "x|yza" finishes x
// first and is then adaptive among y, z and a.
func ParseZone(text string) (ZoneMasks, error) {
	var masks ZoneMasks
	seen := uint8(0)
	for part := range strings.SplitSeq(text, "|") {
		mask := uint8(0)
		for _, letter := range part {
			d := strings.IndexRune(dimensionLetters, letter)
			if d < 0 || seen>>d&1 == 1 {
				return nil, fmt.Errorf(
					"%q is not a list of masks such as \"x|yz\", with each of the dimensions x, y, "+
						"z, a, b, c, d at most once",
					text,
				)
			}
			mask |= 1 << d
			seen |= 1 << d
		}
		if mask == 0 {
			return nil, fmt.Errorf("%q has an empty mask", text)
		}
		masks = append(masks, mask)
	}
	return masks, nil
}

// NewZone returns zone routing. Without zones it uses one zone id with a single mask of all
// dimensions. It fails on topologies that it does not support, and if there are too few virtual
// channels.
func NewZone(t topology.Topology, vcs int, zones ...ZoneMasks) (*Zone, error) {
	z := &Zone{vcs: uint16(vcs), masks: zones}
	if err := z.bind(t); err != nil {
		return nil, err
	}
	if err := z.checkMasks(); err != nil {
		return nil, err
	}
	z.escapes = uint16(z.escape.classes())
	if err := enoughChannels(vcs, int(z.escapes)+1, "zone routing"); err != nil {
		return nil, err
	}
	dims := z.outer.coords.dims
	a, layout, err := newAddress(t.Graph(), 2+dims+1)
	if err != nil {
		return nil, err
	}
	z.address = a
	z.zone, z.hints, z.moved = layout.field(2), layout.field(dims), layout.field(1)
	return z, nil
}

var errZoneTopology = errors.New(
	"zone routing needs a torus or mesh, or a hierarchy of fully connected blocks joined by one",
)

// bind finds the torus in the topology: the network itself, or the outer topology of a hierarchy.
func (z *Zone) bind(t topology.Topology) error {
	l, err := newLeg(t, hostedEnds)
	if err != nil {
		return err
	}
	z.escape = l
	var ok bool
	if z.outer, ok = l.(*torusLeg); ok {
		return nil
	}
	if z.inside, ok = l.(*hierarchyLeg); !ok {
		return errZoneTopology
	}
	block, full := z.inside.block.(*hyperxLeg)
	if z.outer, ok = z.inside.outer.(*torusLeg); !ok || !full || block.coords.dims != 1 {
		return errZoneTopology
	}
	return nil
}

func (z *Zone) checkMasks() error {
	all := uint8(1<<z.outer.coords.dims - 1)
	if len(z.masks) == 0 {
		z.masks = []ZoneMasks{{all}}
	}
	if len(z.masks) > MaxZones {
		return fmt.Errorf("there are %d zone ids, not %d", MaxZones, len(z.masks))
	}
	for id, masks := range z.masks {
		seen := uint8(0)
		for _, m := range masks {
			seen |= m
		}
		if seen != all {
			return fmt.Errorf(
				"the masks of zone %d name %d dimensions; the network has %d, and all have to be named",
				id, bits.OnesCount8(seen), z.outer.coords.dims,
			)
		}
	}
	return nil
}

// Name returns "zone".
func (z *Zone) Name() string { return "zone" }

// StartPacket implements Adaptive. Random hint bits decide the direction of a packet where both are
// equally long.
func (z *Zone) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	flow := mix(coin)
	header := z.header(dst, flow, flow) | z.hints.with(flow>>32) |
		z.zone.with(z.pair(src, dst)%uint64(len(z.masks)))
	return header, uint8(anyChannel(z.choice.of(header), z.escapes, z.vcs))
}

// Candidates implements Adaptive.
func (z *Zone) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst := int32(z.to.of(header))
	if router == dst {
		return append(
			to,
			Candidate{
				Port:   uint16(z.exit.of(header)),
				VC:     anyChannel(z.choice.of(header), 0, z.vcs),
				Header: header,
			},
		)
	}
	first := len(to)
	hints := z.hints.of(header)
	to = z.adaptive(router, dst, packet{
		masks: z.masks[z.zone.of(header)], hints: [2]uint64{hints, hints}, moved: z.moved.of(header) == 1,
		stay: z.moved.set(header, 1), leave: z.moved.set(header, 0),
	}, to)
	priceFrom(to[first:], v, z.flow.of(header), router)
	h := z.escape.next(router, dst, hints)
	return append(
		to,
		escapeBy(h, z.afterEscape(router, h.port, z.moved.set(header, 1), z.moved.set(header, 0))),
	)
}

// packet holds the data of a packet, or of an outline, that zone routing uses.
type packet struct {
	masks       ZoneMasks
	hints       [2]uint64 // hint bits, both of which the packet may follow
	moved       bool      // it has made its hop within this block
	stay, leave uint64    // header after a hop within the block, and after a hop out of it
}

// adaptive appends the candidates on adaptive channels.
func (z *Zone) adaptive(router, dst int32, p packet, to []Candidate) []Candidate {
	a, b := blockPlace{block: router}, blockPlace{block: dst}
	if z.inside != nil {
		a, b = z.inside.places[router], z.inside.places[dst]
	}
	if a.block == b.block {
		return z.within(a.inner, b.inner, p.stay, to)
	}
	from, into := z.outer.coords.of(a.block), z.outer.coords.of(b.block)
	for _, mask := range p.masks {
		travelling := false
		for d := range from {
			if mask>>d&1 == 0 || from[d] == into[d] {
				continue
			}
			travelling = true
			to = z.dimension(d, from[d], into[d], a, p, to)
		}
		if travelling {
			return to
		}
	}
	return to
}

// within appends the hop to a router of the same block.
func (z *Zone) within(inner, other int32, header uint64, to []Candidate) []Candidate {
	first := len(to)
	return adaptively(z.inside.block.ways(inner, other, to), first, z.escapes, z.vcs, header)
}

// dimension appends the channels by which a packet may travel along dimension d.
func (z *Zone) dimension(d int, from, into uint16, a blockPlace, p packet, to []Candidate) []Candidate {
	last := -1
	for _, hints := range p.hints {
		port := int(z.outer.step(d, int(from), int(into), hints>>d&1).port)
		if port == last {
			continue
		}
		last = port
		if z.inside == nil {
			to = channels(uint16(port), z.escapes, z.vcs, p.leave, to)
			continue
		}
		exit := z.inside.exits[port]
		switch {
		case exit.router == a.inner:
			to = channels(exit.port, z.escapes, z.vcs, p.leave, to)
		case !p.moved:
			to = z.within(a.inner, exit.router, p.stay, to)
		}
	}
	return to
}

// afterEscape returns the header after a hop on an escape channel: stay if the hop stays within the
// block, else leave.
func (z *Zone) afterEscape(router int32, port uint16, stay, leave uint64) uint64 {
	if z.inside != nil &&
		z.inside.places[after(z.graph, router, port)].block == z.inside.places[router].block {
		return stay
	}
	return leave
}

// An outline of zone routing holds the destination router, the zone id from bit 32 on, and in bit
// 40 whether the packet has made its hop within its block.
const outlineMoved = 1 << 40

// OutlineStarts implements Outliner.
func (z *Zone) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	for id := range z.masks {
		outlines = append(outlines, uint64(to)|uint64(id)<<32)
	}
	return outlines
}

// OutlineSteps implements Outliner.
func (z *Zone) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	dst := int32(outline)
	if router == dst {
		return to
	}
	leave, stay := outline&^outlineMoved, outline|outlineMoved
	to = z.adaptive(router, dst, packet{
		masks: z.masks[outline>>32&(MaxZones-1)], hints: [2]uint64{0, ^uint64(0)},
		moved: outline&outlineMoved != 0,
		stay:  stay, leave: leave,
	}, to)
	first := len(to)
	to = z.escape.ways(router, dst, to)
	for i := first; i < len(to); i++ {
		h := to[i].hop()
		to[i] = escapeBy(h, z.afterEscape(router, h.port, stay, leave))
	}
	return to
}
