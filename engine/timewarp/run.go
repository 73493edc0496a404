package timewarp

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"fabricast/engine"
	"fabricast/engine/internal/together"
	"fabricast/internal/cluster"
)

// Run simulates parts by Time Warp until none has anything left to do, or stop is set. It uses the
// given number of workers, at most one a part. A panic of a part ends the run, once it is certain that
// its window stands, and is returned as an *engine.Fault.
//
// When the run is stopped, all parts are left as they were before the window of GVT.
func Run(parts []Part, workers int, stop *atomic.Bool, o Options) (Cost, error) {
	c := newCrew(parts, workers, stop, o)
	together.Run(len(c.workers), c.work)
	if c.failed != nil {
		return c.sum(), c.failed
	}
	return c.sum(), c.finish()
}

// crew is what the workers of a run by Time Warp share. Rounds alternate with meetings, in
// which worker 0 alone does what concerns several workers.
type crew struct {
	options Options
	kps     []*kp // of this process
	workers []*worker
	barrier together.Barrier
	stop    *atomic.Bool
	others  *abroad // nil if there are none
	// alone means that the first worker has all parts of the only process. It executes their windows
	// in order, so that nothing comes too late, and no state has to be saved. The other workers rest.
	alone   bool
	turn    atomic.Int32 // who works in the next round: everyone, only the first, or nobody any more
	rest    sync.Cond    // workers wait here while the first is alone
	mutex   sync.Mutex
	meeting bool

	gvt    int64
	batch  *Throttle
	met    time.Time // when the last meeting ended
	cost   roundCost // of the round that ended then
	spent  [2]int64  // cost of windows executed and undone, up to then
	rounds int
	ended  bool
	broken *engine.Fault // of a part, in a window that stands
	failed error         // why the run ends
	tally  Cost          // what is not counted by part
}

func newCrew(parts []Part, workers int, stop *atomic.Bool, o Options) *crew {
	c := &crew{options: o, stop: stop, batch: o.Throttle, met: time.Now()}
	c.rest.L = &c.mutex
	if c.batch == nil {
		c.batch = new(Throttle)
	}
	if o.Until == 0 {
		c.options.Until = math.MaxInt64
	}
	workers = max(1, min(workers, len(parts)))
	if o.Check {
		workers = 1
	}
	for range workers {
		c.workers = append(c.workers, &worker{crew: c, bar: math.MaxInt64})
	}
	several := cluster.Several(o.Group)
	c.connect(parts)
	c.batch.begin(throttleSetting{o.Batch, o.Static || o.Check, workers > 1 && !several})
	c.divide(workers == 1 && !several || c.batch.alone)
	for _, k := range c.kps {
		k.begin = k.did(-1)
		k.costs.oldest = k.begin
		k.look()
	}
	if several {
		c.others = newAbroad(c, o.Group, len(parts))
	}
	return c
}

// connect makes the kernel processes of this process, and the channels from and to each of them.
func (c *crew) connect(parts []Part) {
	rank, size := 0, 1
	if g := c.options.Group; cluster.Several(g) {
		rank, size = g.Rank(), g.Size()
	}
	all := make([]*kp, len(parts)*size) // nil: of another process
	for i, part := range parts {
		k := &kp{part: part, number: rank*len(parts) + i, until: c.options.Until}
		all[k.number] = k
		c.kps = append(c.kps, k)
	}
	for sender, from := range all {
		for receiver, to := range all {
			if sender == receiver || from == nil && to == nil {
				continue
			}
			ch := &channel{from: from, to: to, sender: sender, receiver: receiver}
			if from != nil {
				from.out = append(from.out, ch)
			}
			if to != nil {
				to.in = append(to.in, ch)
			}
		}
	}
}

// Who works in a round.
const (
	everyone = iota
	onlyFirst
	nobody
)

// divide divides the parts among the workers, or gives all to the first.
func (c *crew) divide(alone bool) {
	c.alone = alone
	n := len(c.workers)
	for i, w := range c.workers {
		first, end := i*len(c.kps)/n, (i+1)*len(c.kps)/n
		if alone && i == 0 {
			end = len(c.kps)
		} else if alone {
			first = end
		}
		w.kps = c.kps[first:end]
		for _, k := range w.kps {
			k.worker = w
		}
	}
	for _, k := range c.kps {
		for _, ch := range k.in {
			ch.crosses = ch.from == nil || ch.from.worker != k.worker
		}
		for _, ch := range k.out {
			ch.crosses = ch.to == nil || ch.to.worker != k.worker
		}
	}
	if n > 1 && alone {
		c.turn.Store(onlyFirst)
	}
}

// work is the main loop of a worker.
func (c *crew) work(worker int) {
	for {
		turn := c.turn.Load()
		if turn == onlyFirst && worker > 0 {
			turn = c.idle()
		}
		if turn == nobody {
			return
		}
		n := len(c.workers)
		if turn == onlyFirst {
			n = 1
		}
		batch := c.batch.batch()
		if c.alone {
			batch = c.options.Batch
		}
		c.workers[worker].round(c.gvt, batch)
		c.barrier.Wait(n)
		if worker == 0 {
			c.meet()
		}
		c.barrier.Wait(n)
	}
}

// idle waits until other workers than the first are needed, and returns who works then.
func (c *crew) idle() (turn int32) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for c.turn.Load() == onlyFirst {
		c.rest.Wait()
	}
	return c.turn.Load()
}

// next says who works in the next round.
func (c *crew) next(turn int32) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.turn.Store(turn)
	c.rest.Broadcast()
}

// takeOut removes what a channel's sender has taken back, and undoes what depends on it.
func (c *crew) takeOut(ch *channel) {
	if ch.to == nil { // another process does
		return
	}
	run := ch.removeCut()
	if run == math.MaxInt {
		ch.to.look()
		return
	}
	k := ch.to
	if run < k.end() {
		window := k.runs[run-k.firstRun].window
		k.undo(run)
		k.worker.takeBack(k, window)
	} else {
		k.undo(run)
	}
	k.look()
}

// publish hands new mail to the receiver in this process. If it comes too late, the receiver is
// taken back to before the window in which it has an effect.
func (c *crew) publish(ch *channel) {
	k := ch.to
	first := ch.append()
	if first <= k.reached() {
		k.tally.Stragglers++
		k.undo(k.runAt(first))
	}
	k.look()
}

// meet is what happens between two rounds.
func (c *crew) meet() {
	c.meeting = true
	defer func() { c.meeting = false }()
	c.rounds++
	c.tally.Rounds++
	if c.alone || c.batch.cautious() {
		c.tally.Cautious++
	}
	for _, k := range c.kps {
		for _, ch := range k.out {
			if ch.crosses && ch.cut < len(ch.mails) {
				c.takeOut(ch)
			}
		}
	}
	all := abroadHead{stopped: c.stop.Load(), broken: c.broken != nil, cost: c.cost}
	if c.others != nil {
		all = c.others.exchange(all)
	}
	for _, k := range c.kps {
		for _, ch := range k.in {
			if ch.crosses && len(ch.fresh) > 0 {
				c.publish(ch)
			}
		}
	}
	if c.others == nil {
		all.horizon = c.horizon()
	}
	c.advance(all)
	c.measure(all)
}

// measure finds out what the round has cost up to the end of its meeting. The throttle, which needs
// the costs of all processes, learns of them in the next meeting.
func (c *crew) measure(all abroadHead) {
	now := time.Now()
	var cost roundCost
	for _, w := range c.workers {
		if len(w.kps) > 0 {
			cost.beside(&w.cost)
		}
	}
	cost.further = all.further
	cost.meeting = int64(now.Sub(c.met)) - cost.work - cost.further
	c.met = now
	var spent [2]int64
	for _, k := range c.kps {
		spent[0] += int64(k.costs.spent)
		spent[1] += int64(k.costs.wasted)
	}
	cost.spent, cost.undone = spent[0]-c.spent[0], spent[1]-c.spent[1]
	c.cost, c.spent = cost, spent
}

// horizon returns the first window in which any part of this process may still do something.
func (c *crew) horizon() int64 {
	first := int64(math.MaxInt64)
	for _, k := range c.kps {
		first = min(first, k.horizon())
	}
	return first
}

// advance sets GVT, and decides whether the run ends.
func (c *crew) advance(all abroadHead) {
	c.gvt = all.horizon
	if c.gvt >= c.options.Until {
		c.gvt = math.MaxInt64
	}
	if all.stopped {
		c.stop.Store(true)
	}
	if all.broken {
		c.failed = engine.ErrElsewhere
		if c.broken != nil {
			c.failed = c.broken
		}
	}
	for _, k := range c.kps {
		switch {
		case c.broken != nil:
		case k.wrong != nil:
			c.broken = k.wrong
		case k.fault != nil && k.torn <= c.gvt:
			c.broken = k.fault // the other processes hear of it in the next meeting
		}
	}
	if c.others == nil && c.broken != nil {
		c.failed = c.broken
	}
	c.ended = all.stopped || c.gvt == math.MaxInt64 || c.failed != nil
	if c.rounds%max(1, c.options.Interval) == 0 || c.ended {
		c.collect(c.gvt)
	}
	if c.options.GVT != nil {
		c.options.GVT(c.gvt)
	}
	switch c.batch.add(&all.cost); {
	case c.ended:
		c.next(nobody)
	case c.batch.alone != c.alone && len(c.workers) > 1:
		c.divide(c.batch.alone)
		if !c.alone {
			c.next(everyone)
		}
	}
}

// collect forgets what lies before GVT.
func (c *crew) collect(gvt int64) {
	c.tally.GVTRounds++
	for _, k := range c.kps {
		k.commit(gvt)
	}
	for _, k := range c.kps {
		for _, ch := range k.in {
			ch.forget(ch.settled(gvt))
		}
		for _, ch := range k.out {
			if ch.to == nil {
				ch.forget(ch.settled(gvt))
			}
		}
	}
}

// finish takes back what parts have done beyond GVT, if the run was stopped, and leaves every part in
// the state after its last window. Parts get all that was sent before GVT.
func (c *crew) finish() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = engine.Caught(v)
		}
	}()
	if c.broken != nil {
		return c.broken
	}
	for _, k := range c.kps {
		k.undo(k.runAt(c.gvt))
		k.refresh()
		k.receive(c.gvt)
	}
	return nil
}

// sum returns what the run has cost.
func (c *crew) sum() Cost {
	total := c.tally
	for _, k := range c.kps {
		of, end := k.tally, k.costs.oldest
		if run := min(k.runAt(c.gvt), k.end()); run > 0 {
			of.Committed, end = uint64(run), k.before(run)
		}
		of.CommittedPackets = end.packets - k.begin.packets
		if c.options.Check {
			of.RolledBackPackets = of.CommittedPackets
		}
		total.Add(&of)
	}
	return total
}
