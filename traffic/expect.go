package traffic

import "math"

// Work returns the work done so far and an estimate of the total, both as the number of packets
// plus packet hops. The total is 0 if it is unknown. It is extrapolated from the precision reached
// so far. Work may be called concurrently with Run.
func (s *Simulation) Work() (done, total float64) {
	t := s.network.Progress()
	now := int64(math.MaxInt64)
	for _, p := range s.parts {
		now = min(now, p.Now())
	}
	packets, hops := float64(t.Packets), float64(t.Hops)
	done = packets + hops
	if t.Packets == 0 || now == 0 {
		return done, 0
	}
	// on average, these packets have made half of their hops
	inside := float64(t.Packets - min(t.Delivered, t.Packets))
	each := 1 + hops/(packets-inside/2)
	until := float64(max(s.expected.Load(), now))
	if s.emptying.Load() {
		until = float64(now)
	}
	return done, max(done, packets*until/float64(now)*each)
}

// expect estimates the time at which sources will stop, from the minimum length of the measurement
// and the variation between batches so far. The estimate is used only for progress reports.
func (s *Simulation) expect(o *Outcome) {
	n, most := int(s.now/s.batch), int((s.measure.Longest+s.batch-1)/s.batch)
	var end int
	switch {
	case o.To > 0:
		end = n
	case o.From > 0:
		from := int(o.From / s.batch)
		since := from
		if n-from < telling {
			since = min(from, n/2) // too few batches: use the second half of all batches, as in the warm-up
		}
		end = from + min(most, s.expectedLength(n-from, min(most, s.needed(since, n)))) + 1
	default:
		warm := min(most, max(leastWarm, n+1+n/warmShare))
		length := s.expectedLength(0, min(most, s.needed(n/2, n)))
		end = warm + 1 + min(most, lookFrom(length+1)) + 1 // often, one more check is necessary than expected now
	}
	s.expected.Store(int64(end) * s.batch)
	s.expectations = append(s.expectations, int64(end)*s.batch)
}

// telling is the minimum number of batches whose variation is used for estimates.
const telling = 4

// leastWarm is the minimum length of the warm-up, in batches. During the warm-up, its remaining
// time is estimated as 1/warmShare of the time so far.
const (
	leastWarm = 10
	warmShare = 4
)

// needed estimates the number of batches after which the results are precise enough, from the
// variation of batches from to to-1. It returns 0 if it is unknown.
func (s *Simulation) needed(from, to int) int {
	begin, end := int64(from)*s.batch, int64(to)*s.batch
	n := neededOf(s.throughputBatches(begin, end), s.measure.Precision)
	if s.growth(min(from, len(s.samples)-1)) > s.measure.Tolerance {
		return n
	}
	return max(n, neededOf(s.latencyBatches(begin, end), s.measure.Precision))
}

// neededOf estimates the number of batches after which the confidence interval of the mean is
// narrow enough, from the given batches. It returns 0 if it is unknown.
func neededOf(batches []total, precision float64) int {
	if len(batches) < telling {
		return 0
	}
	if i := estimate(batches); !math.IsInf(i.half, 1) {
		return atMost(float64(len(batches)) * square(i.half/float64(precision*i.mean)))
	}
	var sum, squares, n float64
	for _, b := range batches {
		if b.count > 0 {
			v := b.sum / b.count
			sum, squares, n = sum+v, squares+float64(v*v), n+1
		}
	}
	mean := sum / max(1, n)
	variance := max(0, squares/max(1, n)-float64(mean*mean))
	return atMost(square(student(n)/float64(precision*mean)) * variance)
}

func square(x float64) float64 { return x * x }

// atMost rounds n up, to at most 2^30.
func atMost(n float64) int {
	const most = 1 << 30
	if !(n < most) { // also true for NaN
		return most
	}
	return int(math.Ceil(n))
}
