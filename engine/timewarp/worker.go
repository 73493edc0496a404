package timewarp

import (
	"bytes"
	"math"
	"time"
)

// worker is a worker of a run by Time Warp, with its parts. Within a worker the part whose next
// window is the earliest comes first, so that its parts do not surprise one another.
type worker struct {
	crew *crew
	kps  []*kp
	// No window after this one is executed in this round: it might depend on what has been taken
	// back from parts of other workers, which do not know that yet.
	bar  int64
	cost roundCost // of this worker in this round
}

// round executes windows until the part that comes next has executed a batch beyond GVT, or nothing
// is left. Windows of GVT are executed in any case.
func (w *worker) round(gvt int64, batch int) {
	w.bar = math.MaxInt64
	w.cost = roundCost{}
	begin := time.Now()
	w.execute(gvt, batch)
	w.cost.work = int64(time.Since(begin))
	w.cost.all = w.cost.work
}

func (w *worker) execute(gvt int64, batch int) {
	last := int64(-1)
	for {
		k, horizon := w.pick()
		if k == nil || k.fault != nil || horizon > w.bar || k.ahead(gvt, batch) {
			return
		}
		if horizon > gvt && (batch == 1 || w.stops()) {
			return
		}
		if horizon > last {
			last = horizon
			w.cost.windows++
		}
		if horizon < k.due {
			w.takeBack(k, horizon)
			k.look()
			continue
		}
		k.step(w.crew.options.Check)
	}
}

// stops reports whether the run is to be stopped now. A worker that is alone first brings all parts
// to the end of the same window, as nothing can be undone.
func (w *worker) stops() bool {
	if !w.crew.stop.Load() {
		return false
	}
	if !w.crew.alone {
		return true
	}
	last, due := int64(-1), int64(math.MaxInt64)
	for _, k := range w.kps {
		last, due = max(last, k.done()), min(due, k.due)
	}
	return due > last
}

// pick returns the part that comes next, and its horizon; nil if nothing is left to do.
func (w *worker) pick() (best *kp, horizon int64) {
	horizon = math.MaxInt64
	for _, k := range w.kps {
		if h := k.horizon(); h < horizon {
			best, horizon = k, h
		}
	}
	return best, horizon
}

// ahead reports whether the part has executed so many windows beyond GVT.
func (k *kp) ahead(gvt int64, batch int) bool {
	return len(k.runs) >= batch && k.runs[len(k.runs)-batch].window >= gvt
}

// settle takes back what a part has sent in windows before the given one and has not sent again. It
// reports whether the part may go on with that window.
func (w *worker) settle(k *kp, window int64) bool {
	first := k.doubtful()
	if first >= window {
		return true
	}
	w.takeBack(k, first)
	k.look()
	return k.due == window && window <= w.bar
}

// send compares what a part has sent in a window with what it had sent in it before, if it had.
// What is the same stays. From the first difference on all is taken back and sent anew.
func (w *worker) send(k *kp, window int64) {
	if w.differs(k, window) {
		w.takeBack(k, window)
	}
	for _, c := range k.out {
		data := k.part.Packed(c.receiver)
		if len(data) == 0 {
			continue
		}
		if m := c.doubtful(); m != nil && m.sent == window { // the same, as nothing differs
			c.sure++
			k.tally.Confirmed++
			continue
		}
		c.fresh = append(c.fresh, mail{
			sent: window, first: k.part.Sent(c.receiver), data: k.keep(data), at: math.MaxInt,
		})
		if !c.crosses {
			w.crew.publish(c)
		}
	}
}

// differs reports whether a part sends something else in a window than it had sent in it before,
// if that is in doubt.
func (w *worker) differs(k *kp, window int64) bool {
	for _, c := range k.out {
		m := c.doubtful()
		if m == nil {
			continue
		}
		data := k.part.Packed(c.receiver)
		same := m.sent > window && len(data) == 0 ||
			m.sent == window && m.first == k.part.Sent(c.receiver) && bytes.Equal(m.data, data)
		if !same {
			return true
		}
	}
	return false
}

// takeBack takes back all that a part has sent in a window and later, and undoes whatever depends
// on it in parts of this worker.
func (w *worker) takeBack(k *kp, window int64) {
	for _, c := range k.out {
		published, count := c.cancel(window)
		k.tally.Cancelled += uint64(count)
		switch {
		case !published:
		case c.crosses && !w.crew.meeting:
			w.bar = min(w.bar, window)
		default:
			w.crew.takeOut(c)
		}
	}
}
