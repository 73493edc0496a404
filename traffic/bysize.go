package traffic

import (
	"fabricast/internal/histogram"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// SlowdownUnit is a slowdown of 1 in a SizeOutcome.
const SlowdownUnit = 1000

// sizeCounts counts the measured messages by the number of bits of their sizes. Entries of its lists
// are nil if there are no messages.
type sizeCounts struct {
	latencies []*histogram.Histogram // ps
	slowdowns []*histogram.Histogram // in units of 1/SlowdownUnit
}

// record counts a message with a latency (ps), which would take the ideal time in an idle network.
func (c *sizeCounts) record(bits int32, latency, ideal int64) {
	for len(c.latencies) <= int(bits) {
		c.latencies, c.slowdowns = append(c.latencies, nil), append(c.slowdowns, nil)
	}
	if c.latencies[bits] == nil {
		c.latencies[bits], c.slowdowns[bits] = &histogram.Histogram{}, &histogram.Histogram{}
	}
	c.latencies[bits].Record(latency)
	c.slowdowns[bits].Record(units.MulDiv(latency, SlowdownUnit, max(1, ideal)))
}

// state saves or restores the counts.
func (c *sizeCounts) state(v *snapshot.Visitor) {
	histogram.StateOf(v, &c.latencies)
	histogram.StateOf(v, &c.slowdowns)
}

// SizeOutcome holds the results of the messages whose sizes in bytes have a number of bits.
type SizeOutcome struct {
	Bits    int
	Latency histogram.Histogram // ps
	// Slowdown is the latency divided by that in an idle network, in units of 1/SlowdownUnit.
	Slowdown histogram.Histogram
}

// From and To return the least and the largest size (bytes).
func (o *SizeOutcome) From() int64 { return 1 << o.Bits >> 1 }
func (o *SizeOutcome) To() int64   { return 1<<o.Bits - 1 }

// outcomes returns the counts of the sizes that occur.
func (c *sizeCounts) outcomes() []SizeOutcome {
	var list []SizeOutcome
	for bits, latency := range c.latencies {
		if latency != nil {
			one := SizeOutcome{Bits: bits}
			one.Latency.Add(latency)
			one.Slowdown.Add(c.slowdowns[bits])
			list = append(list, one)
		}
	}
	return list
}

// addSizes adds the results of sizes to those in list. Both are in the order of sizes.
func addSizes(list, more []SizeOutcome) []SizeOutcome {
	return merged(
		list, more, func(o *SizeOutcome) int { return o.Bits },
		func(a, b SizeOutcome) SizeOutcome {
			one := SizeOutcome{Bits: a.Bits}
			one.Latency.Add(&a.Latency)
			one.Latency.Add(&b.Latency)
			one.Slowdown.Add(&a.Slowdown)
			one.Slowdown.Add(&b.Slowdown)
			return one
		},
	)
}

// merged merges two lists in the order of their keys. Entries with equal keys are added.
func merged[T any](list, more []T, key func(*T) int, add func(a, b T) T) (sum []T) {
	for len(list) > 0 || len(more) > 0 {
		switch {
		case len(more) == 0 || len(list) > 0 && key(&list[0]) < key(&more[0]):
			sum, list = append(sum, list[0]), list[1:]
		case len(list) == 0 || key(&more[0]) < key(&list[0]):
			sum, more = append(sum, more[0]), more[1:]
		default:
			sum, list, more = append(sum, add(list[0], more[0])), list[1:], more[1:]
		}
	}
	return sum
}
