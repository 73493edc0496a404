package legs

import "fabricast/routing/internal/headers"

// Between returns a random router on the shortest paths between two routers. Where both directions
// round a ring are equally long, flow selects the direction.
func (l *Torus) Between(from, to int32, flow, coin uint64) int32 {
	router, stride := int32(0), int32(1)
	a, b := l.Coords.Of(from), l.Coords.Of(to)
	for d, k := range l.size {
		up, either := l.upward(d, int(a[d]), int(b[d]))
		step := int32(1)
		if up == (either && flow>>(d&63)&1 == 1) {
			step = -1
		}
		hops := (step*(int32(b[d])-int32(a[d])) + k) % k
		hops = int32(uint64(uint32(coin)) * uint64(hops+1) >> 32)
		router += (int32(a[d]) + step*hops + k) % k * stride
		stride *= k
		coin = headers.Mix(coin)
	}
	return router
}

// Stopover is an intermediate router on shortest routes, and the share of packets that pass it.
type Stopover struct {
	Router int32
	Share  float64
}

// Box appends the routers from which ROMM draws an intermediate one, with their probabilities: all
// routers in the box that the shortest routes span.
func (l *Torus) Box(from, to int32, list []Stopover) []Stopover {
	first := len(list)
	list = append(list, Stopover{0, 1})
	a, b := l.Coords.Of(from), l.Coords.Of(to)
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
				list[i].Share /= 2
			}
		}
		list = append(list[:first], list[known:]...)
		stride *= k
	}
	return list
}

// line appends a router for each coordinate on the way from coordinate from to coordinate to in
// dimension d, and divides the share among them.
func (l *Torus) line(at Stopover, d int, stride, from, to int32, up bool, list []Stopover) []Stopover {
	k, step := l.size[d], int32(1)
	if !up {
		step = -1
	}
	hops := (step*(to-from) + k) % k
	share := at.Share / float64(hops+1)
	for n := range hops + 1 {
		list = append(list, Stopover{at.Router + (from+step*n+k)%k*stride, share})
	}
	return list
}
