package core

import (
	"errors"
	"fmt"

	"fabricast/internal/units"
)

// ErrNoAnswers is the panic value for a program that needs NICs to reply to messages in a world
// whose NICs do not.
var ErrNoAnswers = errors.New("this needs NICs that answer messages: set Replies of the node.Spec")

// ErrInactive is the panic value for a program that uses a request that is not active.
var ErrInactive = errors.New(
	"the request is not active: it has been waited for already, or is another rank's",
)

// ErrTwice is the panic value for a program that passes the same request twice to one wait.
var ErrTwice = errors.New("the same request is named twice in one wait")

// errFull is the panic value for a program that has too many outstanding requests or messages.
var errFull = fmt.Errorf(
	"more than %d requests or messages are outstanding in one block of the network",
	maxElements-1,
)

// RankError is an error of a rank's program.
type RankError struct {
	Rank int
	Time units.Time // time on the rank's clock
	Err  error
}

func (e *RankError) Error() string {
	return fmt.Sprintf("rank %d at %d ps: %v", e.Rank, e.Time, e.Err)
}

func (e *RankError) Unwrap() error { return e.Err }
