package engine

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Block is a part of a model that is run by one worker at a time.
//
// Rounds count the executed windows from 1. What blocks send one another in
// Run of round r is what Collect of round r+1 takes in; no Run of round r+1 begins
// before every Collect of round r has ended.
type Block interface {
	// Next is the earliest window in which the block has something to do, or
	// in which something matters that it sent in its last Run; math.MaxInt64 if none.
	Next() int64
	// Lookahead is the longest window (ps) that the block can bear from the next
	// one on. It may change in the course of Run and Collect.
	Lookahead() int64
	// Window and SetWindow are the length (ps) of the windows in use, the same
	// for all blocks; it is changed between rounds.
	Window() int64
	SetWindow(length int64)
	// Collect takes in what the other blocks sent in the round before.
	Collect(round uint64)
	// Run executes a window.
	Run(window int64, round uint64)
	// Work is a measure of what the block has done so far, in router visits.
	Work() uint64
}

// denseWork is the work in a window from which on several workers pay off. It
// takes sparseWindows windows in a row with less until one worker goes on alone, and
// as much on the average of denseWindows windows until all work again: changing costs
// some ten microseconds.
const (
	denseWork     = 120
	sparseWindows = 32
	denseWindows  = 16
)

// patience is the number of windows in a row that could have been longer until
// windows are made longer, which takes a look at every router.
const patience = 64

// Fault is a panic of a model, caught so that the run ends in order.
type Fault struct {
	Value any
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// Unwrap returns the panic's value if it was an error.
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// Run drives the blocks until none has anything left to do, or stop is set.
// It uses the given number of workers, at most one a block. A panic in a block
// ends the run and is returned as *Fault. The number of windows executed is
// returned in any case.
func Run(blocks []Block, workers int, stop *atomic.Bool) (windows uint64, err error) {
	workers = max(1, min(workers, len(blocks)))
	if len(blocks) == 1 {
		return runOne(blocks[0], stop)
	}
	c := &crew{blocks: blocks, stop: stop, workers: workers}
	c.reports[0], c.reports[1] = make([]report, workers), make([]report, workers)
	c.rest.L = &c.mutex
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.work(w)
		}()
	}
	c.work(0)
	wg.Wait()
	if f := c.fault.Load(); f != nil {
		return c.round, f
	}
	return c.round, nil
}

// runOne is Run for a single block, with as little as possible between two windows: programs that wait for
// one message at a time have windows with hardly anything in them.
func runOne(b Block, stop *atomic.Bool) (windows uint64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Fault{Value: v, Stack: debug.Stack()}
		}
	}()
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
		b.Run(window, windows)
	}
	return windows, nil
}

// crew is what the workers share.
type crew struct {
	blocks  []Block
	stop    *atomic.Bool
	fault   atomic.Pointer[Fault]
	workers int
	reports [2][]report // by turn modulo 2: one is read while the next is written
	barrier barrier

	round uint64 // the last executed when worker 0 stopped working alone, and at the end

	rest  sync.Cond // where workers other than 0 wait while it works alone
	mutex sync.Mutex
}

// report is what a worker tells the others before a barrier, on a cache line of its own.
type report struct {
	next      int64
	lookahead int64  // the shortest of its blocks'
	window    int64  // the length in use
	work      uint64 // in its last window
	stop      bool
	_         [24]byte
}

// work is a worker's life: it runs its share of the blocks, window by window.
func (c *crew) work(worker int) {
	n := c.workers
	mine := c.blocks[worker*len(c.blocks)/n : (worker+1)*len(c.blocks)/n]
	var round, done uint64
	var fit fit
	sparse := 0 // windows in a row with little work
	for turn := 0; ; turn++ {
		total := sum(mine)
		c.reports[turn&1][worker] = report{
			next: next(mine), lookahead: lookahead(mine), window: mine[0].Window(),
			work: total - done, stop: c.stopping(),
		}
		done = total
		c.barrier.wait(n)
		all := agree(c.reports[turn&1])
		if all.stop || all.next == math.MaxInt64 {
			break
		}
		if fit.change(all.window, all.lookahead) {
			setWindow(mine, all.lookahead)
			continue
		}
		if sparse++; all.work >= denseWork {
			sparse = 0
		}
		if n > 1 && sparse > sparseWindows {
			round = c.alone(worker, round)
			done, sparse = sum(mine), 0
			continue
		}
		round++
		c.step(mine, all.next, round)
	}
	if worker == 0 {
		c.round = round
	}
}

// fit decides when to change the length of windows: at once if they must be
// shorter, after some time if they could be longer.
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

// agree draws the same conclusions from the reports at every worker.
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

// alone lets worker 0 drive all blocks until there is enough to do for all
// workers; the others rest. It returns the round that has been reached.
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

// step runs one window of some blocks; a panic becomes the crew's fault.
func (c *crew) step(blocks []Block, window int64, round uint64) {
	defer func() {
		if v := recover(); v != nil {
			c.fault.CompareAndSwap(nil, &Fault{Value: v, Stack: debug.Stack()})
		}
	}()
	for _, b := range blocks {
		b.Collect(round)
	}
	for _, b := range blocks {
		b.Run(window, round)
	}
}

func next(blocks []Block) int64 {
	window := int64(math.MaxInt64)
	for _, b := range blocks {
		window = min(window, b.Next())
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
