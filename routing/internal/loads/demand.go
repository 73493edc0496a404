package loads

// demand numbers the routers with hosts, which are the sources and destinations of traffic.
type demand struct {
	hosted []int32
	number []int32 // by router: its index in hosted
}

func (m *Mean) newDemand() demand {
	d := demand{hosted: m.graph.HostedRouters(), number: make([]int32, m.graph.Routers)}
	for i, r := range d.hosted {
		d.number[r] = int32(i)
	}
	return d
}

// between calls visit for the traffic between different routers. If exits is set it also adds the
// loads of the ports to NICs. It returns false if the effort is exceeded.
func (m *Mean) between(exits bool, visit func(from, to int32, f *Flow)) bool {
	return m.each(func(f Flow) int {
		if exits {
			m.arrive(&f)
		}
		if from, to := m.routers[f.Src], m.routers[f.First]; from != to {
			visit(from, to, &f)
		}
		return 0
	})
}

// demandRoom is the greatest number of entries in a table of traffic between routers.
const demandRoom = 1 << 21

// Direct adds up the loads of packets that go directly to their destinations, for a few
// destinations at a time to keep the table of traffic small.
func (m *Mean) Direct(ways EvenWays) bool {
	d, s := m.newDemand(), m.newSpreader(ways)
	n := len(d.hosted)
	width := min(n, max(1, demandRoom/n))
	to := make([]float64, width*n) // by destination and source
	for first := 0; first < n; first += width {
		clear(to)
		whole := m.between(first == 0, func(src, dst int32, f *Flow) {
			if i := int(d.number[dst]) - first; i >= 0 && i < width {
				f.addTo(&to[i*n+int(d.number[src])])
			}
		})
		for i := first; whole && i < min(n, first+width); i++ {
			whole = s.from(d.hosted, to[(i-first)*n:][:n]).toward(d.hosted, d.hosted[i], nil, nil)
		}
		if !whole {
			return false
		}
	}
	return true
}

// from adds traffic at some routers: amount[i] at routers[i].
func (s *spreader) from(routers []int32, amount []float64) *spreader {
	for i, r := range routers {
		s.amount[r] = amount[i]
	}
	return s
}

// matrix holds the traffic between routers with hosts, at index destination*n+source.
type matrix struct {
	n  int
	at []float64
}

// newMatrix returns an empty matrix for n routers, nil if it would have more than demandRoom
// entries.
func newMatrix(n int) *matrix {
	if n > demandRoom/n {
		return nil
	}
	return &matrix{n, make([]float64, n*n)}
}

// to returns the traffic to a destination, by source.
func (m *matrix) to(dst int32) []float64 { return m.at[int(dst)*m.n:][:m.n] }
