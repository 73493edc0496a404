package routing

import (
	"sync/atomic"

	"fabricast/topology"
)

// detours is what algorithms have in common that send packets by a router, or
// group of routers, on the way: Valiant, UGAL, PAR. A route has up to two legs, and
// each leg has channel classes of its own, so that waits go from the first leg
// to the second only.
type detours struct {
	name    string
	leg     leg
	regions regions
	lanes   *lanes
	hosted  []int32 // routers with hosts, by which detours go
	address
	via, phase field
	// first classes of the detour and of the leg to the destination
	detour, last uint16
	// first channels of all legs that begin at a router, for outlines: of last
	// legs, and of detours
	ends, begins []atomic.Pointer[[]Candidate]
}

// Phases of a route.
const (
	phaseDetour uint64 = iota // on the way to the router in between
	phaseLast                 // on the way to the destination
	phaseOpen                 // undecided, on a minimal way
)

// regions are the parts of a network among which a detour leads to one: single
// routers, or groups.
type regions interface {
	region(router int32) int32
	// detourClasses is the number of classes of a leg that ends in a region.
	detourClasses() int
}

// routerRegions has every router for itself.
type routerRegions struct{ leg }

func (routerRegions) region(router int32) int32 { return router }
func (r routerRegions) detourClasses() int      { return r.classes() }

// newDetours makes the common part, with so many classes before those of the
// detour, for minimal hops of packets that may still take one.
func newDetours(t topology.Topology, name string, vcs, open int) (*detours, error) {
	l, err := newLeg(t)
	if err != nil {
		return nil, err
	}
	d := &detours{name: name, leg: l, hosted: t.Graph().HostedRouters()}
	var ok bool
	if d.regions, ok = l.(regions); !ok {
		d.regions = routerRegions{l}
	}
	d.detour = uint16(open)
	d.last = d.detour + uint16(d.regions.detourClasses())
	if d.lanes, err = newLanes(vcs, int(d.last)+l.classes(), name); err != nil {
		return nil, err
	}
	width := routerBits(t.Graph())
	a, layout, err := newAddress(t.Graph(), width+2)
	if err != nil {
		return nil, err
	}
	d.address, d.via, d.phase = a, layout.field(width), layout.field(2)
	d.ends = make([]atomic.Pointer[[]Candidate], t.Graph().Routers)
	d.begins = make([]atomic.Pointer[[]Candidate], t.Graph().Routers)
	return d, nil
}

// Name is the name used in experiments.
func (d *detours) Name() string { return d.name }

// draw chooses a router in between.
func (d *detours) draw(coin uint64) int32 {
	return d.hosted[uint64(uint32(coin))*uint64(len(d.hosted))>>32]
}

// settle moves on to the last leg where the detour ends.
func (d *detours) settle(router int32, header uint64) uint64 {
	if d.phase.of(header) == phaseDetour && d.regions.region(router) == d.regions.region(int32(d.via.of(header))) {
		return d.phase.set(header, phaseLast)
	}
	return header
}

// hop is the next hop on the leg that a settled header is on.
func (d *detours) hop(router int32, header uint64) hop {
	flow := d.flow.of(header)
	if d.phase.of(header) == phaseDetour {
		h := d.leg.next(router, int32(d.via.of(header)), flow)
		h.class += d.detour
		return h
	}
	h := d.leg.next(router, int32(d.to.of(header)), flow)
	h.class += d.last
	return h
}

// exitVC is the channel on the way out of the network.
func (d *detours) exitVC(header uint64) uint16 { return d.lanes.vc(d.last, d.lane.of(header)) }

// An outline of a route with detours is a router and the phase of a leg that leads
// to it.
func outlineOf(to int32, phase uint64) uint64 { return uint64(to) | phase<<32 }

// OutlineStarts implements Outliner: both legs.
func (d *detours) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, outlineOf(to, phaseDetour), outlineOf(to, phaseLast))
}

// OutlineSteps implements Outliner.
func (d *detours) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	toward := int32(outline)
	if outline>>32 == phaseLast {
		return outlineLeg(d.leg, d.lanes, router, toward, d.last, outline, to)
	}
	if d.regions.region(router) != d.regions.region(toward) {
		return outlineLeg(d.leg, d.lanes, router, toward, d.detour, outline, to)
	}
	return d.outlineAll(&d.ends[router], router, d.last, to)
}

// outlineAll appends the first channels of all legs that begin at a router, those
// of detours only if they leave its region. The list is kept, because all detours
// that end there ask for it.
func (d *detours) outlineAll(kept *atomic.Pointer[[]Candidate], router int32, class uint16, to []Candidate) []Candidate {
	if list := kept.Load(); list != nil {
		return append(to, *list...)
	}
	var list, room []Candidate
	known := make([]bool, int(d.graph.PortBase[router+1]-d.graph.PortBase[router])*MaxVCs)
	for _, end := range d.hosted {
		if class != d.last && d.regions.region(end) == d.regions.region(router) {
			continue
		}
		room = outlineLeg(d.leg, d.lanes, router, end, class, OutlineEnd, room[:0])
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
