// Package histogram counts times (ps) in log-linear buckets and reads means and percentiles from
// them.
package histogram

import "math/bits"

// Histogram counts times in ps in log-linear buckets: exact up to 512 ps, then
// 256 buckets for every doubling, so a percentile is at most 0.4 % too low. It merges exactly.
type Histogram struct {
	count   int64
	sum     [2]uint64 // of all values, high and low word
	largest int64
	first   int // index of the first element of buckets, a multiple of the number of buckets for a doubling
	buckets []int64
}

// subBits is the logarithm to base 2 of the number of buckets for every doubling.
const subBits = 8

// bucketOf returns the bucket of a value; lowest returns the smallest value of a bucket.
func bucketOf(v int64) int {
	shift := max(0, bits.Len64(uint64(v))-subBits-1)
	return shift<<subBits + int(v>>shift)
}

func lowest(bucket int) int64 {
	shift := max(0, bucket>>subBits-1)
	return int64(bucket-shift<<subBits) << shift
}

// Record counts one value, which must not be negative.
func (h *Histogram) Record(v int64) {
	i := bucketOf(v)
	if uint(i-h.first) >= uint(len(h.buckets)) {
		h.grow(i, i+1)
	}
	h.buckets[i-h.first]++
	h.count++
	h.largest = max(h.largest, v)
	var carry uint64
	h.sum[1], carry = bits.Add64(h.sum[1], uint64(v), 0)
	h.sum[0] += carry
}

// grow extends buckets to include those from `from` to end-1.
func (h *Histogram) grow(from, end int) {
	if len(h.buckets) != 0 {
		from, end = min(from, h.first), max(end, h.first+len(h.buckets))
	}
	from = from >> subBits << subBits
	b := make([]int64, (end-from+1<<subBits-1)>>subBits<<subBits)
	if len(h.buckets) != 0 {
		copy(b[h.first-from:], h.buckets)
	}
	h.first, h.buckets = from, b
}

// Add counts everything that o has counted.
func (h *Histogram) Add(o *Histogram) {
	if end := o.first + len(o.buckets); len(o.buckets) != 0 {
		if len(h.buckets) == 0 || o.first < h.first || end > h.first+len(h.buckets) {
			h.grow(o.first, end)
		}
		for i, n := range o.buckets {
			h.buckets[o.first-h.first+i] += n
		}
	}
	h.count += o.count
	h.largest = max(h.largest, o.largest)
	var carry uint64
	h.sum[1], carry = bits.Add64(h.sum[1], o.sum[1], 0)
	h.sum[0] += o.sum[0] + carry
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.count }

// Max returns the largest value, 0 if there are none.
func (h *Histogram) Max() int64 { return h.largest }

// Mean returns the mean, rounded down to a whole ps; 0 if there are no values.
func (h *Histogram) Mean() int64 {
	if h.count == 0 {
		return 0
	}
	q, _ := bits.Div64(h.sum[0], h.sum[1], uint64(h.count))
	return int64(q)
}

// Quantile returns the smallest value that is not exceeded by at least the share q (0 to 1) of all
// values, to the resolution of the buckets.
func (h *Histogram) Quantile(q float64) int64 {
	want := max(1, int64(q*float64(h.count)+0.5))
	seen := int64(0)
	for i, n := range h.buckets {
		if seen += n; seen >= want {
			return min(lowest(h.first+i), h.largest)
		}
	}
	return h.largest
}
