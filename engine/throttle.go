package engine

// throttle bounds how far parts run ahead: fewer windows while many are rolled back.
type throttle struct {
	now, most   int
	run, undone uint64 // at the last change
	rounds      int
}

// A throttle looks every so many rounds at what share of the windows was rolled back.
const throttleRounds = 16

func newThrottle(batch int) throttle { return throttle{now: max(1, batch), most: max(1, batch)} }

// adapt halves the batch if more than a third of the windows since the last look were rolled back,
// and doubles it if less than a tenth was.
func (t *throttle) adapt(kps []*kp) {
	if t.rounds++; t.rounds < throttleRounds {
		return
	}
	t.rounds = 0
	var run, undone uint64
	for _, k := range kps {
		undone += k.warp.RolledBack
		run += uint64(k.end()) + k.warp.RolledBack
	}
	if total, back := run-t.run, undone-t.undone; 3*back > total {
		t.now = max(1, t.now/2)
	} else if 10*back < total {
		t.now = min(t.most, 2*t.now)
	}
	t.run, t.undone = run, undone
}
