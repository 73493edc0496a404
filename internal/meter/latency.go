package meter

import (
	"iter"

	"fabricast/internal/histogram"
	"fabricast/record"
)

// LatencyRows yields the distributions of latency (ps) by message size, distance and class.
func LatencyRows(s *histogram.Latencies) iter.Seq[record.Latency] {
	return func(yield func(record.Latency) bool) {
		for class, h := range s.BySize {
			row := record.Latency{By: record.BySize, To: 1}
			if class > 0 {
				row.From, row.To = 1<<(class-1), 1<<class
			}
			if !yieldLatency(row, h, yield) {
				return
			}
		}
		for _, list := range []struct {
			by   string
			each []*histogram.Histogram
		}{{record.ByDistance, s.ByDistance}, {record.ByClass, s.ByClass}} {
			for i, h := range list.each {
				row := record.Latency{By: list.by, From: int64(i), To: int64(i) + 1}
				if !yieldLatency(row, h, yield) {
					return
				}
			}
		}
	}
}

// yieldLatency yields a row with the statistics of a histogram. It skips an empty histogram, and
// returns false if the consumer wants no more rows.
func yieldLatency(row record.Latency, h *histogram.Histogram, yield func(record.Latency) bool) bool {
	if h == nil || h.Count() == 0 {
		return true
	}
	row.Count, row.Mean, row.Max = h.Count(), h.Mean(), h.Max()
	for _, q := range []struct {
		to    *int64
		share float64
	}{
		{&row.Min, 0},
		{&row.P5, 0.05},
		{&row.P25, 0.25},
		{&row.P50, 0.5},
		{&row.P75, 0.75},
		{&row.P95, 0.95},
		{&row.P99, 0.99},
	} {
		*q.to = h.Quantile(q.share)
	}
	return yield(row)
}
