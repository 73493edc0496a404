package traffic_test

import (
	"flag"
	"math"
	"testing"
)

// coverageSeeds is how many seeds TestNetworkIntervalsHoldTheMean measures in each case. A count that
// tells 93 % from less takes 60 and more, and some minutes.
var coverageSeeds = flag.Int("coverage", 0, "seeds of each network whose confidence intervals are counted")

// TestNetworkIntervalsHoldTheMean: of measurements of small networks with other seeds, the 95 %
// intervals of latency and of accepted load hold the mean of all, up to close to saturation. With
// few seeds it is only held that not most of them miss it.
func TestNetworkIntervalsHoldTheMean(t *testing.T) {
	type network struct {
		dims []int
		wrap bool
		load float64
	}
	cases, seeds, least := []network{{[]int{4}, false, 0.5}}, 6, 0.5
	if *coverageSeeds > 0 {
		cases, seeds, least = []network{
			{[]int{4, 4}, true, 0.45},
			{[]int{4, 4}, true, 0.6},
			{[]int{4, 4}, true, 0.75},
			{[]int{4, 4}, true, 0.8},
			{[]int{6}, true, 0.5},
			{[]int{6}, true, 0.6},
			{[]int{3, 3}, false, 0.5},
			{[]int{3, 3}, false, 0.7},
		}, *coverageSeeds, 0.93
	}
	all := 0.0
	for _, c := range cases {
		held := heldBy(t, c.dims, c.wrap, c.load, seeds)
		all += held / float64(len(cases))
	}
	if all < least {
		t.Errorf("%.3f of the intervals hold the mean, not %g", all, least)
	}
}

// heldBy returns the share of the intervals there are that hold the mean.
func heldBy(t *testing.T, dims []int, wrap bool, share float64, seeds int) float64 {
	t.Helper()
	spec, top := network(t, 2, wrap, dims...)
	var latency, accepted [][2]float64
	stable, precise, span := 0, 0, int64(0)
	for seed := range seeds {
		l := load(t, "uniform", top, share)
		l.Seed = uint64(seed + 1)
		o := measure(t, spec, l, 1)
		latency = append(latency, [2]float64{float64(o.Latency.Mean()), o.LatencyHalf})
		accepted = append(accepted, [2]float64{o.Accepted, o.AcceptedHalf})
		if o.Stable {
			stable++
		}
		if o.Precise {
			precise++
		}
		span += (o.To - o.From) / int64(seeds)
	}
	a, b := holding(latency), holding(accepted)
	t.Logf(
		"%v wrap %v, load %g: latency %.3f of %d, accepted %.3f of %d; %d of %d stable, %d precise, "+
			"%.1f us on average",
		dims, wrap, share, a, of(latency), b, of(accepted), stable, seeds, precise, float64(span)/1e6,
	)
	n, m := float64(of(latency)), float64(of(accepted))
	return (a*n + b*m) / max(1, n+m)
}

// holding returns the share of intervals, each a mean and a half-width, that hold the mean of all.
// A measurement without an interval, whose half-width is negative, has a mean only.
func holding(intervals [][2]float64) float64 {
	mean, held := 0.0, 0.0
	for _, i := range intervals {
		mean += i[0] / float64(len(intervals))
	}
	for _, i := range intervals {
		if math.Abs(i[0]-mean) <= i[1] {
			held++
		}
	}
	return held / max(1, float64(of(intervals)))
}

// of returns how many measurements have an interval.
func of(intervals [][2]float64) (n int) {
	for _, i := range intervals {
		if i[1] >= 0 {
			n++
		}
	}
	return n
}
