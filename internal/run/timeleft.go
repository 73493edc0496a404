package run

import "time"

// speed estimates how fast a run proceeds. It counts from the first work done, because the first
// window of a large network takes a while.
type speed struct {
	begun time.Duration // wall-clock time since the start; 0 if no work has been seen yet
	done  float64       // work done at that time
}

// leastShare is the share of a run's work after which the remaining time is estimated.
const leastShare = 0.002

// rest holds the share of a run that is done, and the estimated remaining time. Both are zero while
// unknown.
type rest struct {
	share float64
	left  time.Duration
}

// look updates the estimate at the given time since the start. work returns the work done and its
// total, which is 0 if unknown.
func (s *speed) look(elapsed time.Duration, work func() (done, total float64)) rest {
	done, total := work()
	if s.begun == 0 && done > 0 {
		s.begun, s.done = elapsed, done
	}
	done = min(done, total)
	if total <= 0 || done-s.done < leastShare*total {
		return rest{}
	}
	return rest{done / total, time.Duration(float64(elapsed-s.begun) * (total - done) / (done - s.done))}
}
