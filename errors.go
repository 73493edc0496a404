package fabricast

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"fabricast/internal/config"
	"fabricast/internal/figures"
)

// ConfigError says that an experiment is wrongly described. Its text names for each
// mistake the file, line, column and field, what was found and what was expected; Problems has the same for programs.
type ConfigError struct{ err error }

// Problem is one mistake in the description of an experiment.
type Problem struct {
	// File is where it was written: the name of the file, or the assignment, such as "--set ranks=x". It
	// is empty if the experiment was made in Go.
	File     string
	Line     int    // from 1; 0 if there is none: of assignments, and of a file that cannot be read
	Column   int    // from 1, in characters; likewise
	Field    string // path of the field, such as network.link.bandwidth; empty if the mistake is in none
	Found    string
	Expected string
	Hint     string // how to mend it; may be empty
}

// Problems lists the mistakes, in the order of the text. It is empty where what is wrong is not in the
// description, such as a folder for results that holds something else.
func (e *ConfigError) Problems() []Problem {
	var file *unreadable
	if errors.As(e.err, &file) {
		return []Problem{{File: file.path, Found: file.found, Expected: readable}}
	}
	var list []Problem
	for _, p := range problemsOf(e.err) {
		q := Problem{Line: p.Position.Line, Column: p.Position.Column, Field: p.Field, Found: p.Found, Expected: p.Expected, Hint: p.Hint}
		if source := p.Position.Source; source != nil {
			q.File = source.Name
			if source.Command {
				q.Line, q.Column = 0, 0
			}
		}
		list = append(list, q)
	}
	return list
}

// unreadable says that a file cannot be read.
type unreadable struct{ path, found string }

// readable is what is expected of a file.
const readable = "a readable file"

func (e *unreadable) Error() string {
	return e.path + ": found " + e.found + ", expected " + readable
}

func (e *ConfigError) Error() string {
	if e.err == nil {
		return "the experiment is wrongly described"
	}
	return e.err.Error()
}

// Unwrap returns what is told.
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
		found := path.Err.Error()
		if errors.Is(err, syscall.EISDIR) {
			found = "a folder"
		}
		err = &unreadable{path.Path, found}
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
	SettingUp bool // the simulation had not begun
}

func (e *InterruptedError) Error() string {
	if e.SettingUp {
		return "interrupted while the simulation was being set up"
	}
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
