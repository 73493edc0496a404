package traffic

import (
	"cmp"
	"math"
	"slices"
)

// Peak is an estimate of the largest of many means, computed from a sample of each. The largest
// sample overestimates the largest mean because of noise, in particular if many means are nearly
// equal.
type Peak struct {
	Value     float64
	Low, High float64 // 95 % confidence interval
}

// peakHigh is a quantile of the normal distribution: the upper limit of the interval is violated
// with a probability of 2.5 %. The lower limit is the highest of many bounds; peakMiss is the total
// probability that any of these is violated.
const (
	peakHigh = 1.96
	peakMiss = 0.025
	// apart is the minimum difference, in standard deviations, between means that count as
	// different. With a larger value, smaller means would count as equal to the largest mean; with
	// a smaller value, there would be more noise.
	apart = 1
)

// estimatePeak estimates the largest mean from the two halves of a measurement. first and second
// hold the samples of all means in the two halves, and part is the length of the first half as a
// share of the whole. The largest means are selected in one half; their samples in the other half
// do not depend on this selection, and are therefore an unbiased estimate. The noise is estimated
// from the differences between the halves. Its variance is assumed to be proportional to the mean,
// as for random arrivals. At least one sample must not be 0.
func estimatePeak(first, second []float64, part float64) Peak {
	p := peak{n: len(first), part: part, mean: make([]float64, len(first))}
	for i := range first {
		p.mean[i] = float64(first[i]*part) + float64(second[i]*(1-part))
	}
	p.sums[0], p.sums[1] = ranked(first, second), ranked(second, first)
	p.dispersion = max(p.noise(first, second, 0), p.noise(first, second, p.quantile()))
	return p.estimate()
}

// peak holds the data from which to estimate a Peak.
type peak struct {
	n    int
	part float64 // length of the first half as a share of the whole
	mean []float64
	// sums[0][n] is the sum, over the n means with the largest samples in the first half, of their
	// samples in the second half; sums[1] is the same with the halves exchanged
	sums       [2][]float64
	dispersion float64 // variance of a mean divided by the mean
}

// ranked sorts values in descending order of the entries of by. It returns, by n, the sum of the
// first n sorted values.
func ranked(by, values []float64) []float64 {
	order := make([]int, len(by))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	sums := make([]float64, len(by)+1)
	for i, at := range order {
		sums[i+1] = sums[i] + values[at]
	}
	return sums
}

// quantile returns a high quantile of the means: one tenth of the means, but at least 32 (or all,
// if there are fewer), are at or above it.
func (p *peak) quantile() float64 {
	sorted := slices.Sorted(slices.Values(p.mean))
	return sorted[max(0, min(p.n-32, p.n-p.n/10))]
}

// noise estimates the dispersion from the means that are at least bound.
func (p *peak) noise(first, second []float64, bound float64) float64 {
	var squares, sum float64
	for i, m := range p.mean {
		if m >= bound {
			d := first[i] - second[i]
			squares += float64(d * d)
			sum += m
		}
	}
	if sum == 0 {
		return 0
	}
	return squares * p.part * (1 - p.part) / sum
}

// widen returns the ratio of Student's t quantile for n degrees of freedom to the normal quantile
// z, by a series expansion (Abramowitz and Stegun 1964, 26.7.5).
func widen(z float64, n int) float64 {
	z2, v := float64(z*z), 1/float64(n)
	return 1 + v*(z2+1)/4 + v*v*((5*z2+16)*z2+3)/96 + v*v*v*(((3*z2+19)*z2+17)*z2-15)/384
}

// of returns an estimate of the mean of the n largest means, and its standard deviation.
func (p *peak) of(n int) (mean, deviation float64) {
	a, b := p.sums[0][n]/float64(n), p.sums[1][n]/float64(n)
	mean = float64(a*(1-p.part)) + float64(b*p.part)
	return mean, math.Sqrt(p.dispersion * max(mean, 0) / float64(n))
}

// estimate returns the estimate of the largest mean with its confidence interval. The estimate is
// the average of the largest means that do not differ significantly from each other.
func (p *peak) estimate() Peak {
	var e Peak
	for _, m := range p.mean {
		e.High = max(e.High, m+p.reach(peakHigh)*math.Sqrt(p.dispersion*m))
	}
	greatest := slices.Max(p.mean)
	e.Low = greatest - p.reach(tail(peakMiss/2/float64(p.n)))*math.Sqrt(p.dispersion*greatest)
	below := p.reach(tail(peakMiss / 4 / (math.Log2(float64(p.n)) + 1)))
	surely, alike := math.Inf(-1), true
	for n := 1; n <= p.n; n *= 2 {
		mean, deviation := p.of(n)
		alike = alike && mean+apart*deviation >= surely
		if alike {
			e.Value = mean
		}
		surely = max(surely, mean-apart*deviation)
		for half, part := range []float64{1 - p.part, p.part} {
			mean := p.sums[half][n] / float64(n)
			e.Low = max(e.Low, mean-below*math.Sqrt(p.dispersion*max(mean, 0)/(part*float64(n))))
		}
	}
	e.Value = min(max(e.Value, e.Low), e.High)
	return e
}

// reach returns the half-width of an interval in standard deviations, for the normal quantile z.
func (p *peak) reach(z float64) float64 { return z * widen(z, p.n) }

// tail returns the value that a standard normal variable exceeds with the given probability.
func tail(share float64) float64 { return math.Sqrt2 * math.Erfcinv(2*share) }
