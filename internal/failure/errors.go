// Package failure holds the errors that the public API returns, so that every package between an
// experiment and its result can return them.
package failure

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/input"
	"fabricast/internal/units"
)

// ConfigError reports mistakes in the description of an experiment. For each mistake, its text
// names the file, line, column and field, the value found and what was expected. Problems returns
// the same data for programs.
type ConfigError struct{ err error }

// Problem is one mistake in the description of an experiment.
type Problem struct {
	// File is the name of the file, or the assignment, such as "--set ranks=x". It is empty if the
	// experiment was made in Go.
	File   string
	Line   int // from 1; 0 for assignments and for files that cannot be read
	Column int // from 1, in characters; likewise
	// path of the field, such as network.link.bandwidth; empty if no field is invalid
	Field    string
	Found    string
	Expected string
	Hint     string // how to correct it; may be empty
}

// Problems lists the mistakes in the order of the text. It is empty if the description is valid,
// for example if the folder for results contains something else.
func (e *ConfigError) Problems() []Problem {
	var file *input.Error
	if errors.As(e.err, &file) {
		return []Problem{{File: file.Path, Found: file.Found, Expected: file.Expected}}
	}
	var list []Problem
	for _, p := range problemsOf(e.err) {
		q := Problem{
			Line:     p.Position.Line,
			Column:   p.Position.Column,
			Field:    p.Field,
			Found:    p.Found,
			Expected: p.Expected,
			Hint:     p.Hint,
		}
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

func (e *ConfigError) Error() string {
	if e.err == nil {
		return "the experiment is wrongly described"
	}
	return e.err.Error()
}

// Unwrap returns the underlying error.
func (e *ConfigError) Unwrap() error { return e.err }

// NewConfigError wraps an error about a file that contains an experiment in a *ConfigError. It
// returns nil for nil or an empty list of problems.
func NewConfigError(err error) error {
	if err == nil {
		return nil
	}
	var problems config.Problems
	if errors.As(err, &problems) {
		if err = problemsOf(err).OrNil(); err == nil {
			return nil
		}
	}
	return &ConfigError{err}
}

// problemsOf lists the problems in an error and in all errors that it joins, each once.
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

// RunError reports that a rank of the simulated program failed.
type RunError struct {
	Job  string // "" if there is only one program
	Rank int
	Time units.Time // on the rank's clock
	Err  error
}

func (e *RunError) Error() string {
	job := ""
	if e.Job != "" {
		job = "job " + e.Job + ": "
	}
	return fmt.Sprintf(
		"%srank %d failed at %s of simulated time: %v", job, e.Rank, humanize.Time(e.Time), e.Err,
	)
}

// Unwrap returns the rank's error.
func (e *RunError) Unwrap() error { return e.Err }

// LimitError reports that a run exceeds a limit of the simulator, such as a counter's range.
type LimitError struct {
	Time units.Time // simulated time of the run
	Err  error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf(
		"the run came to a limit of the simulator at %s of simulated time: %v",
		humanize.Time(e.Time), e.Err,
	)
}

// Unwrap returns an error that names the limit.
func (e *LimitError) Unwrap() error { return e.Err }

// LossError reports that a network loses packets for good, so that a message never arrives.
type LossError struct {
	Time units.Time // simulated time of the run
	Err  error
}

func (e *LossError) Error() string {
	return fmt.Sprintf("packets were lost for good at %s of simulated time: %v", humanize.Time(e.Time), e.Err)
}

// Unwrap returns an error that says which.
func (e *LossError) Unwrap() error { return e.Err }

// OutageError reports that packets wait for links that are down until the end, so that ranks wait for
// ever. Its text says which links, and what each rank waits for.
type OutageError struct {
	Time units.Time // when the tail of the last packet that moved left a NIC or a router
	Err  error
}

func (e *OutageError) Error() string {
	return fmt.Sprintf("packets wait for links that stay down, at %s of simulated time: %v", humanize.Time(e.Time), e.Err)
}

// Unwrap returns the explanation.
func (e *OutageError) Unwrap() error { return e.Err }

// StoppedError reports that hosts went down and took ranks with them. Its text says which hosts and
// ranks, and which other ranks wait for ever, for what.
type StoppedError struct {
	Time units.Time // the latest of the ranks' clocks
	Err  error
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("ranks stopped with their hosts, at %s of simulated time: %v", humanize.Time(e.Time), e.Err)
}

// Unwrap returns the explanation.
func (e *StoppedError) Unwrap() error { return e.Err }

// DeadlockError reports a cyclic wait, of ranks or of packets in the network. Its text says what
// each waits for.
type DeadlockError struct {
	// the latest of the ranks' clocks, or the time at which the last packet that moved had left a
	// router
	Time units.Time
	Err  error
}

func (e *DeadlockError) Error() string {
	return fmt.Sprintf("deadlock at %s of simulated time: %v", humanize.Time(e.Time), e.Err)
}

// Unwrap returns the explanation.
func (e *DeadlockError) Unwrap() error { return e.Err }

// InterruptedError reports that the context ended a run, and the progress of the run at that point.
type InterruptedError struct {
	Time     units.Time // simulated time of the run
	Finished int        // number of ranks that had ended
	Ranks    int        // 0: the experiment has none
	Err      error      // the context's error
	// Computing means that a rank was computing and could not be stopped. It continues, and keeps
	// its memory, until the process ends.
	Computing bool
	SettingUp bool // the simulation had not started
	// Looked means that the run ended because only a period of it was to be simulated again.
	Looked bool
	// Checkpoint is the file from which the run can be resumed; "" if there is none.
	Checkpoint string
}

func (e *InterruptedError) Error() string {
	if e.Checkpoint == "" {
		return e.state()
	}
	return e.state() + "; fabricast resume " + filepath.Dir(e.Checkpoint) + " goes on from there"
}

// state describes the progress of the run.
func (e *InterruptedError) state() string {
	if e.SettingUp {
		return "interrupted while the simulation was being set up"
	}
	if e.Computing {
		return fmt.Sprintf(
			"interrupted while the program computed, at %s of simulated time",
			humanize.Time(e.Time),
		)
	}
	if e.Ranks == 0 {
		return fmt.Sprintf("interrupted at %s of simulated time", humanize.Time(e.Time))
	}
	return fmt.Sprintf(
		"interrupted at %s of simulated time, %s of %s ranks finished (%.1f %%)",
		humanize.Time(e.Time), humanize.Count(e.Finished), humanize.Count(e.Ranks),
		100*float64(e.Finished)/float64(max(e.Ranks, 1)),
	)
}

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.Err }

// RecordError reports that a result could not be recorded. The run itself was successful.
type RecordError struct {
	Folder string
	Err    error
}

func (e *RecordError) Error() string {
	for _, cause := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(e.Err, cause) {
			return fmt.Sprintf("%s: the result could not be recorded: %v", e.Folder, cause)
		}
	}
	return fmt.Sprintf("%s: the result could not be recorded: %v", e.Folder, e.Err)
}

// Unwrap returns the underlying error.
func (e *RecordError) Unwrap() error { return e.Err }

// InternalError reports that the simulator broke one of its own invariants: a fault of Fabricast,
// not of the experiment. If the cause is a panic, errors.As finds it as an *engine.Fault, which has
// the stack.
type InternalError struct{ Err error }

func (e *InternalError) Error() string {
	return "internal error, please report it: " + e.Err.Error()
}

// Unwrap returns the underlying error.
func (e *InternalError) Unwrap() error { return e.Err }

// Gibibytes formats an amount of memory, such as "1.5 GiB".
func Gibibytes(b units.Bytes) string { return fmt.Sprintf("%.1f GiB", float64(b)/float64(units.GiB)) }

// MemoryError reports that a run was refused because it would not fit in memory.
type MemoryError struct{ Need, Have units.Bytes }

func (e *MemoryError) Error() string {
	return fmt.Sprintf(
		"the run needs about %s of memory, but this machine has %s available",
		Gibibytes(e.Need), Gibibytes(e.Have),
	)
}

// ProcessError is an error of another process that shares the run.
type ProcessError struct {
	Process, Of int // index of the process, and number of processes
	Host        string
	Err         error
}

func (e *ProcessError) Error() string {
	return fmt.Sprintf("process %d of %d, on %s: %v", e.Process, e.Of, e.Host, e.Err)
}

// Unwrap returns the error of the other process.
func (e *ProcessError) Unwrap() error { return e.Err }
