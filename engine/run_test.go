package engine_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"fabricast/engine"
)

// cell is a block of a toy model: tokens that hop from block to block. A token
// that is handled in window w at block i goes to block (i+step) mod n for window
// w+delay, until its hops are used up. What a block has seen is hashed in order.
type cell struct {
	index   int
	all     []*cell
	due     map[int64][]token // by window
	out     [2][]mail         // by round modulo 2
	round   uint64
	work    uint64
	seen    uint64
	window  int64
	shorter int64 // what Lookahead becomes once window 100 is over
	onRun   func(window int64)
}

type token struct{ id, hops int }

type mail struct {
	to     int
	window int64
	token  token
}

func (c *cell) Next() int64 {
	next := int64(math.MaxInt64)
	for w := range c.due {
		next = min(next, w)
	}
	return next
}

func (c *cell) Sent(to int) int64 {
	first := int64(math.MaxInt64)
	for _, m := range c.out[c.round&1] {
		if to == engine.Anyone || to == m.to {
			first = min(first, m.window)
		}
	}
	return first
}

func (c *cell) Collect(round uint64) {
	for _, other := range c.all {
		for _, m := range other.out[(round-1)&1] {
			if m.to == c.index {
				c.due[m.window] = append(c.due[m.window], m.token)
			}
		}
	}
}

func (c *cell) Run(window int64, round uint64) {
	c.round = round
	c.out[round&1] = c.out[round&1][:0]
	if c.onRun != nil {
		c.onRun(window)
	}
	sum := uint64(0) // tokens of one window have no order
	for _, t := range c.due[window] {
		c.work++
		sum += uint64(t.id)*2654435761 + uint64(t.hops)
		if t.hops > 0 {
			next := token{t.id, t.hops - 1}
			delay := int64(1 + (t.id*7+t.hops)%40)
			c.out[round&1] = append(c.out[round&1], mail{(c.index + t.id) % len(c.all), window + delay, next})
		}
	}
	delete(c.due, window)
	c.seen = (c.seen ^ sum ^ uint64(window)) * 1099511628211
}

func (c *cell) Work() uint64           { return c.work }
func (c *cell) Lookahead() int64       { return c.shorter }
func (c *cell) Window() int64          { return c.window }
func (c *cell) SetWindow(length int64) { c.window = length }
func (c *cell) start(tokens, hops int) {
	for t := range tokens {
		w := int64(t % 5)
		c.due[w] = append(c.due[w], token{c.index*tokens + t, hops})
	}
}

func cells(n int) ([]*cell, []engine.Block) {
	all := make([]*cell, n)
	blocks := make([]engine.Block, n)
	for i := range all {
		all[i] = &cell{index: i, due: make(map[int64][]token), window: 10, shorter: 10}
		blocks[i] = all[i]
	}
	for _, c := range all {
		c.all = all
	}
	return all, blocks
}

// play runs the toy model and returns what its blocks have seen.
func play(t *testing.T, workers, tokens, hops int) []uint64 {
	t.Helper()
	all, blocks := cells(4)
	for _, c := range all {
		c.start(tokens, hops)
	}
	if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	var seen []uint64
	var work uint64
	for _, c := range all {
		seen = append(seen, c.seen)
		work += c.work
	}
	if want := uint64(4 * tokens * (hops + 1)); work != want {
		t.Fatalf("%d workers: %d tokens handled, want %d", workers, work, want)
	}
	return seen
}

// Dense runs keep all workers busy, sparse ones are driven by one; in between
// the crew changes from the one to the other again and again.
func TestWorkersSeeTheSame(t *testing.T) {
	for name, load := range map[string]struct{ tokens, hops int }{
		"sparse": {1, 300}, "between": {400, 60}, "dense": {3000, 20},
	} {
		t.Run(name, func(t *testing.T) {
			want := play(t, 1, load.tokens, load.hops)
			for workers := 2; workers <= 5; workers++ {
				got := play(t, workers, load.tokens, load.hops)
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%d workers: block %d saw %x, one worker %x", workers, i, got[i], want[i])
					}
				}
			}
		})
	}
}

func TestWindowsGetShorterTogether(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		all, blocks := cells(3)
		for _, c := range all {
			c.start(500, 30)
		}
		all[1].onRun = func(window int64) {
			if window >= 50 {
				all[1].shorter = 4
			}
		}
		if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.window != 4 {
				t.Errorf("%d workers: block %d has windows of %d, want 4", workers, c.index, c.window)
			}
		}
	}
}

func TestStopEndsTheRun(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		all, blocks := cells(3)
		var stop atomic.Bool
		for _, c := range all {
			c.start(200, 1<<30)
		}
		all[2].onRun = func(window int64) {
			if window > 500 {
				stop.Store(true)
			}
		}
		windows, err := engine.Run(blocks, workers, &stop)
		if err != nil || windows < 10 {
			t.Fatalf("%d workers: %d windows, %v", workers, windows, err)
		}
	}
}

func TestPanicBecomesAFault(t *testing.T) {
	broken := errors.New("broken on purpose")
	for workers := 1; workers <= 3; workers++ {
		all, blocks := cells(3)
		for _, c := range all {
			c.start(300, 100)
		}
		all[1].onRun = func(window int64) {
			if window > 50 {
				panic(broken)
			}
		}
		_, err := engine.Run(blocks, workers, new(atomic.Bool))
		var fault *engine.Fault
		if !errors.As(err, &fault) || !errors.Is(err, broken) || len(fault.Stack) == 0 {
			t.Fatalf("%d workers: %v", workers, err)
		}
	}
}

// looker looks at cells while none may run, and makes what they have to do look the same from other
// places: it gives all that is due at a cell to another map.
type looker struct {
	all      []*cell
	running  *atomic.Int64
	looks    int
	interval uint64
	fault    bool
}

func (l *looker) Interval() uint64 { return l.interval }

func (l *looker) Look() {
	if n := l.running.Load(); n != 0 {
		panic("a cell runs during a look")
	}
	if l.fault {
		panic("fault in a look")
	}
	l.looks++
	l.interval = 1 + l.interval*3%17
	for _, c := range l.all {
		due := make(map[int64][]token)
		for w, list := range c.due {
			due[w] = list
		}
		c.due = due
	}
}

// A balancer looks while no block runs, with any number of workers, and changes nothing by that.
func TestLooksAreBetweenRounds(t *testing.T) {
	want := play(t, 1, 400, 60)
	for workers := 1; workers <= 4; workers++ {
		all, blocks := cells(4)
		l := &looker{all: all, running: new(atomic.Int64), interval: 1}
		for i, c := range all {
			c.start(400, 60)
			blocks[i] = &counted{c, l.running}
		}
		if _, err := engine.Run(blocks, workers, new(atomic.Bool), engine.Balanced(l)); err != nil {
			t.Fatal(err)
		}
		for i, c := range all {
			if c.seen != want[i] {
				t.Errorf("%d workers: block %d saw %x, without looks %x", workers, i, c.seen, want[i])
			}
		}
		if l.looks < 20 {
			t.Errorf("%d workers: %d looks", workers, l.looks)
		}
	}
}

// counted counts the blocks that run.
type counted struct {
	*cell
	running *atomic.Int64
}

func (c *counted) Run(window int64, round uint64) {
	c.running.Add(1)
	c.cell.Run(window, round)
	c.running.Add(-1)
}

// A panic of a balancer ends the run as one of a block does.
func TestFaultInLook(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		all, blocks := cells(3)
		for _, c := range all {
			c.start(1000, 20)
		}
		l := &looker{all: all, running: new(atomic.Int64), interval: 100, fault: true}
		_, err := engine.Run(blocks, workers, new(atomic.Bool), engine.Balanced(l))
		var fault *engine.Fault
		if !errors.As(err, &fault) || fault.Value != "fault in a look" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
