package engine

// Throttle bounds how far parts run ahead: fewer windows while many are rolled back. It may be used
// for several runs of the same parts, one after the other. The zero value is ready for use.
type Throttle struct {
	now, most   int
	run, undone uint64 // at the last change
	rounds      int
	// After a batch was halved it is not doubled before so many looks: twice as many as before if
	// the last doubling did not last.
	patience, waited int
	doubled          bool // the last change was to double
}

// A throttle looks every so many rounds at what share of the windows was rolled back.
const throttleRounds = 16

// mostPatience is the most looks that a throttle waits before it tries a larger batch again.
const mostPatience = 64

// begin prepares for a run with batches of at most so many windows.
func (t *Throttle) begin(batch int) {
	batch = max(1, batch)
	if t.most != batch {
		*t = Throttle{now: batch, most: batch, patience: 1}
	}
	t.run, t.undone, t.rounds = 0, 0, 0
}

// adapt halves the batch if more than a third of the windows since the last look were rolled back,
// and doubles it if less than a tenth was.
func (t *Throttle) adapt(kps []*kp) {
	if t.rounds++; t.rounds < throttleRounds {
		return
	}
	t.rounds = 0
	var run, undone uint64
	for _, k := range kps {
		undone += k.warp.RolledBack
		run += uint64(k.end()) + k.warp.RolledBack
	}
	t.look(run-t.run, undone-t.undone)
	t.run, t.undone = run, undone
}

// look takes note of how many windows were executed since the last look, and how many of them were
// rolled back.
func (t *Throttle) look(run, undone uint64) {
	t.waited++
	switch {
	case 3*undone > run && t.now > 1:
		t.now /= 2
		if t.doubled {
			t.patience = min(2*t.patience, mostPatience)
		}
		t.waited, t.doubled = 0, false
	case 10*undone < run && t.now < t.most && t.waited >= t.patience:
		t.now = min(t.most, 2*t.now)
		t.waited, t.doubled = 0, true
	case t.doubled && t.waited >= t.patience: // it has lasted
		t.patience, t.doubled = max(1, t.patience/2), false
	}
}
