package oracle

import "math/bits"

// second is the number of picoseconds in a second.
const second = 1_000_000_000_000

// server transfers bytes at a fixed rate, one transfer after the other: a link with its crossbar
// port, or a DMA channel.
type server struct {
	rate     int64  // bytes/s
	end      int64  // ps: end of the latest transfer
	fraction uint64 // remainder of a picosecond after the latest transfer, in 1/rate ps
}

// transfer returns the time (ps) at which a transfer of n bytes from time start ends. Rounding does
// not accumulate over transfers without a gap: the fraction of a picosecond is carried over.
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

// would returns what transfer would return, without making the transfer.
func (s *server) would(start, n int64) int64 {
	other := *s
	return other.transfer(start, n)
}
