package node

import (
	"errors"
	"fmt"

	"fabricast/internal/units"
)

// errNoAnswers is the panic of a program that needs NICs to answer messages in a world whose NICs
// do not.
var errNoAnswers = errors.New("this needs NICs that answer messages: set Replies of the node.Spec")

// errInactive is the panic of a program that uses a request that is not active.
var errInactive = errors.New(
	"the request is not active: it has been waited for already, or is another rank's",
)

// errTwice is the panic of a program that names a request twice in one wait.
var errTwice = errors.New("the same request is named twice in one wait")

// errFull is the panic of a program that has too many requests or messages outstanding.
var errFull = fmt.Errorf(
	"more than %d requests or messages are outstanding in one block of the network",
	maxElements-1,
)

// RankError is an error of a rank's program.
type RankError struct {
	Rank int
	Time units.Time // of the rank's clock
	Err  error
}

func (e *RankError) Error() string {
	return fmt.Sprintf("rank %d at %d ps: %v", e.Rank, e.Time, e.Err)
}

func (e *RankError) Unwrap() error { return e.Err }

// Failed reports whether a rank has failed. Any goroutine may call it.
func (w *World) Failed() bool { return w.failure.any.Load() }

// ForgetFailure forgets an error that a rank has had at the simulated time `since` (ps) or later: the
// world has been restored to what it was then.
func (w *World) ForgetFailure(since int64) {
	f := &w.failure
	f.Lock()
	defer f.Unlock()
	if f.first != nil && f.found >= since {
		f.first, f.found = nil, 0
		f.any.Store(false)
	}
}

// Err returns the first error of a rank, a *RankError, or nil.
func (w *World) Err() error {
	w.failure.Lock()
	defer w.failure.Unlock()
	if w.failure.first == nil {
		return nil
	}
	return w.failure.first
}
