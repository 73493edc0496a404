package loads

import "fabricast/routing/internal/legs"

// Detours adds up the loads of both legs of packets by an intermediate router. If the intermediate
// router is a single router drawn evenly, the first leg spreads a router's traffic over all routers,
// and the second gathers a router's traffic from all. If region is not nil, a detour ends at the
// first router of the region of the router that was drawn.
func (m *Mean) Detours(ways EvenWays, region func(router int32) int32) bool {
	if region != nil {
		return m.detoursByRegion(ways, region)
	}
	d, s := m.newDemand(), m.newSpreader(ways)
	n := len(d.hosted)
	out, in := make([]float64, n), make([]float64, n)
	part := 1 / float64(n)
	whole := m.between(true, func(from, to int32, f *Flow) {
		f.Share *= part
		f.addTo(&out[d.number[from]])
		f.addTo(&in[d.number[to]])
	})
	same := make([]float64, n)
	for i, r := range d.hosted {
		for k := range same {
			same[k] = in[i]
		}
		whole = whole && s.from(d.hosted, out).toward(d.hosted, r, nil, nil) &&
			s.from(d.hosted, same).toward(d.hosted, r, nil, nil)
	}
	return whole
}

// detoursByRegion does the work of detours where a detour ends at the first router of a region.
func (m *Mean) detoursByRegion(ways EvenWays, region func(router int32) int32) bool {
	d := m.newDemand()
	// what takes a detour; what goes on the last leg
	far, last := newMatrix(len(d.hosted)), newMatrix(len(d.hosted))
	if far == nil {
		return false
	}
	if !m.between(true, func(from, to int32, f *Flow) {
		part := far
		if region(from) == region(to) {
			part = last
		}
		f.addTo(&part.to(d.number[to])[d.number[from]])
	}) {
		return false
	}
	s := m.newSpreader(ways)
	for i := range d.hosted {
		entries, whole := s.detour(d, region, far, int32(i))
		if !whole || !m.rejoin(far, last, int32(i), entries) {
			return false
		}
	}
	return s.arrive(d, last)
}

// entry is a router where detours end, and the fraction of one source's detours that end there.
type entry struct {
	number int32
	share  float64
}

// detour adds up the loads of the first legs from one router, to every intermediate router that may
// be drawn. It returns where they end.
func (s *spreader) detour(d demand, region func(int32) int32, far *matrix, source int32) ([]entry, bool) {
	sum := 0.0
	for to := range far.n {
		sum += far.to(int32(to))[source]
	}
	if sum == 0 {
		return nil, true
	}
	shares := make([]float64, far.n)
	part := sum / float64(far.n)
	for _, via := range d.hosted {
		end := region(via)
		s.amount[d.hosted[source]] = part
		there := func(r int32) bool { return region(r) == end }
		arrive := func(r int32, amount float64) { shares[d.number[r]] += amount / sum }
		if !s.toward(d.hosted[source:source+1], via, there, arrive) {
			return nil, false
		}
	}
	var list []entry
	for i, share := range shares {
		if share > 0 {
			list = append(list, entry{int32(i), share})
		}
	}
	return list, true
}

// rejoin adds the traffic of one source to the traffic of last legs, at the routers where its
// detours end.
func (m *Mean) rejoin(far, last *matrix, source int32, entries []entry) bool {
	for to := range far.n {
		sent := far.to(int32(to))[source]
		if sent == 0 {
			continue
		}
		row := last.to(int32(to))
		for _, e := range entries {
			row[e.number] += float64(sent * e.share)
		}
		if !m.spend(int64(len(entries))/4 + 1) { // far less than a hop takes
			return false
		}
	}
	return true
}

// arrive adds up the loads of all last legs.
func (s *spreader) arrive(d demand, last *matrix) bool {
	for i, r := range d.hosted {
		if !s.from(d.hosted, last.to(int32(i))).toward(d.hosted, r, nil, nil) {
			return false
		}
	}
	return true
}

// Stopovers adds up the loads of both legs of packets by a router drawn among those on their shortest
// routes on a torus or mesh, over all such routers.
func (m *Mean) Stopovers(torus *legs.Torus, ways EvenWays) bool {
	d := m.newDemand()
	phases := [2]*matrix{newMatrix(len(d.hosted)), newMatrix(len(d.hosted))}
	if phases[0] == nil || len(d.hosted) != m.graph.Routers {
		return false
	}
	var box []legs.Stopover
	if !m.between(true, func(from, to int32, f *Flow) {
		box = torus.Box(from, to, box[:0])
		m.spend(int64(len(box)))
		for range f.N {
			for _, b := range box {
				phases[0].to(b.Router)[from] += float64(f.Share * b.Share)
				phases[1].to(to)[b.Router] += float64(f.Share * b.Share)
			}
		}
	}) {
		return false
	}
	s := m.newSpreader(ways)
	return s.arrive(d, phases[0]) && s.arrive(d, phases[1])
}
