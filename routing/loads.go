package routing

import (
	"fabricast/routing/internal/legs"
	"fabricast/routing/internal/loads"
	"fabricast/topology"
)

// Flow is the traffic from one NIC to others, and Flows all traffic of a network. Effort limits the work
// of MeanLoads.
type (
	Flow   = loads.Flow
	Flows  = loads.Flows
	Effort = loads.Effort
)

// MeanLoads returns the expected load of each router output (Dally and Towles, Principles and
// Practices of Interconnection Networks, 2004, section 3.3), by global port number, in the unit of
// the flows' shares. It weights random routes by their probabilities.
//
// It returns ok false where loads cannot be computed: where queues decide which ports packets take,
// for algorithms of users, which do not disclose their probabilities, where random choices depend
// on one another in a way that is not followed here, and where the effort is exceeded.
func MeanLoads(g *topology.Graph, algorithm Algorithm, flows Flows, e Effort) (load []float64, ok bool) {
	m := loads.New(g, flows, e)
	switch a := algorithm.(type) {
	case Scattered:
		ok = m.Direct(a.evenly)
	case Spreading:
		ok = m.Direct(loads.OnePort(a.evenly))
	case dorPacket:
		ok = m.Direct(a.base().evenly)
	case dorQueue:
		ok = m.Direct(a.base().evenly)
	case ROMM:
		ok = m.Stopovers(a.leg, a.evenly)
	case Valiant:
		ok = m.Detours(a.evenly, a.regionOf())
	case *DOR:
		ok = m.Rings(a.ringRoutes())
	case *Direct:
		ok = m.Single(&loads.OneRoute{Function: a, Leg: a.leg, Ways: a.evenly, Header: a.headerOf})
	case Randomized:
	case Function:
		ok = m.Walk(a)
	}
	return m.Load, ok
}

// evenly implements loads.EvenWays for packets that choose by coins of their own.
func (d *Direct) evenly(at, to int32, list []Candidate) ([]Candidate, legs.Chance) {
	return legs.Evenly(d.leg, d.address.Flow, at, to, list)
}

// evenly implements loads.EvenWays for both legs.
func (d *detours) evenly(at, to int32, list []Candidate) ([]Candidate, legs.Chance) {
	return legs.Evenly(d.leg, d.address.Flow, at, to, list)
}

// regionOf returns the function for the region in which a detour to a router ends; nil if it ends at
// the router itself.
func (d *detours) regionOf() func(router int32) int32 {
	if _, single := d.regions.(routerRegions); single {
		return nil
	}
	return d.regions.Region
}

// evenly implements loads.EvenWays for packets that choose by coins of their own where both directions
// round a ring are equally long.
func (d *DOR) evenly(at, to int32, list []Candidate) ([]Candidate, legs.Chance) {
	dim, from, into := d.travels(at, to)
	if from == into {
		return list, 0
	}
	hops, tie := d.torus.Hops(dim, from, into)
	port := uint16(2 * dim)
	if hops < 0 {
		port++
	}
	list = append(list, Candidate{Port: port})
	if tie && d.tie == TieSplit {
		return append(list, Candidate{Port: port ^ 1}), legs.ChanceInner
	}
	return list, 0
}

// ringRoutes returns what the loads of rings depend on.
func (d *DOR) ringRoutes() loads.RingRoutes {
	r := loads.RingRoutes{NICs: d.locals, Down: func(src, dst int32) uint64 {
		return d.header(src, dst, d.pair(src, dst)) >> dorDirShift
	}}
	for i := range d.rings {
		r.Sizes = append(r.Sizes, d.rings[i].size)
	}
	return r
}
