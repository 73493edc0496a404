package sweep

import (
	"context"
	"sync"
	"time"

	"fabricast"
	"fabricast/internal/panics"
)

// runner distributes the points to workers.
type runner struct {
	ctx     context.Context
	cancel  context.CancelFunc
	options Options
	share   *share // nil if nothing is stored
	points  []Point
	rows    []Row
	begin   time.Time
	// all points run in separate processes
	isolated bool
	// keys of the results stored before this run
	earlier map[string]bool

	mutex sync.Mutex
	// signals that waiting workers may have something to do
	more *sync.Cond
	// indexes of points to start, in this order, and of points claimed by other processes
	todo, others []int
	finished     []bool // by point
	progress     Progress
	weight       float64 // sum over all points
	err          error   // error of the store
	outcomes     map[string]*outcome

	table   *Table    // to which rows belong; passed to options.Begun while points run
	renewed time.Time // when that was done last
}

func newRunner(ctx context.Context, f *File, points []Point, rows []Row, o Options) (*runner, error) {
	r := &runner{
		options:  o,
		points:   points,
		rows:     rows,
		todo:     ordered(points),
		finished: make([]bool, len(points)),
		begin:    time.Now(),
		outcomes: map[string]*outcome{},
		isolated: f.Isolated,
		progress: Progress{Points: len(points)},
	}
	r.more = sync.NewCond(&r.mutex)
	for i := range points {
		r.weight += points[i].Weight
		if points[i].Refused != nil {
			r.finished[i] = true
			r.progress.Done++
		}
	}
	for i := range points {
		if r.finished[i] {
			r.progress.Work += points[i].Weight / r.weight
		}
	}
	if o.Folder != "" {
		open := func() (*share, error) { return openShare(o.Folder, !o.Join, o.ExitCode) }
		if o.Part == Read {
			open = func() (*share, error) { return readShare(o.Folder) }
		}
		s, err := open()
		if err != nil {
			return nil, err
		}
		s.labels, s.damaged = map[string][]Label{}, o.Damaged
		for _, i := range accepted(points) {
			if s.labels[points[i].Key] == nil {
				s.labels[points[i].Key] = f.labels(points[i].Values)
			}
		}
		if r.share = s; err == nil {
			r.earlier, _, _, err = s.keys()
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r, nil
}

func (r *runner) close() {
	r.cancel()
	r.share.close()
}

// all runs all points that no other process runs, and waits for the other processes.
func (r *runner) all(workers int) {
	stop := context.AfterFunc(r.ctx, panics.Guarded("end of a sweep", func() {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.more.Broadcast()
	}))
	defer stop()
	var working, watching sync.WaitGroup
	over := make(chan struct{})
	if r.share != nil {
		watching.Go(panics.Guarded("watch over a sweep", func() { r.watch(over) }))
	}
	for range min(workers, len(r.points)) {
		working.Go(panics.Guarded("points of a sweep", r.labour))
	}
	working.Wait()
	close(over)
	watching.Wait()
}

// labour is the loop of a worker. It runs points until none is left.
func (r *runner) labour() {
	for {
		i, ok := r.next()
		if !ok {
			return
		}
		p := &r.points[i]
		if o := r.outcome(p.Experiment, p.Key, false); o != nil {
			r.finish(i, o)
			r.renew()
		} else {
			r.mutex.Lock()
			r.others = append(r.others, i)
			r.mutex.Unlock()
		}
	}
}

// next returns a point to start, and false if there is nothing left to do. While other processes
// run all remaining points, it waits: a process may be killed or give up its claim.
func (r *runner) next() (int, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for {
		switch {
		case r.ctx.Err() != nil:
			return 0, false
		case len(r.todo) > 0:
			i := r.todo[0]
			r.todo = r.todo[1:]
			return i, true
		case r.progress.Done == len(r.points), r.options.Part == Task && len(r.others) > 0:
			return 0, false
		}
		r.more.Wait()
	}
}

// finish records the outcome of a point.
func (r *runner) finish(i int, o *outcome) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.finished[i] {
		return
	}
	r.finished[i] = true
	r.rows[i].Result, r.rows[i].Err = o.result, o.err
	p, share := &r.progress, r.points[i].Weight/r.weight
	p.Done++
	p.Work += share
	switch o.source {
	case earlier:
		p.Kept++
	case elsewhere:
		p.Elsewhere++
	}
	if o.source != earlier {
		p.Fresh += share
	}
	if o.err != nil {
		p.Failed++
	}
	r.report()
	if p.Done == len(r.points) {
		r.more.Broadcast()
	}
}

// report passes the progress to the caller of Run. The mutex must be held.
func (r *runner) report() {
	if r.options.Progress != nil {
		p := r.progress
		p.Elapsed = time.Since(r.begin)
		r.options.Progress(p)
	}
}

// fail ends the sweep with an error of the store.
func (r *runner) fail(err error) {
	r.mutex.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mutex.Unlock()
	r.cancel()
}

// simulate runs one experiment on one core. It isolates experiments with traces or C programs,
// which are opened only in the separate process, and runs that use several processes.
func (r *runner) simulate(e *fabricast.Experiment) (*fabricast.Result, error) {
	if r.options.Isolate != nil && (r.isolated || !e.Opened() || e.Engine.Processes > 1) {
		return r.options.Isolate(r.ctx, e)
	}
	return e.Run(r.ctx, fabricast.Workers(max(1, e.Engine.Workers)))
}
