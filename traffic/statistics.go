package traffic

import "math"

// truncation returns the number of leading batches in the initial transient, by the rule MSER-5
// (White, Simulation 1997): it minimizes the standard error of the mean of the remaining batches.
// Each value is the mean of a batch of five observations.
func truncation(batches []float64) int {
	best, at := math.Inf(1), 0
	var sum, squares float64
	n := len(batches)
	for d := n - 1; d >= 0; d-- {
		sum += batches[d]
		squares += float64(batches[d] * batches[d])
		left := float64(n - d)
		if 4*d > 3*n { // too few values for an estimate
			continue
		}
		if e := (squares - float64(sum*sum)/left) / (left * left); e <= best {
			best, at = e, d
		}
	}
	return at
}

// warm reports whether the initial transient of a series has ended: there are enough batches, and
// the transient is at most the first half of them.
func warm(batches []float64) bool {
	const least = 10
	return len(batches) >= least && 2*truncation(batches) <= len(batches)
}

// total is a sum of values and their number.
type total struct{ sum, count float64 }

// interval is a 95 % confidence interval of a mean: mean ± half. half is infinite if there are too
// few values for an interval.
type interval struct {
	mean, half  float64
	independent bool // the means of groups of batches show no correlation
}

// within reports whether the interval is reliable and its half-width is at most the given share of
// the mean.
func (i interval) within(share float64) bool {
	return i.independent && i.half <= float64(share*i.mean)
}

// groups is the minimum number of groups of batches for a confidence interval.
const groups = 20

// estimate returns the mean of all values and its confidence interval, by the method of batch
// means. It merges batches into groups of equal size until the means of adjacent groups are not
// noticeably correlated, as long as there are at least 20 groups. The interval is widened to
// account for remaining correlation and for the skewness of the means (Tafazzoli and Wilson, Skart:
// A skewness- and autoregression-adjusted batch-means procedure for simulation analysis, IIE
// Transactions 2011).
func estimate(batches []total) interval {
	i := meanOf(batches)
	for size := 1; len(batches)/size >= groups && !i.independent; size += (size + 1) / 2 {
		i.by(grouped(batches, size), fifth)
	}
	return i
}

// reported returns the confidence interval to report at the end of a measurement. If the
// measurement is less precise than required, its batches are correlated over a long time, and small
// groups without correlation occur only by chance. Then reported makes the groups as large as
// possible, and accepts more correlation: the limit of estimate would reject a fifth of such
// measurements, in particular those with long queues, whose intervals are wide.
func reported(batches []total, precise bool) interval {
	i := estimate(batches)
	if precise && i.independent {
		return i
	}
	i = meanOf(batches)
	if size := len(batches) / groups; size > 0 {
		i.by(grouped(batches, size), twentieth)
	}
	return i
}

// meanOf returns the mean of all values, without an interval.
func meanOf(batches []total) interval {
	var all total
	for _, b := range batches {
		all.sum += b.sum
		all.count += b.count
	}
	i := interval{half: math.Inf(1)}
	if all.count > 0 {
		i.mean = all.sum / all.count
	}
	return i
}

// by sets the interval from the means of groups. It has no effect if there are too few groups. See
// spread.independent for limit.
func (i *interval) by(means []float64, limit float64) {
	if len(means) < groups {
		return
	}
	g := describe(means)
	i.half, i.independent = g.half(), g.independent(limit)
}

// grouped merges consecutive batches into groups of size batches, and returns their means. It omits
// surplus batches at the start.
func grouped(batches []total, size int) []float64 {
	var means []float64
	for i := len(batches) % size; i < len(batches); i += size {
		var g total
		for _, b := range batches[i : i+size] {
			g.sum += b.sum
			g.count += b.count
		}
		if g.count > 0 {
			means = append(means, g.sum/g.count)
		}
	}
	return means
}

// spread describes the variation of the means of groups.
type spread struct {
	groups      float64
	variance    float64
	correlation float64 // correlation of adjacent means, corrected for bias
	skewness    float64
}

func describe(means []float64) spread {
	s := spread{groups: float64(len(means))}
	center := 0.0
	for _, m := range means {
		center += m / s.groups
	}
	var squares, cubes, products, last float64
	for i, m := range means {
		m -= center
		squares += float64(m * m)
		cubes += float64(float64(m*m) * m)
		if i > 0 {
			products += float64(m * last)
		}
		last = m
	}
	if squares == 0 {
		return s
	}
	s.variance = squares / (s.groups - 1)
	s.correlation = products/squares + 1/s.groups
	s.skewness = cubes / s.groups / float64(s.variance*math.Sqrt(s.variance))
	return s
}

// Quantiles of the normal distribution: the correlation of independent means, in standard
// deviations, exceeds them with a probability of 1/5 and 1/20.
const (
	fifth     = 0.8416
	twentieth = 1.6449
)

// independent reports whether the correlation of adjacent means can be due to chance. limit is the
// maximum correlation in standard deviations: a quantile of the normal distribution.
func (s *spread) independent(limit float64) bool {
	return s.correlation <= limit/math.Sqrt(s.groups)
}

// half returns the half-width of the 95 % confidence interval, if the means are a first-order
// autoregressive process. If their distribution is skewed, the interval is asymmetric, and half
// returns the distance to the farther limit.
func (s *spread) half() float64 {
	const most = 0.9 // a higher correlation cannot be distinguished from a trend
	r := min(max(s.correlation, 0), most)
	deviation := math.Sqrt(s.variance / s.groups * (1 + r) / (1 - r))
	return deviation * skewed(student(s.groups-1), math.Abs(s.skewness)/(6*math.Sqrt(s.groups)))
}

// skewed corrects a quantile of Student's t distribution for skewness. skewness is the skewness of
// the values divided by six times the square root of their number (Johnson, Modified t tests and
// confidence intervals for asymmetrical populations, J. American Statistical Association 1978, in
// the form of Hall 1992).
func skewed(quantile, skewness float64) float64 {
	const negligible = 1e-3
	if skewness < negligible {
		return quantile
	}
	return (math.Cbrt(float64(6*skewness*(quantile+skewness))-1) + 1) / (2 * skewness)
}

// student approximates the 97.5 % quantile of Student's t distribution by an expansion in powers of
// 1/df. It is accurate to three digits for df >= 15.
func student(df float64) float64 { return 1.95996 + 2.3723/df + 2.8225/(df*df) }
