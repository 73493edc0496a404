package atlas

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/run"
	"fabricast/internal/units"
)

// Options say what fails, and when.
type Options struct {
	At units.Time // when; 0: after half of the time of the run without faults
	// Repair is how long it is down; 0: until the run without faults would have ended; Forever: it
	// stays down.
	Repair units.Time
	// Links, Switches and Pairs are numbers of elements drawn by the experiment's seed, or All.
	Links, Switches, Pairs int
	Workers                int            // futures at once, each on one core; 0: as many as there are cores
	Progress               func(Progress) // nil: not called
	Processes              Processes      // among which futures are divided; nil: there is only this one
}

// Forever is the Repair of what stays down.
const Forever = units.Time(math.MaxInt64)

// Progress is how far the futures are.
type Progress struct {
	Done, Futures int
	Elapsed       time.Duration // of the futures, in wall-clock time
}

// InterruptedError reports that the context ended before all futures.
type InterruptedError struct {
	Done, Futures int
	Err           error // of the context
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted, %d of %d futures simulated", e.Done, e.Futures)
}

// Unwrap returns the error of the context.
func (e *InterruptedError) Unwrap() error { return e.Err }

// FailedError reports futures that could not be simulated.
type FailedError struct {
	Failed, Futures int
	First           error // of the first that failed
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d futures could not be simulated; the first: %v", e.Failed, e.Futures, e.First)
}

// Unwrap returns the first error.
func (e *FailedError) Unwrap() error { return e.First }

// Make simulates the futures of an experiment, and ranks them by what the run loses. If some cannot
// be simulated, it returns the report with a *FailedError; if the context ends, the report of those
// that were done with an *InterruptedError. Other errors are those of runs, and of a process that shares
// the futures (*failure.ProcessError).
func Make(ctx context.Context, e *experiment.Resolved, o Options) (*Report, error) {
	a := &atlas{options: o}
	if err := o.settle(a.prepare(ctx, e)); err != nil {
		return nil, err
	}
	a.futures, a.errs = make([]Future, len(a.elements)), make([]error, len(a.elements))
	a.all(ctx)
	a.exchange()
	return a.report(ctx)
}

// prepare simulates the run without failures, and finds what can fail.
func (a *atlas) prepare(ctx context.Context, e *experiment.Resolved) error {
	if err := suits(e); err != nil {
		return err
	}
	e, err := e.ExpectingFaults()
	if err != nil {
		return err
	}
	if a.from, err = run.NewFork(ctx, e); err != nil {
		return err
	}
	g := a.from.Plan().Topology.Graph()
	a.connection = newConnection(g)
	if a.elements, err = elements(g, e.Seed, &a.options); err != nil {
		return err
	}
	if err := a.fork(ctx); err != nil {
		return err
	}
	return a.check()
}

// suits returns an error if an experiment has no futures to compare.
func suits(e *experiment.Resolved) error {
	if e.Baseline() != nil {
		return e.Refuse(
			"imbalance.width", "a share of the time of a run that would have the same faults", "a time", "",
		)
	}
	return nil
}

// ownCode reports whether an experiment has programs in Go or C, which may share variables, so that one
// future is simulated at a time.
func ownCode(e *experiment.Resolved) bool {
	return e.OwnProgram() || slices.ContainsFunc(e.Jobs, func(j experiment.Job) bool {
		return j.Program != nil || len(j.Command) > 0
	})
}

// atlas is an atlas in the making.
type atlas struct {
	options     Options
	undisturbed *run.Result
	from        *run.Fork
	whole       string // why futures are whole runs; "": they start just before the failure
	connection  *connection
	elements    []element
	futures     []Future // by element
	errs        []error  // by element, of those that could not be simulated
	begin       time.Time

	mutex sync.Mutex
	next  int // element that is simulated next
	done  int
}

// fork simulates the run without faults, and keeps its state just before the moment.
func (a *atlas) fork(ctx context.Context) (err error) {
	e := a.from.Plan().Experiment
	switch {
	case e.Faults.Packets == experiment.PacketsRetry:
		a.whole = "packets under way when a link goes down have started before futures part"
	case e.Faults.Packets == experiment.PacketsLose && e.Faults.BitErrors.Given():
		a.whole = "bit errors may keep a packet on its link from long before that goes down"
	case e.HasTraffic():
		a.whole = "faults change when the measurement of traffic begins"
	}
	at := a.options.At
	if at > 0 {
		if err := a.advance(ctx, at); err != nil {
			return err
		}
	}
	if a.undisturbed, err = a.from.Run(ctx, nil); err != nil {
		return err
	}
	whole := a.undisturbed.SimulatedTime
	if at == 0 {
		a.options.At = whole / 2
		err = a.advance(ctx, a.options.At)
	} else if at >= whole {
		return run.TooLate(at, whole)
	}
	if a.options.Repair == 0 {
		a.options.Repair = whole - a.options.At
	}
	return err
}

// advance makes futures start just before a time, or at the beginning if the state there cannot be kept.
func (a *atlas) advance(ctx context.Context, at units.Time) error {
	if a.whole != "" {
		return nil
	}
	from, err := a.from.At(ctx, at)
	var lost *run.UnsaveableError
	if errors.As(err, &lost) {
		a.whole = lost.Error()
		return nil
	}
	if err == nil {
		a.from = from
	}
	return err
}

// check returns an error if the times of faults cannot be.
func (a *atlas) check() error {
	if a.options.At == 0 {
		return failure.NewConfigError(errors.New("found a run that takes no time, expected one that loses some"))
	}
	first := a.fault(experiment.Fault{Link: "0-1"})
	for _, p := range a.from.Plan().Experiment.Faults.Problems(&first) {
		return failure.NewConfigError(fmt.Errorf(
			"found a failure at %s with %s, expected %s", a.options.At, p.Found, p.Expected,
		))
	}
	return nil
}

// fault gives a fault its times.
func (a *atlas) fault(f experiment.Fault) experiment.Fault {
	f.From = a.options.At
	if a.options.Repair != Forever {
		f.To = a.options.At + a.options.Repair
	}
	return f
}

// all simulates the futures.
func (a *atlas) all(ctx context.Context) {
	workers := a.options.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if ownCode(a.from.Plan().Experiment) {
		workers = 1
	}
	a.begin = time.Now()
	var group sync.WaitGroup
	for range min(workers, len(a.elements)) {
		group.Go(panics.Guarded("futures of a run", func() {
			for i := a.take(); i < len(a.elements) && ctx.Err() == nil; i = a.take() {
				if a.ours(i) {
					a.future(ctx, i)
				}
			}
		}))
	}
	group.Wait()
}

// take returns the element to be simulated next.
func (a *atlas) take() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.next++
	return a.next - 1
}

// future simulates the future of an element.
func (a *atlas) future(ctx context.Context, i int) {
	x := &a.elements[i]
	f := Future{Fails: x.names(), Kind: x.kind, CutOff: a.connection.cutOff(x)}
	var list []experiment.Fault
	for _, fault := range x.faults {
		list = append(list, a.fault(fault))
	}
	r, err := a.from.Run(ctx, list)
	if err != nil && ctx.Err() != nil {
		return
	}
	var waits *failure.OutageError
	var deadlock *failure.DeadlockError
	switch {
	case errors.As(err, &waits):
		f.State, f.Time, f.Error = StateWaits, waits.Time, firstLine(err)
	case errors.As(err, &deadlock):
		f.State, f.Time, f.Error = StateDeadlock, deadlock.Time, firstLine(err)
	case err != nil:
		f.State, f.Error, a.errs[i] = StateFailed, firstLine(err), err
	default:
		whole := measure(a.undisturbed)
		f.State, f.Time, f.Hash = StateEnds, measure(r), r.Hash
		f.Lost = f.Time - whole
		f.Share = float64(f.Lost) / float64(max(1, whole))
		f.Jobs = slowed(a.undisturbed, r)
	}
	a.futures[i] = f
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.done++
	if a.options.Progress != nil {
		a.options.Progress(Progress{Done: a.done, Futures: len(a.elements), Elapsed: time.Since(a.begin)})
	}
}

// firstLine returns what an error says without its details.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
