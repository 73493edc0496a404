package sweep

import (
	"errors"
	"sync"

	"fabricast"
)

// outcome is what came of an experiment, which several points may need.
type outcome struct {
	once   sync.Once
	result *fabricast.Result
	kept   bool // from an earlier run
	err    error
}

// outcome runs an experiment, unless it is kept or has run before. Who asks for one
// that is running waits for it.
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

// find looks for an outcome among those that are kept, or runs the experiment.
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

// baseline is the result of a balanced experiment: one for all points that are
// measured against it, which may be a point itself.
func (r *runner) baseline(e *fabricast.Experiment) (*fabricast.Result, error) {
	key, err := e.Fingerprint()
	if err != nil {
		return nil, err
	}
	o := r.outcome(e, key)
	return o.result, o.err
}
