package sweep

import "time"

// watch polls the store for the outcomes of other processes until over is closed. It starts with
// short pauses, for short sweeps.
func (r *runner) watch(over <-chan struct{}) {
	for pause := firstInterval; ; {
		select {
		case <-over:
			return
		case <-time.After(pause):
		}
		begin := time.Now()
		if err := r.look(); err != nil {
			r.fail(err)
			return
		}
		pause = max(min(2*pause, lookInterval), lookShare*time.Since(begin))
	}
}

// Pauses between polls of the store. A pause is at least lookShare times as long as the previous
// poll, which matters where folders are large or slow.
const (
	firstInterval = 20 * time.Millisecond
	lookInterval  = time.Second
	lookShare     = 50
)

// look reads the outcomes that other processes have stored. It also lets workers retry the points
// that other processes had claimed.
func (r *runner) look() error {
	results, failures, claimed, err := r.share.keys()
	if err != nil {
		return err
	}
	running := 0
	counted := map[string]bool{}
	for i := range r.points {
		key := r.points[i].Key
		switch {
		case r.isFinished(i):
		case results[key] || failures[key]:
			r.takeOver(i)
		case claimed[key] && !counted[key]:
			counted[key] = true
			running++
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.progress.Running = running
	r.todo, r.others = append(r.todo, r.others...), nil
	r.report()
	r.more.Broadcast()
	return nil
}

func (r *runner) isFinished(i int) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.finished[i]
}

// takeOver finishes a point whose outcome is in the store. It skips a point that a worker is
// processing.
func (r *runner) takeOver(i int) {
	key := r.points[i].Key
	o := r.outcomeOf(key)
	if !o.mutex.TryLock() {
		return
	}
	defer o.mutex.Unlock()
	if !o.done && r.share.known(key, o) {
		o.done, o.source = true, r.from(key)
	}
	if o.done {
		r.finish(i, o)
	}
}
