package place

import "slices"

// Cost is what a search makes small: the time that the bytes of the busiest link take, then the
// number of links as busy as that, then the bytes times the links between routers that they pass.
type Cost struct {
	Busiest  float64 // ps
	Links    int     // that are as busy
	HopBytes int64   // in units of 1/whole
}

// less reports whether a cost is below another.
func (c Cost) less(d Cost) bool {
	switch {
	case c.Busiest != d.Busiest:
		return c.Busiest < d.Busiest
	case c.Links != d.Links:
		return c.Links < d.Links
	}
	return c.HopBytes < d.HopBytes
}

// problem is what all searches share: the flows and the hosts. Each search has routes of its own.
type problem struct {
	ranks   int
	flows   []Flow
	touches [][]int32 // by rank: the flows from it and to it
	perByte []float64 // by link: ps
	hosts   []int32   // different hosts, ascending
	slots   []int32   // by rank, the own mapping: the index of its host
	dist    []int64   // between hosts, by index: links between routers, times whole
}

func (p *problem) hops(a, b int32) int64 { return p.dist[int(a)*len(p.hosts)+int(b)] }

// state is a mapping with the loads of links under it.
type state struct {
	*problem
	routes   *routes
	at       []int32 // by rank: the index of its host
	load     []int64 // by link: bytes times whole
	hopBytes int64
	busiest  float64
	count    int // links as busy as that
	err      error
}

func newState(p *problem, r *routes, at []int32) *state {
	s := &state{problem: p, routes: r, at: slices.Clone(at), load: make([]int64, r.links())}
	s.fill()
	return s
}

// fill computes all loads anew.
func (s *state) fill() {
	clear(s.load)
	s.hopBytes = 0
	for i := range s.flows {
		s.add(int32(i), 1)
	}
	s.scan()
}

// scan finds the busiest link.
func (s *state) scan() {
	s.busiest, s.count = 0, 0
	for link, load := range s.load {
		switch t := float64(load) * s.perByte[link]; {
		case t > s.busiest:
			s.busiest, s.count = t, 1
		case t == s.busiest && t > 0:
			s.count++
		}
	}
}

func (s *state) cost() Cost { return Cost{s.busiest / whole, s.count, s.hopBytes} }

// add adds a flow to the loads, or removes it: sign is 1 or -1.
func (s *state) add(flow int32, sign int64) {
	f := &s.flows[flow]
	a, b := s.at[f.From], s.at[f.To]
	if a == b {
		return
	}
	bytes := sign * f.Bytes
	s.hopBytes += bytes * s.hops(a, b)
	list, err := s.routes.between(s.hosts[a], s.hosts[b])
	if err != nil {
		s.err = err
		return
	}
	for _, p := range list {
		s.change(p.link, bytes*p.share)
	}
}

// change changes the load of a link, and counts the links that are busiest. Loads may exceed the
// busiest one until scan.
func (s *state) change(link int32, by int64) {
	before := float64(s.load[link]) * s.perByte[link]
	s.load[link] += by
	after := float64(s.load[link]) * s.perByte[link]
	if before == s.busiest {
		s.count--
	}
	switch {
	case after > s.busiest:
		s.busiest, s.count = after, 1
	case after == s.busiest:
		s.count++
	}
}

// swap exchanges the hosts of two ranks. Only their flows get other routes.
func (s *state) swap(a, b int) {
	s.each(a, b, -1)
	s.at[a], s.at[b] = s.at[b], s.at[a]
	s.each(a, b, 1)
	s.scan()
}

// each adds or removes the flows of two ranks, those between them once.
func (s *state) each(a, b int, sign int64) {
	for _, i := range s.touches[a] {
		s.add(i, sign)
	}
	for _, i := range s.touches[b] {
		if f := &s.flows[i]; int(f.From) != a && int(f.To) != a {
			s.add(i, sign)
		}
	}
}

// growth returns by how much the hop-bytes grow when two ranks exchange their hosts.
func (s *state) growth(a, b int) (sum int64) {
	return s.moved(a, b) + s.moved(b, a)
}

// moved returns the growth for the flows of a rank that goes to the host of another. A flow between
// the two counts for its sender.
func (s *state) moved(rank, other int) (sum int64) {
	from, to := s.at[rank], s.at[other]
	for _, i := range s.touches[rank] {
		f := &s.flows[i]
		switch {
		case int(f.To) == other:
			sum += f.Bytes * (s.hops(to, from) - s.hops(from, to))
		case int(f.From) == other:
		case int(f.From) == rank:
			sum += f.Bytes * (s.hops(to, s.at[f.To]) - s.hops(from, s.at[f.To]))
		default:
			sum += f.Bytes * (s.hops(s.at[f.From], to) - s.hops(s.at[f.From], from))
		}
	}
	return sum
}
