// Package clustertest provides groups of processes for tests.
package clustertest

import (
	"runtime"
	"time"

	"fabricast/internal/cluster"
)

// Slow returns a group whose operations take longer by a delay, as between distant machines.
func Slow(g cluster.Group, delay time.Duration) cluster.Group {
	return &slow{Group: g, delay: delay}
}

type slow struct {
	cluster.Group
	delay   time.Duration
	started time.Time // time of the last StartLeast
}

// wait waits for the delay. It does not sleep, since a sleep may take a millisecond.
func (s *slow) wait() {
	s.waitFrom(time.Now())
}

// waitFrom waits until the delay has passed since the given time.
func (s *slow) waitFrom(begin time.Time) {
	for time.Since(begin) < s.delay {
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

// Trade implements Group.
func (s *slow) Trade(with []int, to [][]byte) [][]byte {
	s.wait()
	return s.Group.Trade(with, to)
}

// StartLeast implements Group.
func (s *slow) StartLeast(values []int64) {
	s.started = time.Now()
	s.Group.StartLeast(values)
}

// FinishLeast implements Group.
func (s *slow) FinishLeast(values []int64) {
	s.waitFrom(s.started)
	s.Group.FinishLeast(values)
}
