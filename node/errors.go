package node

import (
	"errors"
	"fmt"
)

// errInactive is what a program panics with that uses a request wrongly.
var errInactive = errors.New("the request is not active: it has been waited for already, or is another rank's")

// RankError is an error of a rank's program.
type RankError struct {
	Rank int
	Time int64 // ps, of the rank's clock
	Err  error
}

func (e *RankError) Error() string {
	return fmt.Sprintf("rank %d at %d ps: %v", e.Rank, e.Time, e.Err)
}

func (e *RankError) Unwrap() error { return e.Err }

// fail ends a rank with an error. The other ranks go on until whoever runs the
// blocks looks at Failed, so that the first error does not depend on the
// order in which blocks run.
func (b *Block) fail(r *rank, at int64, err error) {
	r.state = failed
	b.drop(r)
	f := &b.world.failure
	f.Lock()
	defer f.Unlock()
	e := &RankError{Rank: int(r.id), Time: at, Err: err}
	if f.first == nil || e.Time < f.first.Time || e.Time == f.first.Time && e.Rank < f.first.Rank {
		f.first = e
	}
	f.any.Store(true)
}

// Failed tells whether a rank has failed. Any goroutine may call it.
func (w *World) Failed() bool { return w.failure.any.Load() }

// Err returns the first error of a rank, by simulated time and then by rank: a *RankError, or nil.
func (w *World) Err() error {
	w.failure.Lock()
	defer w.failure.Unlock()
	if w.failure.first == nil {
		return nil
	}
	return w.failure.first
}
