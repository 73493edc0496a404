package traffic

import "math"

// truncation returns the number of leading batches that belong to the initial transient, by the
// rule MSER-5 (White, Simulation 1997): the truncation that minimizes the standard error of the
// mean of the rest. Each value is the mean over a batch of five observations.
func truncation(batches []float64) int {
	best, at := math.Inf(1), 0
	var sum, squares float64
	n := len(batches)
	for d := n - 1; d >= 0; d-- {
		sum += batches[d]
		squares += float64(batches[d] * batches[d])
		left := float64(n - d)
		if 4*d > 3*n { // too few values to say anything
			continue
		}
		if e := (squares - float64(sum*sum)/left) / (left * left); e <= best {
			best, at = e, d
		}
	}
	return at
}

// warm reports whether a series is past its initial transient: it has enough batches, and the
// truncation lies in its first half.
func warm(batches []float64) bool {
	const least = 10
	return len(batches) >= least && 2*truncation(batches) <= len(batches)
}

// groups is the minimum number of groups of batches for confidence intervals; there are at most
// 2*groups-1.
const groups = 20

// total holds a sum of values and their number.
type total struct{ sum, count float64 }

// estimate returns the mean of all values and the half-width of its 95 % confidence interval by
// batch means (Law and Kelton, Simulation Modeling and Analysis). The half-width is infinite if
// there are too few batches.
func estimate(batches []total) (mean, half float64) {
	var all total
	for _, b := range batches {
		all.sum += b.sum
		all.count += b.count
	}
	if all.count == 0 {
		return 0, math.Inf(1)
	}
	mean = all.sum / all.count
	means := grouped(batches)
	if len(means) < groups {
		return mean, math.Inf(1)
	}
	center, squares := 0.0, 0.0
	for _, m := range means {
		center += m / float64(len(means))
	}
	for _, m := range means {
		squares += float64((m - center) * (m - center))
	}
	df := float64(len(means) - 1)
	return mean, student(df) * math.Sqrt(squares/df/float64(len(means)))
}

// grouped merges adjacent batches into at least groups groups of equal size and returns their
// means. Left-over batches at the start are dropped.
func grouped(batches []total) []float64 {
	size := len(batches) / groups
	if size == 0 {
		return nil
	}
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

// student approximates the 97.5 % quantile of Student's distribution by an expansion in powers of
// 1/df. It is accurate to three digits for df >= 15.
func student(df float64) float64 { return 1.95996 + 2.3723/df + 2.8225/(df*df) }
