package bench

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"fabricast"
	"fabricast/internal/machine"
	"fabricast/internal/panics"
)

// Options select what to measure.
type Options struct {
	Cases  []*Case
	Full   bool
	Repeat int // repetitions of each case; 0: each case's default
	// Child returns a command that calls Measure and prints the result as JSON.
	Child func(ctx context.Context, name string, full bool) *exec.Cmd
	// Progress, if not nil, is called from time to time.
	Progress func(Progress)
}

// Progress reports the progress of the measurements.
type Progress struct {
	Case    string
	Number  int // number of the case, from 1
	Of      int
	Elapsed time.Duration // since the start of the case
}

// progressInterval is the time between two calls of Options.Progress.
const progressInterval = 500 * time.Millisecond

// Run measures the cases one after the other. A case that fails becomes a row with an Error. If the
// context ends, the report holds the measurements so far, and the error is an *InterruptedError.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := newReport(o.Full)
	counter, err := machine.NewCounter()
	if err != nil {
		r.NoInstructions = err.Error()
	}
	for i, c := range o.Cases {
		at := Progress{Case: c.Name, Number: i + 1, Of: len(o.Cases)}
		row, err := o.measure(ctx, c, counter, at)
		if ctx.Err() != nil {
			r.Interrupted = true
			return r, &InterruptedError{Done: i, Of: len(o.Cases), Err: ctx.Err()}
		}
		if err != nil {
			return r, err
		}
		r.add(c, row)
	}
	return r, r.sameHashes(o.Cases)
}

// measure runs a case several times and returns its row.
func (o *Options) measure(ctx context.Context, c *Case, counter *machine.Counter, at Progress) (*Row, error) {
	stop := o.tick(at)
	defer stop()
	size := c.at(o.Full)
	repeat := o.Repeat
	if repeat == 0 {
		repeat = size.Repeat
	}
	row := newRow(c, size)
	var runs []run
	for range repeat {
		one, err := measureOnce(o.Child(ctx, c.Name, o.Full), counter)
		if err != nil {
			row.Error = err.Error()
			return row, nil
		}
		if len(runs) > 0 && one.result.Hash != runs[0].result.Hash {
			return row, &fabricast.InternalError{
				Err: fmt.Errorf(
					"two runs of %s have the results %s and %s",
					c.Name, runs[0].result.Hash, one.result.Hash,
				),
			}
		}
		runs = append(runs, *one)
	}
	row.fill(runs)
	return row, nil
}

// tick reports progress at intervals until stop is called.
func (o *Options) tick(at Progress) (stop func()) {
	if o.Progress == nil {
		return func() {}
	}
	begin := time.Now()
	done := make(chan struct{})
	ended := panics.Go("progress of measurements", func() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			at.Elapsed = time.Since(begin)
			o.Progress(at)
			select {
			case <-ticker.C:
			case <-done:
				return
			}
		}
	})
	return func() { close(done); <-ended }
}

// InterruptedError reports that not all cases were measured.
type InterruptedError struct {
	Done, Of int
	Err      error // the context's error
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted with %d of %d cases done", e.Done, e.Of)
}

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.Err }
