package node

import (
	"errors"
	"fmt"
)

// errNoAnswers is what a program panics with that needs NICs to answer where they do not.
var errNoAnswers = errors.New("this needs NICs that answer messages: set Replies of the node.Spec")

// errInactive is what a program panics with that uses a request wrongly.
var errInactive = errors.New("the request is not active: it has been waited for already, or is another rank's")

// errTwice is what a program panics with that names a request twice in one wait.
var errTwice = errors.New("the same request is named twice in one wait")

// errFull is what a program panics with that has too much outstanding.
var errFull = fmt.Errorf("more than %d requests or messages are outstanding in one block of the network", maxElements-1)

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

// fail ends a rank with an error at a time of its clock (ps).
//
// Of several errors the one counts that came up at the earliest time of its
// host. The other ranks go on until whoever runs the blocks looks at Failed;
// since host times never decrease, nothing that comes up meanwhile can change which error is the first.
func (b *Block) fail(r *rank, at int64, err error) {
	r.state = failed
	b.drop(r)
	b.report(r.id, at, err)
}

// report makes an error that of the run if it is the first.
func (b *Block) report(rank int32, at int64, err error) {
	f := &b.world.failure
	f.Lock()
	defer f.Unlock()
	if f.first == nil || b.now < f.found || b.now == f.found && int(rank) < f.first.Rank {
		f.first, f.found = &RankError{Rank: int(rank), Time: at, Err: err}, b.now
	}
	f.any.Store(true)
}

// Failed tells whether a rank has failed. Any goroutine may call it.
func (w *World) Failed() bool { return w.failure.any.Load() }

// Err returns the first error of a rank, a *RankError, or nil.
func (w *World) Err() error {
	w.failure.Lock()
	defer w.failure.Unlock()
	if w.failure.first == nil {
		return nil
	}
	return w.failure.first
}
