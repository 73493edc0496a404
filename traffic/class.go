package traffic

import (
	"fabricast/internal/histogram"
	"fabricast/internal/snapshot"
)

// classCounts counts the measured messages by class. Its lists have no entries for the classes above
// the highest one counted.
type classCounts struct {
	bytes     []int64                // on the wire, delivered during the measurement
	latencies []*histogram.Histogram // of the messages generated during it; nil: none
}

// carried counts the delivery of a message of so many bytes.
func (c *classCounts) carried(class uint8, bytes int64) {
	for len(c.bytes) <= int(class) {
		c.bytes = append(c.bytes, 0)
	}
	c.bytes[class] += bytes
}

// completed counts the latency (ps) of a message, or of a request with its reply.
func (c *classCounts) completed(class uint8, latency int64) {
	for len(c.latencies) <= int(class) {
		c.latencies = append(c.latencies, nil)
	}
	if c.latencies[class] == nil {
		c.latencies[class] = &histogram.Histogram{}
	}
	c.latencies[class].Record(latency)
}

// state saves or restores the counts.
func (c *classCounts) state(v *snapshot.Visitor) {
	snapshot.List(v, &c.bytes)
	histogram.StateOf(v, &c.latencies)
}

// ClassOutcome holds the results of a class of messages.
type ClassOutcome struct {
	Class   int
	Bytes   int64 // on the wire, delivered during the measurement
	Latency histogram.Histogram
}

// outcomes returns the counts of the classes that occur.
func (c *classCounts) outcomes() []ClassOutcome {
	var list []ClassOutcome
	for class := range max(len(c.bytes), len(c.latencies)) {
		one := ClassOutcome{Class: class}
		if class < len(c.bytes) {
			one.Bytes = c.bytes[class]
		}
		if class < len(c.latencies) && c.latencies[class] != nil {
			one.Latency.Add(c.latencies[class])
		}
		if one.Bytes > 0 || one.Latency.Count() > 0 {
			list = append(list, one)
		}
	}
	return list
}

// addClasses adds the results of classes to those in list. Both are in the order of classes.
func addClasses(list, more []ClassOutcome) []ClassOutcome {
	return merged(
		list, more, func(o *ClassOutcome) int { return o.Class },
		func(a, b ClassOutcome) ClassOutcome {
			one := ClassOutcome{Class: a.Class, Bytes: a.Bytes + b.Bytes}
			one.Latency.Add(&a.Latency)
			one.Latency.Add(&b.Latency)
			return one
		},
	)
}
