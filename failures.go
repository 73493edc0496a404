package fabricast

import "fabricast/internal/failure"

// Errors of Load, Run and the other functions, to be found by errors.As. The package's
// documentation says when each is returned.
type (
	ConfigError      = failure.ConfigError      // the experiment is wrongly described
	Problem          = failure.Problem          // one mistake in the description
	RunError         = failure.RunError         // the simulated program did something wrong
	LimitError       = failure.LimitError       // a run needs more of something than can be counted
	DeadlockError    = failure.DeadlockError    // ranks wait for each other, or packets do
	InterruptedError = failure.InterruptedError // the context ended the run
	RecordError      = failure.RecordError      // a result could not be recorded
	MemoryError      = failure.MemoryError      // a run would not fit in memory
	InternalError    = failure.InternalError    // the simulator broke one of its own invariants
	ProcessError     = failure.ProcessError     // another process of a shared run has failed
)

// NewConfigError returns a *ConfigError that wraps a mistake in a file that contains an experiment.
// It returns nil for a nil error.
func NewConfigError(err error) error { return failure.NewConfigError(err) }
