package sweep

import (
	"context"
	"errors"
	"sync"
	"time"

	"fabricast"
)

// outcome is the result or error of an experiment. Several points may share it.
type outcome struct {
	mutex  sync.Mutex
	done   bool // the other fields are set
	result *fabricast.Result
	err    error
	source source
}

// source is the origin of a point's outcome.
type source int

const (
	ran       source = iota // this run has computed it
	earlier                 // an earlier run has stored it
	elsewhere               // another process has stored it during this run
)

// interrupted reports whether an error results from the end of a context.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// outcomeOf returns the outcome record of an experiment.
func (r *runner) outcomeOf(key string) *outcome {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	o := r.outcomes[key]
	if o == nil {
		o = new(outcome)
		r.outcomes[key] = o
	}
	return o
}

// outcome returns the outcome of an experiment: it loads a stored outcome or runs the experiment.
// While another worker runs it, outcome waits. While another process runs it, outcome waits if wait
// is true, and otherwise returns nil. It also returns nil if the sweep is interrupted.
func (r *runner) outcome(e *fabricast.Experiment, key string, wait bool) *outcome {
	o := r.outcomeOf(key)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for pause := firstInterval; !o.done; pause = min(2*pause, lookInterval) {
		mine, known, err := true, false, error(nil)
		if r.share != nil {
			mine, known, err = r.share.take(key, o)
		}
		switch {
		case err != nil:
			r.fail(err)
			return nil
		case known:
			o.source = r.from(key)
			o.done = true
		case mine:
			r.find(o, e, key)
		case !wait || r.ctx.Err() != nil:
			return nil
		default:
			select {
			case <-r.ctx.Done():
			case <-time.After(pause):
			}
		}
		if interrupted(o.err) {
			return nil
		}
	}
	return o
}

// from returns the source of a stored outcome.
func (r *runner) from(key string) source {
	if r.earlier[key] {
		return earlier
	}
	return elsewhere
}

// find runs an experiment that this process has claimed, and stores its outcome.
func (r *runner) find(o *outcome, e *fabricast.Experiment, key string) {
	o.done, o.source = true, ran
	o.result, o.err = r.measure(e)
	if interrupted(o.err) {
		o.done = false
	}
	if r.share != nil {
		if err := r.share.keep(key, o.result, o.err); err != nil {
			r.fail(err)
		}
	}
}

// measure runs an experiment. If it is compared to a balanced experiment, that one runs first.
func (r *runner) measure(e *fabricast.Experiment) (*fabricast.Result, error) {
	if balanced := e.Baseline(); balanced != nil {
		b, err := r.baseline(balanced)
		if err != nil {
			return nil, err
		}
		told := *e
		told.Imbalance.Of = b.SimulatedTime
		e = &told
	}
	return r.simulate(e)
}

// baseline returns the result of a balanced experiment. All points that are compared to it share
// it, and it may itself be a point.
func (r *runner) baseline(e *fabricast.Experiment) (*fabricast.Result, error) {
	key, err := e.Fingerprint()
	if err != nil {
		return nil, err
	}
	o := r.outcome(e, key, true)
	if o == nil {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		return nil, context.Canceled // the store has failed, which ends the sweep
	}
	return o.result, o.err
}
