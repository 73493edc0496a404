package core

import "math/bits"

// Rhythm is a constant interval: of Step ps and, unless Per is 0, Part/Per ps. Multiples of it are rounded
// down after adding Phase/Per ps. It is what packets have that are transferred one right after the other.
type Rhythm struct {
	Step int64
	Fraction
}

// Fraction is a part of a ps, in lowest terms, and the fraction at which a Rhythm begins.
type Fraction struct{ Part, Per, Phase uint64 }

// Rhythm returns the rhythm of transfers of n bytes each, the first of which begins after one that left the
// given fraction. It returns false if its numbers are too large.
func (r Rate) Rhythm(n int64, fraction uint64) (Rhythm, bool) {
	step, rest := r.Duration(n, 0)
	if rest == 0 {
		return Rhythm{Step: step}, true
	}
	g, more := r.perSecond, rest
	for more != 0 {
		g, more = more, g%more
	}
	f := Fraction{rest / g, r.perSecond / g, fraction / g}
	hi, lo := bits.Mul64(uint64(step)+1, f.Per)
	return Rhythm{step, f}, hi == 0 && lo>>63 == 0
}

// Multiple returns i times the interval (ps).
func (r *Rhythm) Multiple(i uint32) int64 {
	at := int64(i) * r.Step
	if r.Per != 0 {
		hi, lo := bits.Mul64(uint64(i), r.Part)
		lo, carry := bits.Add64(lo, r.Phase, 0)
		whole, _ := bits.Div64(hi+carry, lo, r.Per)
		at += int64(whole)
	}
	return at
}

// Sum returns the sum of the first n multiples, from 0 times the interval on, modulo 2^64.
func (r *Rhythm) Sum(n uint32) int64 {
	return triangle(int64(n))*r.Step + int64(r.wholes(n))
}

// wholes returns the sum of (i*Part+Phase)/Per, each rounded down, for all i below n, modulo 2^64. Like
// Euclid's algorithm it reduces the sum to one with Per and Part exchanged: it counts the points below a
// line by rows, then by columns.
func (f *Fraction) wholes(n uint32) (sum uint64) {
	if f.Per == 0 {
		return 0
	}
	points, slope, from, per := uint64(n), f.Part, f.Phase, f.Per
	for {
		sum += uint64(triangle(int64(points)))*(slope/per) + points*(from/per)
		slope, from = slope%per, from%per
		hi, lo := bits.Mul64(points, slope)
		lo, carry := bits.Add64(lo, from, 0)
		rows, rest := bits.Div64(hi+carry, lo, per)
		if rows == 0 {
			return sum
		}
		points, slope, from, per = rows, per, rest, slope
	}
}

// from returns the fraction of the multiples that begin with the k-th.
func (f Fraction) from(k uint32) Fraction {
	if f.Per != 0 {
		hi, lo := bits.Mul64(uint64(k), f.Part)
		lo, carry := bits.Add64(lo, f.Phase, 0)
		f.Phase = bits.Rem64(hi+carry, lo, f.Per)
	}
	return f
}

// compare returns -1 if x/xPer is less than y/yPer, 0 if they are equal, and 1 otherwise. A denominator of 0
// stands for the number 0.
func compare(x, xPer, y, yPer uint64) int {
	hi, lo := bits.Mul64(x, max(yPer, 1))
	hi2, lo2 := bits.Mul64(y, max(xPer, 1))
	switch {
	case hi < hi2 || hi == hi2 && lo < lo2:
		return -1
	case hi == hi2 && lo == lo2:
		return 0
	}
	return 1
}

// compareTo compares the lengths of two intervals, like compare.
func (r *Rhythm) compareTo(q *Rhythm) int {
	switch {
	case r.Step < q.Step:
		return -1
	case r.Step > q.Step:
		return 1
	}
	return compare(r.Part, r.Per, q.Part, q.Per)
}

// Longer reports whether the interval is longer than another.
func (r *Rhythm) Longer(q *Rhythm) bool { return r.compareTo(q) > 0 }

// Even are the times First, First+Step, ... (ps).
type Even struct{ First, Step int64 }

// UpTo is like Times.UpTo.
func (t Even) UpTo(at int64, n uint32) uint32 {
	switch late := at - t.First; {
	case late < 0:
		return 0
	case late < int64(n)*t.Step:
		return uint32(late/t.Step) + 1
	}
	return n
}

// NoLater is like Times.NoLater.
func (t Even) NoLater(u Even, n uint32) uint32 {
	lead, more := u.First-t.First, t.Step-u.Step
	switch {
	case lead < 0:
		return 0
	case lead < int64(n)*more:
		return uint32(lead/more) + 1
	}
	return n
}

// Times are the times First, and multiples of a rhythm after it (ps).
type Times struct {
	First int64
	Rhythm
}

// even returns the times, which have no fractions.
func (t *Times) even() Even { return Even{t.First, t.Step} }

// At returns time i (ps).
func (t *Times) At(i uint32) int64 { return t.First + t.Multiple(i) }

// From returns the times from the k-th on.
func (t Times) From(k uint32) Times {
	t.First, t.Fraction = t.At(k), t.from(k)
	return t
}

// Earlier returns the times with another one before the first.
func (t Times) Earlier() Times {
	if t.Per != 0 {
		t.Phase = (t.Phase + t.Per - t.Part) % t.Per
	}
	t.First -= t.Multiple(1)
	return t
}

// After returns the times so many ps later.
func (t Times) After(ps int64) Times {
	t.First += ps
	return t
}

// Total returns the sum of the first n times (ps), modulo 2^64.
func (t *Times) Total(n uint32) int64 { return int64(n)*t.First + t.Sum(n) }

// UpTo returns how many of the first n times are at most `at` (ps).
func (t *Times) UpTo(at int64, n uint32) uint32 {
	if at < t.First {
		return 0
	}
	if t.Per == 0 {
		return t.even().UpTo(at, n)
	}
	late := uint64(at - t.First)
	// i*(Step*Per+Part) + Phase < (late+1)*Per
	each := uint64(t.Step)*t.Per + t.Part
	hi, lo := bits.Mul64(late+1, t.Per)
	lo, borrow := bits.Sub64(lo, t.Phase+1, 0)
	if hi -= borrow; hi >= each {
		return n
	}
	last, _ := bits.Div64(hi, lo, each)
	return uint32(min(uint64(n), last+1))
}

// mostExamined is the number of times that NoLater examines by themselves.
const mostExamined = 64

// NoLater returns a number up to n of first times none of which is after the same one of u. It is the largest
// such number if both have one interval, or no fractions.
func (t Times) NoLater(u Times, n uint32) uint32 {
	if t.Per|u.Per == 0 {
		return t.even().NoLater(u.even(), n)
	}
	if n == 0 || u.First < t.First {
		return 0
	}
	k := uint32(1)
	switch c := t.compareTo(&u.Rhythm); {
	case c <= 0 && t.neverAfter(&u):
		return n
	case c == 0:
		return t.firstAfter(&u, n)
	case c > 0:
		k = t.ahead(&u, n)
	}
	for last := k + mostExamined; k < n && k < last && t.At(k) <= u.At(k); k++ {
		if v, w := t.From(k), u.From(k); v.compareTo(&w.Rhythm) < 0 && v.neverAfter(&w) {
			return n
		}
	}
	return k
}

// neverAfter reports whether no time is after the same one of u, whose interval is not shorter.
func (t *Times) neverAfter(u *Times) bool {
	return t.First < u.First || t.First == u.First && compare(t.Phase, t.Per, u.Phase, u.Per) <= 0
}

// firstAfter returns the first of n times that is after the same one of u, or n. Both begin at the same time
// and have one interval.
func (t *Times) firstAfter(u *Times, n uint32) uint32 {
	later := func(k uint32) bool { return t.wholes(k) != u.wholes(k) } // none is earlier
	if !later(n) {
		return n
	}
	none, some := uint32(1), n
	for some-none > 1 {
		if k := none + (some-none)/2; later(k) {
			some = k
		} else {
			none = k
		}
	}
	return some - 1
}

// ahead returns a number up to n of first times none of which is after the same one of u, whose interval is
// shorter. If one time is earlier, then none before it is later, as both are rounded by less than 1 ps.
func (t *Times) ahead(u *Times, n uint32) uint32 {
	none, some := uint32(1), n // of so many first times, the last is not known to be earlier; not all are
	for none < some {
		k := none + (some-none+1)/2
		if t.At(k-1) < u.At(k-1) {
			none = k
		} else {
			some = k - 1
		}
	}
	return none
}
