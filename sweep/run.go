package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"fabricast"
)

// Options select how a sweep is run.
type Options struct {
	Workers int // number of points run at once, each on one core; 0: the number of cores
	// Folder stores results; "": none. Processes with the same folder, also on several machines,
	// share the points.
	Folder string
	Part   Part
	// Active reports, for Collect, whether other processes may still run points; left is the number
	// of points not yet done. It is called about once per second until all are done.
	Active func(left int) (bool, error)
	// Join accepts the errors of points that failed in an earlier run. Without Join these points
	// are run again, unless other processes already take part.
	Join  bool
	Quick bool // run the sweep's quick version
	Large bool // include the points that the file calls large
	// Isolate runs a point in a separate process. It is used for all points of a sweep with
	// File.Isolated, and for points whose traces or programs have not been opened. nil: not
	// available.
	Isolate func(context.Context, *fabricast.Experiment) (*fabricast.Result, error)
	// ExitCode returns the exit code for a point's error, for other processes to use; nil: always
	// 1.
	ExitCode func(error) int
	Progress func(Progress)
	// Begun is called before points run, with a table of all points and the results available so
	// far, and again from time to time while points run, so that a sweep can be read before its end.
	// An error ends the sweep. It is not called for a Task.
	Begun func(*Table) error
	// Damaged is called for each stored point whose file is damaged, with the file, the labels of the
	// point, and what is wrong. The point is not used, and runs again unless the Part is Read. It may
	// be called by several goroutines at once. nil: not called.
	Damaged func(file, point, damage string)
}

// Part is the role of a process in a sweep.
type Part int

const (
	// Alone: the process runs the points that no other process runs, and waits for the others.
	// Other processes may or may not exist.
	Alone Part = iota
	// Task: the process ends as soon as all remaining points are being run by other processes. Run
	// then returns neither a table nor an error.
	Task
	// Collect: the process runs no points. It waits for other processes as long as there are any.
	Collect
	// Read: the process runs no points and waits for nobody. The table has the points in the Folder;
	// if some are missing, the error is an *UnfinishedError.
	Read
)

// Progress is the progress of a sweep.
type Progress struct {
	Done, Points int
	// Kept counts the done points stored by an earlier run, Elsewhere those stored by other
	// processes during this run, and Failed those without a result.
	Kept, Elsewhere, Failed int
	// Running is the number of points being run, including those of other processes if there is a
	// Folder. It may be a few seconds old.
	Running int
	Elapsed time.Duration
	// Work is the completed fraction of the work, by the weights of the points. Fresh is the
	// fraction that was completed during this run.
	Work, Fresh float64
}

// Run runs all points and returns their table. If points fail, the table holds their errors, and
// the error is a *PointsError. If ctx ends, the points being run are lost, the table holds those
// that were done, and the error is an *InterruptedError.
func (f *File) Run(ctx context.Context, o Options) (*Table, error) {
	points, err := f.Points(ctx, o.Quick, o.Large)
	if err != nil {
		return nil, err
	}
	t, err := f.newTable(points, o)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return nil, err
	}
	r, err := newRunner(ctx, f, points, t.Rows, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	r.table = t
	if err := r.announce(t); err != nil {
		return nil, err
	}
	switch o.Part {
	case Read: // announce has read what is there
	case Collect:
		err = r.collect(o.Active)
	default:
		r.all(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	}
	if err := errors.Join(r.err, err); err != nil {
		return nil, err
	}
	var interrupted error
	if done := r.progress.Done; done < len(points) {
		if err := ctx.Err(); err != nil {
			interrupted = &InterruptedError{Done: done, Points: len(points), Kept: r.share != nil, Err: err}
		} else if o.Part == Task {
			return nil, nil
		} else if o.Part == Read {
			interrupted = &UnfinishedError{done, len(points)}
		}
	}
	if err := t.fill(); err != nil {
		return nil, err
	}
	if interrupted != nil {
		return t, interrupted
	}
	return t, t.failures()
}

// announce passes the table to Begun before points run, so that the file of a killed sweep still
// lists its points.
func (r *runner) announce(t *Table) error {
	if (r.options.Begun == nil || r.options.Part == Task) && r.options.Part != Read {
		return nil
	}
	if r.share != nil {
		if err := r.look(); err != nil {
			return err
		}
	}
	if err := t.fill(); err != nil {
		return err
	}
	if r.renewed = time.Now(); r.options.Begun == nil {
		return nil
	}
	return r.options.Begun(t)
}

// renewInterval is the least time between tables while points run.
const renewInterval = 10 * time.Second

// renew passes a table of the points that are done to Begun, if the last one is old.
func (r *runner) renew() {
	r.mutex.Lock()
	if r.options.Begun == nil || r.options.Part == Task || time.Since(r.renewed) < renewInterval ||
		r.progress.Done == len(r.points) {
		r.mutex.Unlock()
		return
	}
	r.renewed = time.Now().Add(time.Hour) // no other worker does so at the same time
	now := *r.table
	now.Rows = slices.Clone(r.rows)
	r.mutex.Unlock()
	err := now.fill()
	if err == nil {
		err = r.options.Begun(&now)
	}
	r.mutex.Lock()
	r.renewed = time.Now()
	r.mutex.Unlock()
	if err != nil {
		r.fail(err)
	}
}

// InterruptedError reports that the context ended a sweep.
type InterruptedError struct {
	Done, Points int
	Kept         bool
	Listing      bool // the context ended before any point was started
	Err          error
}

func (e *InterruptedError) Error() string {
	if e.Listing {
		return "interrupted while the points of the sweep were listed"
	}
	text := fmt.Sprintf("interrupted, %d of %d points done", e.Done, e.Points)
	if e.Kept {
		text += "; the same command goes on from there"
	}
	return text
}

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.Err }

// PointsError reports that points of a sweep failed.
type PointsError struct {
	Failed, Points int
	First          error // error of the first failed point
}

func (e *PointsError) Error() string {
	return fmt.Sprintf("%d of %d points failed; the first: %v", e.Failed, e.Points, e.First)
}

// Unwrap returns the error of the first failed point.
func (e *PointsError) Unwrap() error { return e.First }
