package recording

import (
	"fabricast/fabric"
	"fabricast/internal/units"
)

// A look at a period of a run records that period only, and of some ranks only.

// narrow makes a recorder leave out what is not looked at.
func (r *Recorder) narrow(from units.Time, ranks []int) {
	r.from = int64(from)
	if ranks != nil {
		r.ranks = map[int32]bool{}
		for _, rank := range ranks {
			r.ranks[int32(rank)] = true
		}
	}
}

// looksAt reports whether something that ended at a time (ps), of some ranks, is to be recorded.
func (r *Recorder) looksAt(end int64, ranks ...int32) bool {
	if end < r.from {
		return false
	}
	for _, rank := range ranks {
		if r.ranks[rank] {
			return true
		}
	}
	return r.ranks == nil
}

// emptied returns a bin without its rows if it ended before a look.
func (r *Recorder) emptied(bin *fabric.Bin) *fabric.Bin {
	if int64(bin.Begin+bin.Interval) > r.from {
		return bin
	}
	return &fabric.Bin{Begin: bin.Begin, Interval: bin.Interval, Next: bin.Next}
}
