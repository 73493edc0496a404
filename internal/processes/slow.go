package processes

import (
	"runtime"
	"time"
)

// Slow returns the group with links on which everything takes longer by a delay, such as between
// machines that are far apart. It is for tests and benchmarks.
func Slow(g Group, delay time.Duration) Group { return &slow{g, delay} }

type slow struct {
	Group
	delay time.Duration
}

// wait waits for the delay. It does not sleep, which may take a millisecond.
func (s *slow) wait() {
	for begin := time.Now(); time.Since(begin) < s.delay; {
		runtime.Gosched()
	}
}

// Least implements Group.
func (s *slow) Least(values []int64) {
	s.wait()
	s.Group.Least(values)
}

// Exchange implements Group.
func (s *slow) Exchange(to [][]byte) [][]byte {
	s.wait()
	return s.Group.Exchange(to)
}

// Swap implements Group.
func (s *slow) Swap(to [][]byte) [][]byte {
	s.wait()
	return s.Group.Swap(to)
}
