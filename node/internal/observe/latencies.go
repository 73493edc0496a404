package observe

import (
	"math/bits"

	"fabricast/internal/histogram"
)

// Latencies holds histograms of message latencies, by size and by distance.
type Latencies struct {
	sizes     [bits.UintSize]*histogram.Histogram // by the number of bits of the size
	distances []*histogram.Histogram              // by the number of links between routers
}

// bySize returns the histogram of messages of the given size in bytes.
func (l *Latencies) bySize(size int64) *histogram.Histogram {
	class := bits.Len64(uint64(size))
	if l.sizes[class] == nil {
		l.sizes[class] = &histogram.Histogram{}
	}
	return l.sizes[class]
}

// byDistance returns the histogram of messages over the given number of links.
func (l *Latencies) byDistance(links int) *histogram.Histogram {
	for links >= len(l.distances) {
		l.distances = append(l.distances, &histogram.Histogram{})
	}
	return l.distances[links]
}
