package engine

import (
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"fabricast/engine/internal/together"
	"fabricast/internal/panics"
)

// Block is a Part that Run drives. Blocks share memory.
//
// Rounds count the executed windows from 1, also those in which a block has nothing to do. What blocks
// send to each other in Run of round r is received by Collect of round r+1. No Run of round r+1 begins
// before every Collect of round r has ended.
type Block interface {
	Part
	// Lookahead returns the longest permitted window (ps), from the next window on. It may change
	// during Run and Collect.
	Lookahead() int64
	// Window and SetWindow get and set the length (ps) of windows. It is the same for all blocks,
	// and changes only between rounds.
	Window() int64
	SetWindow(length int64)
	// Collect receives what other blocks sent in the previous round.
	Collect(round uint64)
}

// denseWork is the work per window (see Part.Work) from which on several workers are worthwhile.
// One worker continues alone after sparseWindows consecutive windows with less work. All workers
// resume when the mean over denseWindows windows reaches denseWork. Such a change costs some ten
// microseconds.
const (
	denseWork     = 120
	sparseWindows = 32
	denseWindows  = 16
)

// patience is how many consecutive windows could have been longer before windows are made longer.
// Changing the length visits every router.
const patience = 64

// Balancer moves work between blocks while they are run.
type Balancer interface {
	// Interval is after how much work of all blocks (see Part.Work) the next look is due. It changes
	// only by a look.
	Interval() uint64
	// Look is called by one worker between two rounds, while no block is used, in all processes that
	// share a model when it is due in one of them. It may change what blocks have to do, but not the
	// length of windows.
	Look()
}

// Option changes how Run runs.
type Option func(c *crew)

// Across lets other processes simulate blocks of their own meanwhile; nil: there are none. A stop in
// one process stops all, and sets stop in all. If blocks of another process have panicked, the error
// of Run is ErrElsewhere.
func Across(p Processes) Option { return func(c *crew) { c.processes = p } }

// After continues a run that has been stopped: the blocks have done so many rounds.
func After(rounds uint64) Option { return func(c *crew) { c.round = rounds } }

// Balanced lets a balancer move work between the blocks; nil: none does.
func Balanced(b Balancer) Option { return func(c *crew) { c.balancer = b } }

// Run simulates the blocks until none has anything left to do, or stop is set. It uses the given
// number of workers, at most one per block. A panic in a block ends the run and is returned as a
// *Fault. The number of windows executed is returned in any case.
func Run(
	blocks []Block, workers int, stop *atomic.Bool, options ...Option,
) (windows uint64, err error) {
	workers = max(1, min(workers, len(blocks)))
	c := &crew{blocks: blocks, stop: stop, workers: workers}
	for _, o := range options {
		o(c)
	}
	rounds, p := c.round, c.processes
	if len(blocks) == 1 && p == nil {
		return runOne(blocks[0], stop, rounds)
	}
	c.near = newAgreement(p, c.balancer)
	c.reports[0], c.reports[1] = make([]report, workers), make([]report, workers)
	c.rest.L = &c.mutex
	together.Run(workers, func(worker int) { c.work(worker, rounds) })
	if c.near != nil {
		c.near.with.Settle()
	}
	windows = c.round - rounds
	if f := c.fault.Load(); f != nil {
		return windows, f
	}
	if c.broken {
		return windows, ErrElsewhere
	}
	return windows, nil
}

// runOne is Run for a single block, with minimal overhead between windows. Programs that wait for
// one message at a time have windows with hardly any work.
func runOne(b Block, stop *atomic.Bool, rounds uint64) (windows uint64, err error) {
	// also where memory of programs in C is missing
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = Caught(v)
		}
	}()
	panics.Provoke("model")
	var fit fit
	for !stop.Load() {
		window := b.Next()
		if window == math.MaxInt64 {
			break
		}
		if length := b.Lookahead(); fit.change(b.Window(), length) {
			b.SetWindow(length)
			continue
		}
		windows++
		b.Run(window, rounds+windows)
	}
	return windows, nil
}

// crew holds what the workers share.
type crew struct {
	blocks  []Block
	stop    *atomic.Bool
	fault   atomic.Pointer[Fault]
	workers int
	reports [2][]report // by turn modulo 2: one is read while the next is written
	barrier together.Barrier

	round uint64 // last executed round at the start, when worker 0 stopped working alone, and at the end

	processes Processes  // nil if there are no others
	near      *agreement // nil unless neighbours are enough
	agreed    report     // by all processes
	values    []int64    // of the agreement
	broken    bool       // a process has failed
	balancer  Balancer   // nil if there is none

	rest  sync.Cond // workers other than 0 wait here while worker 0 works alone
	mutex sync.Mutex
}

// report holds what a worker reports to the others at a barrier. It fills a cache line of its own.
type report struct {
	next      int64
	lookahead int64  // the shortest of its blocks'
	window    int64  // the length in use
	work      uint64 // in its last window
	stop      bool
	looks     bool // of all workers together: a look of the balancer is due
	resize    bool // of neighbours: the length of windows changes
	_         [24]byte
}

// work is the main loop of a worker: it simulates its share of the blocks, window by window, after
// so many rounds.
func (c *crew) work(worker int, round uint64) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as in runOne
	n := c.workers
	mine := c.blocks[worker*len(c.blocks)/n : (worker+1)*len(c.blocks)/n]
	var done uint64
	var fit fit
	sparse := 0 // windows in a row with little work
	looks := looks{of: c.balancer}
	looks.begin()
	for turn := 0; ; turn++ {
		total := sum(mine)
		c.reports[turn&1][worker] = report{
			next: next(mine), lookahead: lookahead(mine), window: mine[0].Window(),
			work: total - done, stop: c.stopping(),
		}
		done = total
		c.barrier.Wait(n)
		all := agree(c.reports[turn&1])
		all.looks = looks.due(all.work)
		if c.processes != nil {
			if worker == 0 {
				c.agreed = c.across(all)
			}
			c.barrier.Wait(n)
			all = c.agreed
		}
		if all.stop || all.next == math.MaxInt64 {
			break
		}
		if all.looks {
			if worker == 0 {
				c.look()
			}
			c.barrier.Wait(n)
			looks.begin()
			continue
		}
		if all.resize || c.near == nil && fit.change(all.window, all.lookahead) {
			setWindow(mine, all.lookahead)
			continue
		}
		if sparse++; all.work >= denseWork {
			sparse = 0
		}
		if n > 1 && c.processes == nil && sparse > sparseWindows {
			round = c.alone(worker, round)
			done, sparse = sum(mine), 0
			looks.begin()
			continue
		}
		round++
		c.step(mine, all.next, round)
	}
	if worker == 0 {
		c.round = round
	}
}

// fit decides when to change the length of windows: at once if they must become shorter, after
// patience windows if they can become longer.
type fit struct{ roomy int }

func (f *fit) change(window, lookahead int64) bool {
	f.roomy++
	if lookahead == window {
		f.roomy = 0
	}
	if lookahead >= window && f.roomy < patience {
		return false
	}
	f.roomy = 0
	return true
}

// looks is a worker's count of the work since the balancer's last look, which is the same in all
// workers.
type looks struct {
	of       Balancer // nil if there is none
	interval uint64   // as it was after that look
	since    uint64
}

// due reports whether the next look is due after so much more work.
func (l *looks) due(work uint64) bool {
	if l.of == nil {
		return false
	}
	l.since += work
	return l.since >= l.interval
}

// begin begins to count anew. Between two barriers no other worker may be in a look.
func (l *looks) begin() {
	if l.since = 0; l.of != nil {
		l.interval = l.of.Interval()
	}
}

// look lets the balancer look. It records a panic as the crew's fault. With several processes, which
// would wait for messages of this one, it ends the process.
func (c *crew) look() {
	defer func() {
		if c.processes != nil {
			return
		}
		if v := recover(); v != nil {
			c.fault.CompareAndSwap(nil, Caught(v))
		}
	}()
	c.balancer.Look()
}

// agree combines the reports of all workers. Every worker computes the same result.
func agree(reports []report) report {
	all := reports[0]
	for _, r := range reports[1:] {
		all.next = min(all.next, r.next)
		all.lookahead = min(all.lookahead, r.lookahead)
		all.window = max(all.window, r.window)
		all.work += r.work
		all.stop = all.stop || r.stop
	}
	return all
}

func (c *crew) stopping() bool { return c.stop.Load() || c.fault.Load() != nil }

// alone lets worker 0 simulate all blocks while the others rest, until there is enough work for
// all. It returns the round that was reached.
func (c *crew) alone(worker int, round uint64) uint64 {
	if worker != 0 {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		for c.round <= round {
			c.rest.Wait()
		}
		return c.round
	}
	before := sum(c.blocks)
	var fit fit
	looks := looks{of: c.balancer}
	looks.begin()
	for i := 1; i == 1 || !c.stopping(); i++ {
		if l := lookahead(c.blocks); fit.change(c.blocks[0].Window(), l) {
			setWindow(c.blocks, l)
		}
		window := next(c.blocks)
		if window == math.MaxInt64 {
			break
		}
		round++
		c.step(c.blocks, window, round)
		if i%denseWindows == 0 {
			total := sum(c.blocks)
			if looks.due(total - before) {
				c.look()
				looks.begin()
			}
			if total-before >= denseWindows*denseWork {
				break
			}
			before = total
		}
	}
	c.mutex.Lock()
	c.round = round
	c.rest.Broadcast()
	c.mutex.Unlock()
	return round
}

// step simulates one window of some blocks. It records a panic as the crew's fault.
func (c *crew) step(blocks []Block, window int64, round uint64) {
	defer func() {
		if v := recover(); v != nil {
			c.fault.CompareAndSwap(nil, Caught(v))
		}
	}()
	if round == 1 {
		panics.Provoke("model")
	}
	if c.near != nil && c.fault.Load() != nil {
		return // until all processes know it
	}
	for _, b := range blocks {
		b.Collect(round)
	}
	for _, b := range blocks {
		b.Run(window, round)
	}
}

// next returns the earliest window in which any of the blocks, or of those that they have just sent
// something to, has something to do.
func next(blocks []Block) int64 {
	window := int64(math.MaxInt64)
	for _, b := range blocks {
		window = min(window, b.Next(), b.Sent(Anyone))
	}
	return window
}

func lookahead(blocks []Block) int64 {
	length := int64(math.MaxInt64)
	for _, b := range blocks {
		length = min(length, b.Lookahead())
	}
	return length
}

func setWindow(blocks []Block, length int64) {
	for _, b := range blocks {
		b.SetWindow(length)
	}
}

func sum(blocks []Block) uint64 {
	var work uint64
	for _, b := range blocks {
		work += b.Work()
	}
	return work
}
