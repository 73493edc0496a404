package routing

// valiant adds up the loads of both legs of Valiant routing. If the intermediate router is a single
// router drawn evenly, the first leg spreads a router's traffic over all routers, and the second
// gathers a router's traffic from all.
func (m *meanLoads) valiant(v Valiant) bool {
	if _, single := v.regions.(routerRegions); !single {
		return m.valiantByRegion(v)
	}
	d, s := m.newDemand(), m.newSpreader(v.evenly)
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

// evenly implements evenWays for both legs.
func (d *detours) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	return d.address.evenly(d.leg, at, to, list)
}

// valiantByRegion does the work of valiant where a detour ends at the first router of a region.
func (m *meanLoads) valiantByRegion(v Valiant) bool {
	d := m.newDemand()
	// what takes a detour; what goes on the last leg
	far, last := newMatrix(len(d.hosted)), newMatrix(len(d.hosted))
	if far == nil {
		return false
	}
	if !m.between(true, func(from, to int32, f *Flow) {
		part := far
		if v.regions.region(from) == v.regions.region(to) {
			part = last
		}
		f.addTo(&part.to(d.number[to])[d.number[from]])
	}) {
		return false
	}
	s := m.newSpreader(v.evenly)
	for i := range d.hosted {
		entries, whole := s.detour(d, v, far, int32(i))
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
func (s *spreader) detour(d demand, v Valiant, far *matrix, source int32) ([]entry, bool) {
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
		region := v.regions.region(via)
		s.amount[d.hosted[source]] = part
		if !s.toward(
			d.hosted[source:source+1],
			via,
			func(r int32) bool { return v.regions.region(r) == region },
			func(r int32, amount float64) { shares[d.number[r]] += amount / sum },
		) {
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
func (m *meanLoads) rejoin(far, last *matrix, source int32, entries []entry) bool {
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

// romm adds up the loads of both legs of ROMM routing, over all intermediate routers.
func (m *meanLoads) romm(r ROMM) bool {
	d := m.newDemand()
	phases := [2]*matrix{newMatrix(len(d.hosted)), newMatrix(len(d.hosted))}
	if phases[0] == nil || len(d.hosted) != m.graph.Routers {
		return false
	}
	var box []stopover
	if !m.between(true, func(from, to int32, f *Flow) {
		box = r.leg.box(from, to, box[:0])
		m.spend(int64(len(box)))
		for range f.N {
			for _, b := range box {
				phases[0].to(b.router)[from] += float64(f.Share * b.share)
				phases[1].to(to)[b.router] += float64(f.Share * b.share)
			}
		}
	}) {
		return false
	}
	s := m.newSpreader(r.evenly)
	return s.arrive(d, phases[0]) && s.arrive(d, phases[1])
}

// stopover is an intermediate router on shortest routes, and the share of packets that pass it.
type stopover struct {
	router int32
	share  float64
}

// box appends the routers from which ROMM draws an intermediate one, with their probabilities: all
// routers in the box that the shortest routes span.
func (l *torusLeg) box(from, to int32, list []stopover) []stopover {
	first := len(list)
	list = append(list, stopover{0, 1})
	a, b := l.coords.of(from), l.coords.of(to)
	stride := int32(1)
	for d, k := range l.size {
		up, either := l.upward(d, int(a[d]), int(b[d]))
		known := len(list)
		for i := first; i < known; i++ {
			list = l.line(list[i], d, stride, int32(a[d]), int32(b[d]), up, list)
			if either {
				list = l.line(list[i], d, stride, int32(a[d]), int32(b[d]), !up, list)
			}
		}
		if either {
			for i := known; i < len(list); i++ {
				list[i].share /= 2
			}
		}
		list = append(list[:first], list[known:]...)
		stride *= k
	}
	return list
}

// line appends a router for each coordinate on the way from coordinate from to coordinate to in
// dimension d, and divides the share among them.
func (l *torusLeg) line(at stopover, d int, stride, from, to int32, up bool, list []stopover) []stopover {
	k, step := l.size[d], int32(1)
	if !up {
		step = -1
	}
	hops := (step*(to-from) + k) % k
	share := at.share / float64(hops+1)
	for n := range hops + 1 {
		list = append(list, stopover{at.router + (from+step*n+k)%k*stride, share})
	}
	return list
}
