package node

import "math/bits"

// latencies are those of messages, by classes of them.
type latencies struct {
	sizes     [bits.UintSize]*Histogram // by the bits that the size takes
	distances []*Histogram              // by links between routers
}

// bySize is the histogram of messages of a size in bytes.
func (l *latencies) bySize(size int64) *Histogram {
	class := bits.Len64(uint64(size))
	if l.sizes[class] == nil {
		l.sizes[class] = &Histogram{}
	}
	return l.sizes[class]
}

// byDistance is the histogram of messages over a distance.
func (l *latencies) byDistance(links int) *Histogram {
	for links >= len(l.distances) {
		l.distances = append(l.distances, &Histogram{})
	}
	return l.distances[links]
}

// delivered counts a message between world ranks; times are in ps.
func (b *Block) delivered(source, dst, tag int32, size, sent, at int64) {
	b.stats.message(source, dst, tag, size, sent, at)
	if far := b.world.spec.Distance; far != nil {
		hosts := b.world.hostOf
		b.stats.latency.byDistance(max(0, far(int(hosts[source]), int(hosts[dst])))).Record(at - sent)
	}
}

// addLatencies adds what a block has counted.
func (s *Stats) addLatencies(l *latencies) {
	for class, h := range l.sizes {
		if h != nil {
			addTo(&s.BySize, class, h)
			s.Latency.Add(h)
		}
	}
	for links, h := range l.distances {
		if h.count > 0 {
			addTo(&s.ByDistance, links, h)
		}
	}
}

// addTo adds a histogram to one of a list.
func addTo(list *[]*Histogram, i int, h *Histogram) { of(list, i).Add(h) }

// of is a histogram of a list, which is made if there is none.
func of(list *[]*Histogram, i int) *Histogram {
	for i >= len(*list) {
		*list = append(*list, nil)
	}
	if (*list)[i] == nil {
		(*list)[i] = &Histogram{}
	}
	return (*list)[i]
}

// Latencies are distributions of latency (ps) by classes of messages; nil where there are none.
type Latencies struct {
	BySize     []*Histogram // of messages whose size in bytes takes so many bits
	ByDistance []*Histogram // between hosts so many links between routers apart
}

// Record counts a message whose size takes so many bits; links is negative if the distance is not known.
func (l *Latencies) Record(bits, links int, latency int64) {
	of(&l.BySize, bits).Record(latency)
	if links >= 0 {
		of(&l.ByDistance, links).Record(latency)
	}
}

// Add adds what others are.
func (l *Latencies) Add(o *Latencies) {
	for bits, h := range o.BySize {
		if h != nil {
			addTo(&l.BySize, bits, h)
		}
	}
	for links, h := range o.ByDistance {
		if h != nil {
			addTo(&l.ByDistance, links, h)
		}
	}
}
