package paths

import (
	"fabricast/fabric/model"
	"fabricast/internal/random"
)

// draws are the random numbers of a flow, by a counter: they depend on nothing but its seed.
type draws struct{ Seed, Count uint64 }

// below returns a number from 0 to n-1.
func (d *draws) below(n int) uint16 {
	d.Count++
	return uint16(random.Below(d.Seed, d.Count, uint64(n)))
}

// flow has the methods of a Chooser whose state of a flow is a T, and that learns nothing.
type flow[T any] struct{}

// Words implements Chooser.
func (flow[T]) Words() int { return model.Words[T]() }

// of returns the state of a flow in its words.
func (flow[T]) of(s []uint64) *T { return model.StateIn[T](s) }

// Acked implements Chooser.
func (flow[T]) Acked([]uint64, uint16, bool, int64) {}

// Cut implements Chooser.
func (flow[T]) Cut([]uint64, uint16, int64) {}

// Expired implements Chooser.
func (flow[T]) Expired([]uint64, uint16, int64) {}
