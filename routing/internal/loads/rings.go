package loads

// RingRoutes are the routes of dimension-order routing on a torus or mesh.
type RingRoutes struct {
	Sizes []uint32 // of the dimensions
	NICs  int32    // of a router
	// Down returns a bitmap of the dimensions in which packets between two NICs go toward lower
	// coordinates.
	Down func(src, dst int32) uint64
}

// Rings adds up the loads of all routes of dimension-order routing. A route has at most one stretch
// in each dimension, along a ring or line. Only the ends of stretches are recorded for each pair;
// the loads in between are computed from them at the end.
func (m *Mean) Rings(d RingRoutes) bool {
	// by port: toward higher coordinates, and toward lower ones
	ends := make([]stretches, 2*len(d.Sizes))
	for i := range ends {
		ends[i] = make(stretches, m.graph.Routers)
	}
	m.flows(func(some []Flow) bool {
		for i := range some {
			f := &some[i]
			m.arrive(f)
			for dst := f.First; dst < f.First+f.N; dst++ {
				d.stretch(ends, f.Src, dst, f.Share)
			}
			if !m.spend(int64(f.N) * int64(len(d.Sizes))) {
				return false
			}
		}
		return true
	})
	if m.exhausted {
		return false
	}
	stride := int32(1)
	for dim := range d.Sizes {
		size := int32(d.Sizes[dim])
		for dir := range 2 {
			m.addUp(ends[2*dim+dir], int32(2*dim+dir), stride, size)
		}
		stride *= size
	}
	return true
}

// stretches holds, by router, the traffic of stretches that begin there minus that of stretches
// that end just before it.
type stretches []float64

// stretch records the ends of all stretches of the route between two NICs.
func (d *RingRoutes) stretch(ends []stretches, src, dst int32, share float64) {
	down := d.Down(src, dst)
	a, b := uint32(src)/uint32(d.NICs), uint32(dst)/uint32(d.NICs)
	at, stride := int32(a), int32(1)
	for dim, size := range d.Sizes {
		from, to := a%size, b%size
		a, b = a/size, b/size
		if from != to {
			low := at - int32(from)*stride // the router at the beginning of the line
			if down>>dim&1 == 0 {
				ends[2*dim].add(low, stride, int32(size), int32(from), int32(to), share)
			} else {
				ends[2*dim+1].add(low, stride, int32(size), int32(to)+1, int32(from)+1, share)
			}
		}
		at += (int32(to) - int32(from)) * stride
		stride *= int32(size)
	}
}

// add records a stretch from coordinate from up to, not including, coordinate to. If to is not
// greater than from, the stretch goes on round the ring. The router at coordinate c of this ring is
// low+c*stride.
func (s stretches) add(low, stride, size, from, to int32, share float64) {
	if from < size {
		s[low+from*stride] += share
	}
	if to < size {
		s[low+to*stride] -= share
	}
	if to <= from {
		s[low] += share
	}
}

// addUp computes the traffic that passes a port at each router from the ends of stretches, and adds
// it to the loads.
func (m *Mean) addUp(s stretches, port, stride, size int32) {
	for low := range int32(m.graph.Routers) {
		if low/stride%size != 0 {
			continue
		}
		passing := 0.0
		for c := range size {
			router := low + c*stride
			passing += s[router]
			// rounding may leave less than nothing
			m.Load[m.graph.PortBase[router]+port] += max(0, passing)
		}
	}
}
