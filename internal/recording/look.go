package recording

import (
	"fabricast/fabric"
	"fabricast/internal/units"
)

// A look (a period of a run that is simulated again in more detail) records only this period, and
// possibly only some ranks.

// narrow restricts a recorder to events that end at or after time `from`, and to the given ranks.
func (r *Recorder) narrow(from units.Time, ranks []int) {
	r.from = int64(from)
	if ranks != nil {
		r.ranks = map[int32]bool{}
		for _, rank := range ranks {
			r.ranks[int32(rank)] = true
		}
	}
}

// looksAt reports whether to record an event of the given ranks that ended at a time (ps).
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

// emptied returns the bin, without its rows if it ended before the look starts.
func (r *Recorder) emptied(bin *fabric.Bin) *fabric.Bin {
	if int64(bin.Begin+bin.Interval) > r.from {
		return bin
	}
	return &fabric.Bin{Begin: bin.Begin, Interval: bin.Interval, Next: bin.Next}
}
