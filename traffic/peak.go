package traffic

import (
	"cmp"
	"math"
	"slices"
)

// Peak is an estimate of the largest of many means of which only samples are known. The largest
// sample overestimates it because of noise, and the more so the more of the means are nearly equal.
type Peak struct {
	Value     float64
	Low, High float64 // 95 % confidence interval
}

// Quantiles of the normal distribution. The upper limit of the interval is violated with a
// probability of 2.5 %. The lower limit is the best of many bounds; the probability that any of
// these is violated is 2.5 % in total.
const (
	peakHigh = 1.96
	peakMiss = 0.025
	// apart is the difference, in standard deviations, from which on two means count as different.
	// A larger value would count smaller means as equal to the largest; a smaller one would leave
	// more noise.
	apart = 1
)

// estimatePeak estimates the largest mean from two halves of a measurement. first and second hold
// the samples of each mean in the two halves, and part is the length of the first half as a share
// of the whole. The means that are largest in one half are selected independently of the other
// half, which therefore yields an unbiased estimate. The noise is estimated from the differences
// between the halves. Its variance is assumed to be proportional to the mean, as for random
// arrivals. At least one mean must not be 0 in both halves.
func estimatePeak(first, second []float64, part float64) Peak {
	p := peak{n: len(first), part: part, mean: make([]float64, len(first))}
	for i := range first {
		p.mean[i] = float64(first[i]*part) + float64(second[i]*(1-part))
	}
	p.sums[0], p.sums[1] = ranked(first, second), ranked(second, first)
	p.dispersion = max(p.noise(first, second, 0), p.noise(first, second, p.quantile()))
	return p.estimate()
}

// peak holds the data from which a Peak is estimated.
type peak struct {
	n    int
	part float64 // length of the first half as a share of the whole
	mean []float64
	// by n: the sum, in one half, of the n means that are largest in the other half; index 0 is for
	// sums of the second half
	sums       [2][]float64
	dispersion float64 // variance of a mean divided by the mean
}

// ranked sorts values by descending entries of by. For each n, it returns the sum of the first n
// sorted values.
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

// quantile returns a high quantile of the means. A tenth of the means are at or above it, but at
// least 32, or all if there are fewer.
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

// of returns the mean of the n largest means, and the standard deviation of that mean.
func (p *peak) of(n int) (mean, deviation float64) {
	a, b := p.sums[0][n]/float64(n), p.sums[1][n]/float64(n)
	mean = float64(a*(1-p.part)) + float64(b*p.part)
	return mean, math.Sqrt(p.dispersion * max(mean, 0) / float64(n))
}

// estimate returns the estimate of the largest mean with its confidence interval. The value is the
// average of the largest means that do not differ significantly from each other.
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
