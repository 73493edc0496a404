package fabricast

import "fabricast/internal/failure"

// Errors returned by Load, Run and the other functions, for use with errors.As. The package
// documentation says when each is returned.
type (
	ConfigError      = failure.ConfigError      // the experiment is invalid
	Problem          = failure.Problem          // one mistake in an experiment
	RunError         = failure.RunError         // the simulated program made an error
	LossError        = failure.LossError        // the network loses packets for good
	LimitError       = failure.LimitError       // a run exceeds the range of a counter
	OutageError      = failure.OutageError      // packets wait for links that stay down
	StoppedError     = failure.StoppedError     // ranks stopped with hosts that went down
	DeadlockError    = failure.DeadlockError    // ranks or packets are in a cyclic wait
	InterruptedError = failure.InterruptedError // the context was cancelled
	RecordError      = failure.RecordError      // a result could not be recorded
	MemoryError      = failure.MemoryError      // a run would exceed the memory
	InternalError    = failure.InternalError    // the simulator violated one of its own invariants
	ProcessError     = failure.ProcessError     // another process of a shared run has failed
)

// NewConfigError wraps err, a mistake in a file that contains an experiment, in a *ConfigError. It
// returns nil if err is nil.
func NewConfigError(err error) error { return failure.NewConfigError(err) }
