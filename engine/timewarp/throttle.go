package timewarp

import (
	"math/bits"
	"slices"
)

// Throttle decides how far parts run ahead. It weighs what meetings take, which larger batches make
// fewer, against what parts do in vain and what saved states take, which larger batches make more.
// It reads clocks: no result depends on the batch.
//
// It may be used for several runs of the same parts, one after the other. The zero value is ready
// for use.
type Throttle struct {
	setting throttleSetting
	level   int // batches are of 1<<level windows
	top     int
	// alone means that the first worker executes the windows of all parts in order, while the
	// others rest. Nothing is rolled back then, as in batches of one window, and nobody waits for
	// others.
	alone bool

	rounds  []roundCost // since the last look
	changed bool        // the next round to be added was another batch's

	// By level, what was spent besides useful work when it was last tried, as a share of that; 0:
	// it was not. It fades, so that a level is tried again.
	prices []float64
	// When the workers were last together: ns of a meeting, which fades, and the share of the work
	// that the busiest worker had.
	meeting, busiest float64
}

// throttleSetting is what does not change from run to run.
type throttleSetting struct {
	batch  int
	static bool // every batch is of that many windows
	// several workers of one process: one may do it all
	mayBeAlone bool
}

// roundCost is what rounds have cost, in all processes. Times are in ns.
type roundCost struct {
	work    int64 // of the workers that took longest
	all     int64 // of all workers, with saving and again
	meeting int64 // not of any worker: until all knew of each other
	further int64 // exchanges about what was taken back
	saving  int64 // of states
	again   int64 // restoring states, and repeating windows from there
	windows int64 // that differ, of one worker

	spent, undone int64 // cost of windows that were executed, and that were undone; see costs
}

const (
	// A throttle looks every so many rounds, or after fewer if most of the time was lost.
	throttleRounds = 16
	throttleEarly  = 4
	// savingLoss is what saving states is expected to take of the useful time.
	savingLoss = 1.0 / savingShare
	// A change has to promise that what a batch costs besides useful work falls to this share.
	worthwhile = 0.85
	// What was measured at other levels fades by this factor from look to look.
	fading = 1 - 1.0/128
)

func (s *throttleSetting) top() int { return bits.Len(uint(max(1, s.batch) - 1)) }

// begin prepares for a run.
func (t *Throttle) begin(s throttleSetting) {
	if t.setting != s || t.prices == nil {
		*t = Throttle{
			setting: s, top: s.top(), prices: make([]float64, s.top()+1), rounds: make([]roundCost, 0, throttleRounds),
		}
		if s.static {
			t.level = t.top
		}
	}
	t.forget()
}

// batch is how many windows parts execute at most beyond GVT. A batch of one is of the window of
// GVT only, in which nothing can come too late.
func (t *Throttle) batch() int { return min(max(1, t.setting.batch), 1<<t.level) }

// cautious reports whether no window is executed that may be undone.
func (t *Throttle) cautious() bool { return t.batch() == 1 }

// forget begins a new period.
func (t *Throttle) forget() { t.rounds, t.changed = t.rounds[:0], true }

// add takes note of what a round has cost, and looks if it is time.
func (t *Throttle) add(c *roundCost) {
	switch {
	case t.setting.static:
		return
	case t.changed:
		t.changed = false
		return
	}
	t.rounds = append(t.rounds, *c)
	early := len(t.rounds) == throttleEarly && t.level > 0
	if len(t.rounds) < throttleRounds && !early {
		return
	}
	if w := t.weigh(); !early || w.undone > w.useful {
		t.look(w)
	}
}

// beside adds what the same round has cost in another worker or process. All meet when the last one
// has done its work: what that one waited for is what the meeting took.
func (c *roundCost) beside(o *roundCost) {
	c.work, c.windows = max(c.work, o.work), max(c.windows, o.windows)
	c.meeting, c.further = min(c.meeting, o.meeting), min(c.further, o.further)
	c.all, c.saving, c.again = c.all+o.all, c.saving+o.saving, c.again+o.again
	c.spent, c.undone = c.spent+o.spent, c.undone+o.undone
}

// weighed is what the time of a period was spent on, in ns: that of the workers that took longest.
type weighed struct {
	work, all      float64 // of these, and of all workers
	useful, saving float64 // parts of work
	undone         float64 // the rest of work, and what exchanges took that were about it
	meetings       float64
}

// lost is what would not have been spent in batches of one window.
func (w *weighed) lost() float64 { return w.saving + w.undone }

// weigh divides the time of the period.
func (t *Throttle) weigh() (w weighed) {
	w.work = max(1, t.typical(func(c *roundCost) int64 { return c.work }))
	w.meetings = t.typical(func(c *roundCost) int64 { return c.meeting })
	w.all = max(1, t.typical(func(c *roundCost) int64 { return c.all }))
	saving := min(1, t.typical(func(c *roundCost) int64 { return c.saving })/w.all)
	again := min(1-saving, t.typical(func(c *roundCost) int64 { return c.again })/w.all)
	var spent, undone int64
	for i := range t.rounds {
		spent, undone = spent+t.rounds[i].spent, undone+t.rounds[i].undone
	}
	vain := again + (1-saving-again)*min(1, float64(undone)/float64(max(1, spent)))
	w.saving, w.undone = saving*w.work, vain*w.work
	w.useful = max(1, w.work-w.saving-w.undone)
	w.undone += t.typical(func(c *roundCost) int64 { return c.further })
	return w
}

// typical returns a sum over the rounds, in which the mean of three quarters of them stands for the
// quarter of the greatest: other programs on the machine make some rounds long.
func (t *Throttle) typical(of func(*roundCost) int64) float64 {
	var values [throttleRounds]int64
	n := len(t.rounds)
	for i := range t.rounds {
		values[i] = of(&t.rounds[i])
	}
	slices.Sort(values[:n])
	counted, sum := n-n/4, int64(0)
	for _, v := range values[:counted] {
		sum += v
	}
	return float64(sum) * float64(n) / float64(counted)
}

// look decides on the next batch.
func (t *Throttle) look(w weighed) {
	if t.alone {
		t.lookAlone(w)
		t.forget()
		return
	}
	for level := range t.prices {
		t.prices[level] *= fading
	}
	t.prices[t.level] = (w.meetings + w.lost()) / w.useful
	t.meeting, t.busiest = w.meetings/float64(len(t.rounds)), min(1, w.work/w.all)
	level := t.level
	switch {
	case t.setting.mayBeAlone && w.useful/t.busiest < w.work+w.meetings:
		t.alone, t.level = true, 0
	case t.lower(w) < t.level:
		t.level = t.lower(w)
	case t.level < t.top && t.grows(w):
		t.level++
	}
	changed := t.level != level || t.alone
	t.forget()
	t.changed = changed
}

// lower returns the level, at most the present one, that is expected to cost least. Half a batch
// makes at most twice as many rounds, and half as much is undone.
func (t *Throttle) lower(w weighed) (best int) {
	best = t.level
	least := worthwhile * (w.meetings + w.lost())
	for level := t.level - 1; level >= 0; level-- {
		times := float64(int(1) << (t.level - level))
		cost := w.meetings * times
		if level > 0 {
			cost += w.saving + w.undone/times
		}
		if price := t.prices[level]; price > 0 {
			cost = min(cost, price*w.useful)
		}
		if cost < least {
			best, least = level, cost
		}
	}
	return best
}

// grows reports whether twice the batch is expected to cost less.
func (t *Throttle) grows(w weighed) bool {
	lost := w.saving + 2*w.undone
	if t.level == 0 {
		lost = savingLoss * w.useful
	}
	cost := max(w.meetings/2+lost, t.prices[t.level+1]*w.useful)
	return cost < worthwhile*(w.meetings+w.lost())
}

// lookAlone looks whether the workers would take less time together.
func (t *Throttle) lookAlone(w weighed) {
	t.meeting *= fading
	windows := t.typical(func(c *roundCost) int64 { return c.windows })
	together := t.busiest*w.all + t.meeting*windows
	t.alone = together > worthwhile*w.all
}
