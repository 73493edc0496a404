package observe

import (
	"math/bits"

	"fabricast/internal/histogram"
)

// Latencies holds histograms of message latencies, by size, by distance and by class.
type Latencies struct {
	sizes     [bits.UintSize]*histogram.Histogram // by the number of bits of the size
	distances []*histogram.Histogram              // by the number of links between routers
	classes   []*histogram.Histogram              // by class, if the world has classes
	bytes     []int64                             // payload of each class
}

// bySize returns the histogram of messages of the given size in bytes.
func (l *Latencies) bySize(size int64) *histogram.Histogram {
	class := bits.Len64(uint64(size))
	if l.sizes[class] == nil {
		l.sizes[class] = &histogram.Histogram{}
	}
	return l.sizes[class]
}

// inClass counts a message of a class. size is in bytes, latency in ps.
func (l *Latencies) inClass(class uint8, size, latency int64) {
	for int(class) >= len(l.classes) {
		l.classes = append(l.classes, &histogram.Histogram{})
		l.bytes = append(l.bytes, 0)
	}
	l.classes[class].Record(latency)
	l.bytes[class] += size
}

// byDistance returns the histogram of messages over the given number of links.
func (l *Latencies) byDistance(links int) *histogram.Histogram {
	for links >= len(l.distances) {
		l.distances = append(l.distances, &histogram.Histogram{})
	}
	return l.distances[links]
}
