package routing

import (
	"sync/atomic"

	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

// detours is the common part of the algorithms that route packets by an intermediate router or
// group (Valiant, UGAL, PAR). A route has up to two legs. Each leg has channel classes of its own,
// so a packet on the second leg never waits for one on the first.
type detours struct {
	name    string
	leg     legs.Leg
	regions regions
	alike
	hosted     []int32 // routers with hosts, from which the intermediate router is drawn
	address    headers.Address
	via, phase headers.Field
	// first classes of the leg to the intermediate router and of the leg to the destination
	detour, last uint16
	// first channels of all legs that begin at a router, for outlines: only legs to destinations
	// (ends), and legs to intermediate routers too (begins)
	ends, begins []atomic.Pointer[[]Candidate]
}

// Phases of a route.
const (
	phaseDetour uint64 = iota // on the way to the router in between
	phaseLast                 // on the way to the destination
	phaseOpen                 // undecided, on a minimal way
)

// regions divides a network into the parts among which an intermediate one is drawn: single
// routers, or groups of routers.
type regions interface {
	Region(router int32) int32
	// DetourClasses returns how many channel classes a leg needs that ends at the first router of a
	// region.
	DetourClasses() int
	// Enter returns the first router of the region of router to that a flow's packets reach from a
	// router outside it, and the number of hops to it.
	Enter(at, to int32, flow uint64) (first int32, hops int)
}

// routerRegions makes every router a region of its own.
type routerRegions struct{ legs.Leg }

func (routerRegions) Region(router int32) int32 { return router }
func (r routerRegions) DetourClasses() int      { return r.Classes() }

func (r routerRegions) Enter(at, to int32, _ uint64) (first int32, hops int) {
	return to, r.Distance(at, to)
}

// newDetours returns the common part for a network. The first `open` channel classes are left to
// minimal hops of packets that may still take a detour. It fails if vcs is too small for all
// classes.
func newDetours(t topology.Topology, name string, vcs, open int) (*detours, error) {
	l, err := legs.New(t, legs.HostedEnds)
	if err != nil {
		return nil, err
	}
	d := &detours{name: name, leg: l, hosted: t.Graph().HostedRouters()}
	var ok bool
	if d.regions, ok = l.(regions); !ok {
		d.regions = routerRegions{l}
	}
	d.detour = uint16(open)
	d.last = d.detour + uint16(d.regions.DetourClasses())
	if d.channels, err = newVCClasses(vcs, int(d.last)+l.Classes(), name); err != nil {
		return nil, err
	}
	width := headers.RouterBits(t.Graph())
	a, layout, err := headers.NewAddress(t.Graph(), width+2)
	if err != nil {
		return nil, err
	}
	d.address, d.via, d.phase = a, layout.Field(width), layout.Field(2)
	d.ends = make([]atomic.Pointer[[]Candidate], t.Graph().Routers)
	d.begins = make([]atomic.Pointer[[]Candidate], t.Graph().Routers)
	return d, nil
}

// Name returns the algorithm's name in experiments.
func (d *detours) Name() string { return d.name }

// draw returns the intermediate router for a coin, each router with hosts with the same
// probability.
func (d *detours) draw(coin uint64) int32 {
	return d.hosted[uint64(uint32(coin))*uint64(len(d.hosted))>>32]
}

// settle returns the header with its phase set to the last leg if the router is in the region where
// the detour ends, and else the header unchanged.
func (d *detours) settle(router int32, header uint64) uint64 {
	if d.phase.Of(header) == phaseDetour &&
		d.regions.Region(router) == d.regions.Region(int32(d.via.Of(header))) {
		return d.phase.Set(header, phaseLast)
	}
	return header
}

// hop returns the next hop on the current leg of a header that settle has returned.
func (d *detours) hop(router int32, header uint64) legs.Hop {
	flow := d.address.Flow.Of(header)
	if d.phase.Of(header) == phaseDetour {
		h := d.leg.Next(router, int32(d.via.Of(header)), flow)
		h.Class += d.detour
		return h
	}
	h := d.leg.Next(router, int32(d.address.To.Of(header)), flow)
	h.Class += d.last
	return h
}

// exitVC returns the virtual channel of the port to the destination NIC.
func (d *detours) exitVC(header uint64) uint16 {
	return d.channels.vc(d.last, d.address.Choice.Of(header))
}

// outlineOf returns the outline of a leg: the router to which it leads and its phase.
func outlineOf(to int32, phase uint64) uint64 { return uint64(to) | phase<<32 }

// OutlineStarts appends the outlines of both legs. It implements Outliner.
func (d *detours) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, outlineOf(to, phaseDetour), outlineOf(to, phaseLast))
}

// OutlineSteps appends the outputs of all minimal routes of the outline's leg. Where a detour ends,
// it appends the first channels of all legs to destinations instead. It implements Outliner.
func (d *detours) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	toward := int32(outline)
	if outline>>32 == phaseLast {
		return outlineLeg(d.leg, d.channels, router, toward, d.last, outline, to)
	}
	if d.regions.Region(router) != d.regions.Region(toward) {
		return outlineLeg(d.leg, d.channels, router, toward, d.detour, outline, to)
	}
	return d.outlineAll(&d.ends[router], router, d.last, to)
}

// outlineAll appends the first channels of all legs that begin at a router; of legs to intermediate
// routers, only those that leave the router's region. The list is kept, since all detours that end
// there use it.
func (d *detours) outlineAll(
	kept *atomic.Pointer[[]Candidate], router int32, class uint16, to []Candidate,
) []Candidate {
	if list := kept.Load(); list != nil {
		return append(to, *list...)
	}
	var list, room []Candidate
	known := make([]bool, int(d.address.Graph.PortBase[router+1]-d.address.Graph.PortBase[router])*MaxVCs)
	for _, end := range d.hosted {
		if class != d.last && d.regions.Region(end) == d.regions.Region(router) {
			continue
		}
		room = outlineLeg(d.leg, d.channels, router, end, class, OutlineEnd, room[:0])
		for _, c := range room {
			if i := int(c.Port)*MaxVCs + int(c.VC); !known[i] {
				known[i] = true
				list = append(list, c)
			}
		}
	}
	kept.Store(&list)
	return append(to, list...)
}
