package engine

import (
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"fabricast/internal/cluster"
	"fabricast/internal/panics"
)

// RunOptimistic simulates parts by Time Warp until none has anything left to do, or stop is set. It
// uses the given number of workers, at most one a part. A panic of a part ends the run, once it is
// certain that its window stands, and is returned as a *Fault.
//
// Several processes may share the run; g is nil if there is one. Each has the same number of parts:
// parts are numbered from those of the first process on. gvt, if it is not nil, is called between
// rounds with each new GVT: windows before it will not be undone.
//
// When the run is stopped, all parts are left as they were before the window of GVT.
func RunOptimistic(
	parts []Part, o Optimism, workers int, stop *atomic.Bool, g cluster.Group, gvt func(window int64),
) (Warp, error) {
	c := newWarpCrew(parts, o, workers, stop, g)
	c.tell = gvt
	var wg sync.WaitGroup
	for i := 1; i < len(c.workers); i++ {
		wg.Go(panics.Guarded("worker of the engine", func() { c.work(i) }))
	}
	c.work(0)
	wg.Wait()
	if c.failed != nil {
		return c.sum(), c.failed
	}
	return c.sum(), c.finish()
}

// warpCrew is what the workers of a run by Time Warp share. Rounds alternate with meetings, in
// which worker 0 alone does what concerns several workers.
type warpCrew struct {
	options Optimism
	kps     []*kp // of this process
	workers []*warper
	barrier barrier
	stop    *atomic.Bool
	others  *abroad // nil if there are none
	// alone means that the first worker has all parts of the only process. It executes their windows
	// in order, so that nothing comes too late, and no state has to be saved. The other workers rest.
	alone   bool
	turn    atomic.Int32 // who works in the next round: everyone, only the first, or nobody any more
	rest    sync.Cond    // workers wait here while the first is alone
	mutex   sync.Mutex
	meeting bool
	tell    func(int64)

	gvt     int64
	batch   *Throttle
	met     time.Time // when the last meeting ended
	cost    roundCost // of the round that ended then
	spent   [2]int64  // cost of windows executed and undone, up to then
	rounds  int
	ended   bool
	broken  *Fault // of a part, in a window that stands
	failed  error  // why the run ends
	overall Warp   // what is not counted by part
}

func newWarpCrew(parts []Part, o Optimism, workers int, stop *atomic.Bool, g cluster.Group) *warpCrew {
	c := &warpCrew{options: o, stop: stop, batch: o.Throttle, met: time.Now()}
	c.rest.L = &c.mutex
	if c.batch == nil {
		c.batch = new(Throttle)
	}
	rank, size := 0, 1
	if cluster.Several(g) {
		rank, size = g.Rank(), g.Size()
	}
	all := make([]*kp, len(parts)*size)
	workers = max(1, min(workers, len(parts)))
	if o.Check {
		workers = 1
	}
	if c.options.Until == 0 {
		c.options.Until = math.MaxInt64
	}
	for range workers {
		c.workers = append(c.workers, &warper{crew: c, bar: math.MaxInt64})
	}
	for i, part := range parts {
		k := &kp{part: part, number: rank*len(parts) + i, until: c.options.Until}
		k.in, k.out = make([]*channel, len(all)), make([]*channel, len(all))
		all[k.number] = k
		c.kps = append(c.kps, k)
	}
	for from, sender := range all {
		for to, receiver := range all {
			if from != to && (sender != nil || receiver != nil) {
				connect(sender, receiver, from, to)
			}
		}
	}
	c.batch.begin(throttleSetting{o.Batch, o.Static || o.Check, workers > 1 && size == 1})
	c.divide(workers == 1 && size == 1 || c.batch.alone)
	for _, k := range c.kps {
		work, packets := k.part.Work()
		k.begin = executed{-1, work, packets}
		k.costs.oldest = k.begin
		k.look()
	}
	if cluster.Several(g) {
		c.others = newAbroad(c, g, len(parts))
	}
	return c
}

// connect makes the channel from one part to another, of which one may be nil.
func connect(sender, receiver *kp, from, to int) {
	ch := &channel{from: sender, to: receiver}
	if sender != nil {
		sender.out[to] = ch
	}
	if receiver != nil {
		receiver.in[from] = ch
	}
}

// Who works in a round.
const (
	everyone = iota
	onlyFirst
	nobody
)

// divide divides the parts among the workers, or gives all to the first.
func (c *warpCrew) divide(alone bool) {
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
			if ch != nil {
				ch.crosses = ch.from == nil || ch.from.worker != k.worker
			}
		}
		for _, ch := range k.out {
			if ch != nil {
				ch.crosses = ch.to == nil || ch.to.worker != k.worker
			}
		}
	}
	if n > 1 && alone {
		c.turn.Store(onlyFirst)
	}
}

// work is the main loop of a worker.
func (c *warpCrew) work(worker int) {
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
		c.barrier.wait(n)
		if worker == 0 {
			c.meet()
		}
		c.barrier.wait(n)
	}
}

// idle waits until other workers than the first are needed, and returns who works then.
func (c *warpCrew) idle() (turn int32) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for c.turn.Load() == onlyFirst {
		c.rest.Wait()
	}
	return c.turn.Load()
}

// next says who works in the next round.
func (c *warpCrew) next(turn int32) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.turn.Store(turn)
	c.rest.Broadcast()
}

// takeOut removes what a channel's sender has taken back, and undoes what depends on it.
func (c *warpCrew) takeOut(ch *channel) {
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
func (c *warpCrew) publish(ch *channel) {
	k := ch.to
	first := ch.append()
	if first <= k.reached() {
		k.warp.Stragglers++
		k.undo(k.runAt(first))
	}
	k.look()
}

// meet is what happens between two rounds.
func (c *warpCrew) meet() {
	c.meeting = true
	defer func() { c.meeting = false }()
	c.rounds++
	c.overall.Rounds++
	if c.alone || c.batch.cautious() {
		c.overall.Cautious++
	}
	for _, k := range c.kps {
		for _, ch := range k.out {
			if ch != nil && ch.crosses && ch.cut < len(ch.mails) {
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
			if ch != nil && ch.crosses && len(ch.fresh) > 0 {
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
func (c *warpCrew) measure(all abroadHead) {
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
func (c *warpCrew) horizon() int64 {
	first := int64(math.MaxInt64)
	for _, k := range c.kps {
		first = min(first, k.horizon())
	}
	return first
}

// advance sets GVT, and decides whether the run ends.
func (c *warpCrew) advance(all abroadHead) {
	c.gvt = all.horizon
	if c.gvt >= c.options.Until {
		c.gvt = math.MaxInt64
	}
	if all.stopped {
		c.stop.Store(true)
	}
	if all.broken {
		c.failed = ErrElsewhere
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
	if c.tell != nil {
		c.tell(c.gvt)
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
func (c *warpCrew) collect(gvt int64) {
	c.overall.Collections++
	for _, k := range c.kps {
		k.commit(gvt)
	}
	for _, k := range c.kps {
		for _, ch := range k.in {
			if ch != nil {
				ch.forget(ch.settled(gvt))
			}
		}
		for _, ch := range k.out {
			if ch != nil && ch.to == nil {
				ch.forget(ch.settled(gvt))
			}
		}
	}
}

// settled returns the number of mails that will never be read again.
func (c *channel) settled(gvt int64) int {
	end := min(c.sure, c.since(gvt))
	if c.to == nil {
		return end
	}
	n := 0
	for n < min(end, c.taken) && c.mails[n].at < c.to.firstRun {
		n++
	}
	return n
}

// finish takes back what parts have done beyond GVT, if the run was stopped, and leaves every part in
// the state after its last window. Parts get all that was sent before GVT.
func (c *warpCrew) finish() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Fault{Value: v, Stack: debug.Stack()}
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
func (c *warpCrew) sum() Warp {
	total := c.overall
	for _, k := range c.kps {
		work := k.warp
		end := k.costs.oldest
		if run := min(k.runAt(c.gvt), k.end()); run > 0 {
			work.Committed, end = uint64(run), k.before(run)
		}
		work.CommittedPackets = end.packets - k.begin.packets
		if c.options.Check {
			work.RolledBackPackets = work.CommittedPackets
		}
		work.Rounds, work.Collections, work.Synchronizations = 0, 0, 0
		total.Add(&work)
	}
	return total
}
