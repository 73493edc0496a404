package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"fabricast"
	"fabricast/internal/panics"
)

// Options select how a sweep is run.
type Options struct {
	Workers int    // points run at once, each on one core; 0: the number of cores
	Folder  string // where results are kept; "": nowhere
	Quick   bool   // run the sweep's quick version
	Large   bool   // include the points that the file calls large
	// Isolate runs a point in a process of its own, if the sweep has File.Isolated, or the point
	// jobs that have not been opened; nil: in this process.
	Isolate  func(context.Context, *fabricast.Experiment) (*fabricast.Result, error)
	Progress func(Progress)
}

// Progress reports how far a sweep has got.
type Progress struct {
	Done, Kept, Points int // Kept counts those of Done whose result was stored by an earlier run
	Elapsed            time.Duration
	// Work is the share of the work that is done, by the weights of the points. Fresh is the share
	// that this run has done.
	Work, Fresh float64
}

// Run runs all points and returns their table. Points that fail are in the table with their errors,
// and the error is a *PointsError. If the context ends, the points being run are lost, and the
// error is an *InterruptedError.
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
	r := &runner{
		ctx:      ctx,
		options:  o,
		points:   points,
		order:    ordered(points),
		rows:     t.Rows,
		begin:    time.Now(),
		outcomes: map[string]*outcome{},
	}
	r.isolated = f.Isolated
	for i := range points {
		r.weight += points[i].Weight
	}
	if o.Folder != "" {
		s, err := openStore(o.Folder)
		if err != nil {
			return nil, err
		}
		r.store = &s
	}
	if err := r.all(); err != nil {
		return nil, err
	}
	if err := t.fill(); err != nil {
		return nil, err
	}
	return t, t.failures()
}

// runner distributes the points to workers.
type runner struct {
	ctx     context.Context
	options Options
	store   *store
	points  []Point
	order   []int // in which points are started
	rows    []Row
	begin   time.Time
	// isolated: all points run in processes of their own
	isolated bool

	mutex      sync.Mutex
	next       int
	done, kept int
	// total weight of all points, of those done, and of those that this run has run
	weight, work, fresh float64
	err                 error // of the store
	outcomes            map[string]*outcome
}

func (r *runner) all() error {
	workers := r.options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(workers, len(r.points)) {
		wg.Go(panics.Guarded("points of a sweep", r.labour))
	}
	wg.Wait()
	if r.err != nil {
		return r.err
	}
	if err := r.ctx.Err(); err != nil && r.done < len(r.points) {
		return &InterruptedError{Done: r.done, Points: len(r.points), Kept: r.store != nil, Err: err}
	}
	return nil
}

// labour is the loop of a worker: it runs points until none is left.
func (r *runner) labour() {
	for {
		r.mutex.Lock()
		i := r.next
		r.next++
		r.mutex.Unlock()
		if i >= len(r.points) || r.ctx.Err() != nil {
			return
		}
		r.point(r.order[i])
	}
}

func (r *runner) point(i int) {
	p := &r.points[i]
	o := r.outcome(p.Experiment, p.Key)
	if errors.Is(o.err, context.Canceled) || errors.Is(o.err, context.DeadlineExceeded) {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.rows[i].Result, r.rows[i].Err = o.result, o.err
	r.done++
	r.work += p.Weight / r.weight
	if o.kept {
		r.kept++
	} else {
		r.fresh += p.Weight / r.weight
	}
	if r.options.Progress != nil {
		r.options.Progress(Progress{
			Done: r.done, Kept: r.kept, Points: len(r.points), Elapsed: time.Since(r.begin),
			Work: r.work, Fresh: r.fresh,
		})
	}
}

// simulate runs one experiment on one core. Traces and programs in C need a process of their own,
// because the command opens them there.
func (r *runner) simulate(e *fabricast.Experiment) (*fabricast.Result, error) {
	if r.options.Isolate != nil && (r.isolated || !e.Opened()) {
		return r.options.Isolate(r.ctx, e)
	}
	return e.Run(r.ctx, fabricast.Workers(max(1, e.Engine.Workers)))
}

// InterruptedError reports that the context ended a sweep.
type InterruptedError struct {
	Done, Points int
	Kept         bool
	Listing      bool // no point has been started
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
	First          error // error of the first of them
}

func (e *PointsError) Error() string {
	return fmt.Sprintf("%d of %d points failed; the first: %v", e.Failed, e.Points, e.First)
}

// Unwrap returns the error of the first failed point.
func (e *PointsError) Unwrap() error { return e.First }
