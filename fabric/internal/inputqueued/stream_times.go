package inputqueued

import (
	"unsafe"

	"fabricast/fabric/internal/core"
)

// Where rates differ, packets may take fractions of a ps, which stay small in sum because they are carried
// from packet to packet. The times of a stream are then those of a core.Rhythm. If its packets follow one
// another at once, a tail leaves when the next head starts: the time between varies by 1 ps.

// unevenStream is the record of a stream where rates differ.
type unevenStream struct {
	stream
	fractions
}

// fractions is what an unevenStream has more than a stream: the fractions of the intervals, and whether
// tails arrive when the next packet is eligible, and leave when the next one starts. Without fractions
// these times follow from span and full.
type fractions struct {
	arriving, departing   core.Fraction
	inAtOnce, leaveAtOnce bool
}

// unevenPart returns the record of which s is a part.
func (s *stream) unevenPart() *unevenStream { return (*unevenStream)(unsafe.Pointer(s)) }

// arrivals returns the packets announced that are not queued.
func (s *stream) arrivals() arrivals {
	a := arrivals{core.Times{First: s.packet.Time, Rhythm: core.Rhythm{Step: s.step}}, s.told - s.queued, s.span, false}
	if s.uneven {
		x := s.unevenPart()
		a.Fraction, a.atOnce = x.arriving, x.inAtOnce
	}
	return a
}

// expectAt sets the times of the packets announced that are not queued.
func (s *stream) expectAt(a arrivals) {
	s.packet.Time, s.step, s.span = a.First, a.Step, a.span
	if s.uneven {
		x := s.unevenPart()
		x.arriving, x.inAtOnce = a.Fraction, a.atOnce
	}
}

// readyAt returns the time (ps) at which arrival i is eligible for its output.
// Of those queued, it is only known that they have waited.
func (s *stream) readyAt(i uint32) int64 {
	switch {
	case i < s.queued:
		return 0
	case s.uneven:
		a := s.arrivals()
		return a.At(i - s.queued)
	}
	return s.packet.Time + int64(i-s.queued)*s.step
}

// spanOf returns the time (ps) from when arrival i is eligible until its tail has arrived.
func (s *stream) spanOf(i uint32) uint32 {
	if s.uneven && s.unevenPart().inAtOnce && i >= s.queued {
		return uint32(s.readyAt(i+1) - s.readyAt(i))
	}
	return s.span
}

// starts returns the times at which the departures start.
func (s *stream) starts() core.Times {
	t := core.Times{First: s.start, Rhythm: core.Rhythm{Step: s.pace}}
	if s.uneven {
		t.Fraction = s.unevenPart().departing
	}
	return t
}

// evenStarts returns the times at which the departures from the k-th on start, where rates are equal.
func (s *stream) evenStarts(k uint32) core.Even {
	return core.Even{First: s.start + int64(k)*s.pace, Step: s.pace}
}

// startsFrom returns the times at which the departures from the k-th on start.
func (s *stream) startsFrom(k uint32) core.Times {
	if !s.uneven {
		return core.Times{First: s.startOf(k), Rhythm: core.Rhythm{Step: s.pace}}
	}
	return s.starts().From(k)
}

// departAt sets the times of the departures. Each takes `full` ps. If atOnce is set, a fraction is added, and
// they follow one another at once.
func (s *stream) departAt(t core.Times, full int64, atOnce bool) {
	s.start, s.pace, s.full = t.First, t.Step, uint32(full)
	if s.uneven {
		x := s.unevenPart()
		x.departing, x.leaveAtOnce = t.Fraction, atOnce
	}
}

// atOnce reports whether departures follow one another at once.
func (s *stream) atOnce() bool {
	return s.pace == int64(s.full) && (!s.uneven || s.unevenPart().departing.Per == 0) || s.uneven && s.unevenPart().leaveAtOnce
}

// startOf returns the time (ps) at which departure i starts.
func (s *stream) startOf(i uint32) int64 {
	if s.uneven {
		return s.unevenStart(i)
	}
	return s.start + int64(i)*s.pace
}

// unevenStart is startOf where rates differ.
func (s *stream) unevenStart(i uint32) int64 {
	t := s.starts()
	return t.At(i)
}

// leaveOf returns the time (ps) at which the tail of departure i leaves.
func (s *stream) leaveOf(i uint32) int64 {
	if s.uneven {
		return s.unevenLeave(i)
	}
	return s.start + int64(i)*s.pace + int64(s.full)
}

// unevenLeave is leaveOf where rates differ.
func (s *stream) unevenLeave(i uint32) int64 {
	t := s.leaves()
	return t.At(i)
}

// leaves returns the times at which the tails of the departures leave.
func (s *stream) leaves() core.Times {
	if s.uneven && s.unevenPart().leaveAtOnce {
		return s.starts().From(1)
	}
	return s.starts().After(int64(s.full))
}

// leavesFrom returns the times at which the tails of the departures from the k-th on leave.
func (s *stream) leavesFrom(k uint32) core.Times {
	if !s.uneven {
		return s.startsFrom(k).After(int64(s.full))
	}
	return s.leaves().From(k)
}

// before returns the number of departures that start before a time (ps).
func (s *stream) before(at int64) uint32 {
	if !s.uneven {
		return s.evenStarts(0).UpTo(at-1, s.count)
	}
	t := s.starts()
	return t.UpTo(at-1, s.count)
}

// leftBy returns the number of departures of which the tails have left by a time (ps).
func (s *stream) leftBy(at int64) uint32 {
	if !s.uneven {
		return s.evenStarts(0).UpTo(at-int64(s.full), s.count)
	}
	t := s.leaves()
	return t.UpTo(at, s.count)
}

// fits returns how many of the n packets that arrive from index i on, none of them queued, are eligible
// when departures start at the given times, and have arrived when each takes its time through the output,
// one right after the other.
func (a *arrivals) fits(i uint32, starts core.Times, n uint32) uint32 {
	if n == 0 {
		return 0
	}
	ready := a.Times.From(i)
	if a.atOnce { // a tail arrives when the next packet does
		return max(1, ready.NoLater(starts, n+1)) - 1
	}
	n = ready.NoLater(starts, n)
	return ready.After(int64(a.span)).NoLater(starts.From(1), n)
}
