package oracle

import "math/bits"

// second is the number of picoseconds in a second.
const second = 1_000_000_000_000

// server transfers bytes at a fixed rate, one transfer after another. It represents a link with its
// crossbar port, or a DMA channel.
type server struct {
	rate     int64  // rate in bytes per second
	end      int64  // end of the latest transfer (ps)
	fraction uint64 // remainder of a picosecond after the latest transfer, in 1/rate ps
}

// transfer returns the end (ps) of a transfer of n bytes that starts at time start. Rounding errors
// do not accumulate over back-to-back transfers: the fraction of a picosecond is carried over.
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

// would returns the result of transfer without making the transfer.
func (s *server) would(start, n int64) int64 {
	other := *s
	return other.transfer(start, n)
}
