package model

import (
	"fmt"
	"math"
)

// Broken reports a violated invariant of the model, that is, a bug in Fabricast.
type Broken struct{ What string }

func (e *Broken) Error() string { return "broken invariant: " + e.What }

func Breach(format string, args ...any) error { return &Broken{fmt.Sprintf(format, args...)} }

// LimitError is the value a block panics with when a run exceeds the range of a counter or index.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

var (
	ErrPackets  = &LimitError{Reason: "more packets in the network at once than can be numbered"}
	ErrLong     = &LimitError{Reason: fmt.Sprintf("a message of more than %d packets", math.MaxUint32)}
	ErrTooMany  = &LimitError{Reason: "a state of more packets or messages than can be numbered"}
	ErrMessages = &LimitError{Reason: "more messages under way at once than can be numbered"}
)
