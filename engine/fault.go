package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Fault is a panic of a model, caught so that the run can end in order.
type Fault struct {
	Value any
	Stack []byte
}

// Caught returns the fault of a panic that has just been recovered.
func Caught(value any) *Fault { return &Fault{Value: value, Stack: debug.Stack()} }

func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// Unwrap returns the panic's value if it is an error, else nil.
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// ErrElsewhere is what ends a run in one process when parts of another one have panicked.
var ErrElsewhere = errors.New("another process of the run has failed")
