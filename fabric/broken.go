package fabric

import (
	"fmt"
	"math"
)

// Broken is a violated invariant of the model: a fault in Fabricast itself.
type Broken struct{ What string }

func (e *Broken) Error() string { return "broken invariant: " + e.What }

func broken(format string, args ...any) error { return &Broken{fmt.Sprintf(format, args...)} }

// LimitError is the value a block panics with when a run needs more of something than the engine
// can number.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

var (
	errPackets  = &LimitError{Reason: "more packets in the network at once than can be numbered"}
	errLong     = &LimitError{Reason: fmt.Sprintf("a message of more than %d packets", math.MaxUint32)}
	errTooMany  = &LimitError{Reason: "a state of more packets or messages than can be numbered"}
	errMessages = &LimitError{Reason: "more messages under way at once than can be numbered"}
)
