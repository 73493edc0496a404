package routing

import (
	"fabricast/topology"
)

// MeanLoads returns the expected load of each router output (Dally and Towles, Principles and
// Practices of Interconnection Networks, 2004, section 3.3), by global port number, in the unit of
// the flows' shares. It weights random routes by their probabilities.
//
// It returns ok false where loads cannot be computed: where queues decide which ports packets take,
// for algorithms of users, which do not disclose their probabilities, where random choices depend
// on one another in a way that is not followed here, and where the effort is exceeded.
func MeanLoads(g *topology.Graph, algorithm Algorithm, flows Flows, e Effort) (load []float64, ok bool) {
	m := newMeanLoads(g, flows, e)
	switch a := algorithm.(type) {
	case Scattered:
		ok = m.direct(a.evenly)
	case Spreading:
		ok = m.direct(onePort(a.evenly))
	case dorPacket:
		ok = m.direct(a.base().evenly)
	case dorQueue:
		ok = m.direct(a.base().evenly)
	case ROMM:
		ok = m.stopovers(a.leg, a.evenly)
	case Valiant:
		ok = m.detours(a.evenly, a.regionOf())
	case *DOR:
		ok = m.rings(a.ringRoutes())
	case *Direct:
		ok = m.single(&oneRoute{function: a, leg: a.leg, ways: a.evenly, header: a.headerOf})
	case Randomized:
	case Function:
		ok = m.walk(a)
	}
	load, whole := m.sum()
	return load, ok && whole
}

// evenly implements evenWays for packets that choose by coins of their own.
func (d *Direct) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	return evenFlows(d.leg, d.address.flow, at, to, list)
}

// evenly implements evenWays for both legs.
func (d *detours) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	return evenFlows(d.leg, d.address.flow, at, to, list)
}

// regionOf returns the function for the region in which a detour to a router ends; nil if it ends at the router itself.
func (d *detours) regionOf() func(router int32) int32 {
	if _, single := d.regions.(routerRegions); single {
		return nil
	}
	return d.regions.region
}

// evenly implements evenWays for packets that choose by coins of their own where both directions
// round a ring are equally long.
func (d *DOR) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	a, b := int(at), int(to)
	for dim, k := range d.torus.Dims() {
		from, into := a%k, b%k
		if from == into {
			a, b = a/k, b/k
			continue
		}
		hops, tie := d.torus.Hops(dim, from, into)
		port := uint16(2 * dim)
		if hops < 0 {
			port++
		}
		list = append(list, Candidate{Port: port})
		if tie && d.tie == TieSplit {
			return append(list, Candidate{Port: port ^ 1}), chanceInner
		}
		return list, 0
	}
	return list, 0
}

// ringRoutes returns what the loads of rings depend on.
func (d *DOR) ringRoutes() ringRoutes {
	r := ringRoutes{nics: d.locals, down: func(src, dst int32) uint64 {
		return d.header(src, dst, d.pair(src, dst)) >> dorDirShift
	}}
	for i := range d.rings {
		r.sizes = append(r.sizes, d.rings[i].size)
	}
	return r
}
