package fabricast

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"fabricast/internal/config"
	"fabricast/internal/figures"
)

// ConfigError says that an experiment is wrongly described. It names for each
// mistake the file, line, column and field, what was found and what was expected.
type ConfigError struct{ err error }

func (e *ConfigError) Error() string {
	if e.err == nil {
		return "the experiment is wrongly described"
	}
	return e.err.Error()
}

// Unwrap returns the list of mistakes.
func (e *ConfigError) Unwrap() error { return e.err }

// NewConfigError makes a *ConfigError of what is wrong with a file that contains
// an experiment.
func NewConfigError(err error) error {
	if err == nil {
		return nil
	}
	return configError(err)
}

// configError makes a *ConfigError; an empty list of problems is no error.
func configError(err error) error {
	var problems config.Problems
	if errors.As(err, &problems) {
		if err = problemsOf(err).OrNil(); err == nil {
			return nil
		}
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = errors.New(path.Path + ": found " + path.Err.Error() + ", expected a readable file")
	}
	return &ConfigError{err}
}

// problemsOf lists the problems of an error and of all those that it joins, each once.
func problemsOf(err error) (list config.Problems) {
	switch e := err.(type) {
	case config.Problems:
		return e
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			for _, p := range problemsOf(part) {
				if !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
	case interface{ Unwrap() error }:
		return problemsOf(e.Unwrap())
	}
	return list
}

// RunError says that the simulated program did something wrong.
type RunError struct {
	Rank int
	Time Time // on the rank's clock
	Err  error
}

func (e *RunError) Error() string {
	return fmt.Sprintf("rank %d failed at %s of simulated time: %v", e.Rank, figures.Time(e.Time), e.Err)
}

// Unwrap returns what went wrong.
func (e *RunError) Unwrap() error { return e.Err }

// LimitError says that a run needs more of something than the simulator can count.
type LimitError struct {
	Time Time // simulated time that was reached
	Err  error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the run came to a limit of the simulator at %s of simulated time: %v", figures.Time(e.Time), e.Err)
}

// Unwrap returns what there was too much of.
func (e *LimitError) Unwrap() error { return e.Err }

// DeadlockError says that the simulated program cannot go on: ranks wait for
// one another, or packets in the network do. The text tells who waits for what.
type DeadlockError struct {
	Time Time // since when nothing goes on: the latest of the ranks' clocks, or when the last packet that moved had left a router
	Err  error
}

func (e *DeadlockError) Error() string {
	return fmt.Sprintf("deadlock at %s of simulated time: %v", figures.Time(e.Time), e.Err)
}

// Unwrap returns the explanation.
func (e *DeadlockError) Unwrap() error { return e.Err }

// InterruptedError says that the context ended a run, and how far it had got.
type InterruptedError struct {
	Time     Time  // simulated time that was reached
	Finished int   // ranks that had ended
	Ranks    int   // 0: the experiment has none
	Err      error // of the context
	// Computing: a rank computed and could not be stopped. It goes on, and takes what it has in memory, to the end of the process.
	Computing bool
}

func (e *InterruptedError) Error() string {
	if e.Computing {
		return fmt.Sprintf("interrupted while the program computed, at %s of simulated time", figures.Time(e.Time))
	}
	if e.Ranks == 0 {
		return fmt.Sprintf("interrupted at %s of simulated time", figures.Time(e.Time))
	}
	return fmt.Sprintf("interrupted at %s of simulated time, %s of %s ranks finished (%.1f %%)",
		figures.Time(e.Time), figures.Count(e.Finished), figures.Count(e.Ranks), 100*float64(e.Finished)/float64(max(e.Ranks, 1)))
}

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.Err }

// InternalError says that the simulator broke one of its own invariants: a
// mistake in Fabricast, not in the experiment.
type InternalError struct{ Err error }

func (e *InternalError) Error() string {
	return "internal error, please report it: " + e.Err.Error()
}

// Unwrap returns what was found.
func (e *InternalError) Unwrap() error { return e.Err }
