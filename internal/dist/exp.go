package dist

// ln2Fixed is ln 2.
const ln2Fixed = ln2 >> (64 - Bits)

// mostExp is the largest argument of Exp, a little below ln(2^22).
const mostExp = 15 * One

// Exp returns e^x for a fixed-point number x, with a relative error below 2^-26 from x = -9 on. What
// is larger than e^15 is that.
func Exp(x int64) int64 {
	x = min(x, mostExp)
	k := x / ln2Fixed
	if x < 0 {
		k--
	}
	rest := x - k*ln2Fixed // from 0 to ln 2
	sum, term := int64(One), int64(One)
	for n := int64(1); term > 0; n++ {
		term = Times(term, rest) / n
		sum += term
	}
	switch {
	case k >= 0:
		return sum << k
	case k > -Bits:
		return sum >> -k
	}
	return 0
}

// LogNormal returns the product of median and e^(sigma z), for z from Normal and sigma in percent,
// rounded down, at least 1 and at most most. median is below 2^40.
func LogNormal(median, sigma, z, most int64) int64 {
	return max(1, min(most, Times(median, Exp(z/100*sigma))))
}
