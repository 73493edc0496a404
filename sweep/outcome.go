package sweep

import (
	"errors"
	"sync"

	"fabricast"
)

// outcome is the result or error of an experiment, which several points may share.
type outcome struct {
	once   sync.Once
	result *fabricast.Result
	kept   bool // stored by an earlier run
	err    error
}

// outcome returns the outcome of an experiment. It runs the experiment unless a result is stored or
// another point runs it; in the latter case it waits.
func (r *runner) outcome(e *fabricast.Experiment, key string) *outcome {
	r.mutex.Lock()
	o := r.outcomes[key]
	if o == nil {
		o = new(outcome)
		r.outcomes[key] = o
	}
	r.mutex.Unlock()
	o.once.Do(func() { r.find(o, e, key) })
	return o
}

// find loads a stored result, or runs the experiment.
func (r *runner) find(o *outcome, e *fabricast.Experiment, key string) {
	if r.store != nil {
		o.result = r.store.load(key)
	}
	if o.kept = o.result != nil; o.kept {
		return
	}
	if balanced := e.Baseline(); balanced != nil {
		b, err := r.baseline(balanced)
		if err != nil {
			o.err = err
			return
		}
		told := *e
		told.Imbalance.Of = b.SimulatedTime
		e = &told
	}
	if o.result, o.err = r.simulate(e); o.err != nil || r.store == nil {
		return
	}
	if err := r.store.save(key, o.result); err != nil {
		r.mutex.Lock()
		r.err = errors.Join(r.err, err)
		r.mutex.Unlock()
	}
}

// baseline returns the result of a balanced experiment. All points that need it share it, and it
// may be a point itself.
func (r *runner) baseline(e *fabricast.Experiment) (*fabricast.Result, error) {
	key, err := e.Fingerprint()
	if err != nil {
		return nil, err
	}
	o := r.outcome(e, key)
	return o.result, o.err
}
