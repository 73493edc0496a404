package oracle

import "math/bits"

// second is the number of picoseconds in a second.
const second = 1_000_000_000_000

// server moves bytes at a fixed rate, one transfer after the other: a link
// behind its crossbar port, or a DMA channel.
type server struct {
	rate     int64  // bytes/s
	end      int64  // ps: when the latest transfer ended
	fraction uint64 // what the latest transfer left of a picosecond, in 1/rate ps
}

// transfer returns the instant at which n bytes started at the given time have
// been moved, by the server's rate alone. Transfers without a gap lose nothing
// to rounding: the fraction of a picosecond is carried over.
func (s *server) transfer(start, n int64) int64 {
	if start != s.end {
		s.fraction = 0
	}
	hi, lo := bits.Mul64(uint64(n), second)
	lo, carry := bits.Add64(lo, s.fraction, 0)
	duration, rest := bits.Div64(hi+carry, lo, uint64(s.rate))
	s.fraction = rest
	s.end = start + int64(duration)
	return s.end
}

// would is the instant at which n bytes that start at the given time would have been
// moved.
func (s *server) would(start, n int64) int64 {
	other := *s
	return other.transfer(start, n)
}
