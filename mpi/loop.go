package mpi

import (
	"errors"
	"math"
	"unsafe"

	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// Loop is a program of iterations whose messages do not depend on their results. Its ranks need no
// stack while they wait: the state of a rank is the number of its iteration and the number of
// operations done in it. To continue, the iteration is run again from its beginning. Operations
// that are done are skipped, and so is everything after the next wait. So a rank takes a few words
// of memory instead of a coroutine with its stack.
//
// This causes restrictions. The operations of an iteration must be a function of the rank, the
// number of ranks and i alone. Calls that block must not come between a request and its wait.
// Buffers have only a size. Statuses are meaningless, and calls that return results (Now, WaitAny,
// Test, Probe, Iprobe, Split) must not be made. Requests do not outlive a wait, except those in
// open; an iteration that uses open waits only in its last operation.
type Loop struct {
	// Coroutines selects coroutines; the restrictions then do not apply.
	Coroutines bool
	// Open is how many requests each rank may keep from one iteration to the next.
	Open int
	// OpenOf, if not nil, returns that number for each rank, instead of Open.
	OpenOf func(rank int) int
	// Body runs iteration i, counted from 0, and reports whether there is another one. It must have
	// no side effects: it runs any number of times, also before the simulation.
	Body func(r *Rank, i int, open []Request) (more bool)
}

// Main runs the loop on a rank that is a coroutine, with the same result.
func (l *Loop) Main(r *Rank) {
	open := make([]Request, l.kept(r.Rank()))
	for i := 0; l.Body(r, i, open); i++ {
	}
}

// kept returns how many requests a rank may keep.
func (l *Loop) kept(rank int) int {
	if l.OpenOf != nil {
		return l.OpenOf(rank)
	}
	return l.Open
}

// Replayed reports whether the ranks run without coroutines. They need coroutines if an iteration
// has too many operations to run it repeatedly, or if Coroutines is set.
func (l *Loop) Replayed(ranks int) bool { return !l.Coroutines && l.length(ranks) <= longest }

// Programs returns a launcher that runs the loop on every rank of one world.
func (l *Loop) Programs() node.Launcher {
	coroutines := Programs(l.Main)
	return func(ranks int) func(rank int) node.Program {
		if !l.Replayed(ranks) {
			return coroutines(ranks)
		}
		b := &replayer{loop: l, together: uint32(max(1, min(slab, 16*slab/max(1, l.Open))))}
		if l.OpenOf != nil {
			b.together = 1
		}
		b.rank.Comm = Comm{rank: &b.rank, group: &group{context: node.WorldContext, size: ranks}}
		b.rank.cursor = &b.cursor
		return b.program
	}
}

// longest is the largest number of operations of an iteration that is replayed. All rounds of an
// algorithm that skips them at once (see Comm.Round) count as one operation. So there are never
// more than longest operations between two waits.
const longest = 128

// sampled is how many iterations are inspected to find their length: a program may repeat itself
// only after several iterations.
const sampled = 4

// length returns the largest number of operations of rank 0 in one of the first iterations. If an
// iteration panics, it returns math.MaxInt, because coroutines can report where the panic occurred.
func (l *Loop) length(ranks int) (n int) {
	r := Rank{cursor: new(cursor)}
	r.Comm = Comm{rank: &r, group: &group{size: ranks}}
	open := make([]Request, l.kept(0))
	defer func() {
		if recover() != nil {
			n = math.MaxInt
		}
	}()
	more := true
	for i := 0; more && i < sampled; i++ {
		*r.cursor = cursor{done: math.MaxInt}
		more = l.Body(&r, i, open)
		n = max(n, r.cursor.calls)
	}
	return n
}

// errOutcome is the panic of a Loop's body that asks for a result. errCrowded is the panic of one
// that has too many operations without a blocking call.
var (
	errOutcome = errors.New("the body of a mpi.Loop asks for an outcome, which it cannot get")
	errCrowded = errors.New("the body of a mpi.Loop has too many operations between two calls that block")
)

// cursor is the position of a rank in an iteration that is being replayed.
type cursor struct {
	done  int  // operations that have been emitted, in this replay or before
	at    int  // operations passed in this replay
	calls int  // calls by which these were passed
	waits bool // the last emitted operation has to wait

	paused bool // it waits only because no more operations fit

	flows   *Flows         // of the flow
	flow    *Flow          // of a call in the background; else nil
	word    uint32         // of the flow
	request uint32         // the first of the flow's requests of an operation not yet passed
	kept    *[]keptRequest // requests that the step has started; nil if there are no steps
	known   int            // of kept, the requests of operations passed in this replay
}

// next counts an operation, and reports whether it is to be emitted now.
func (c *cursor) next() bool {
	c.calls++
	c.at++
	if c.at <= c.done || c.waits {
		return false
	}
	c.done++
	return true
}

// call is like next for blocking calls. It makes sure that the other operations fit that may follow
// before the next blocking call.
func (c *cursor) call(ops *node.Ops) bool {
	if !c.next() {
		return false
	}
	if !ops.Fits(blockingOps + longest) {
		c.pause()
		return false
	}
	return true
}

// pause stops before the current operation.
func (c *cursor) pause() {
	c.done--
	c.waits, c.paused = true, true
}

// round implements Comm.Round during a replay.
func (c *cursor) round(k, n int) int {
	c.calls++
	if c.waits {
		c.at += n - k
		return n
	}
	passed := min(c.done-c.at, n-k)
	c.at += passed
	return k + passed
}

// replayer is what the ranks of a block that run a Loop share. Only one of them runs at a time.
type replayer struct {
	loop     *Loop
	rank     Rank // the rank that runs now
	cursor   cursor
	states   []replay    // space for the next ranks
	open     [][]Request // requests kept between iterations, several ranks in one slice
	together uint32      // number of ranks in one slice
	ranks    uint32      // so far
}

// replay is the program of one rank of a Loop.
type replay struct {
	*replayer
	i      int    // iteration; ended after the last
	done   uint32 // operations of it that have been emitted
	number uint32 // among the ranks of the block
}

const ended = -1

// slab is for how many ranks memory is allocated at once.
const slab = 256

// program returns the program of a rank.
func (b *replayer) program(rank int) node.Program {
	if b.ranks%slab == 0 {
		b.states = make([]replay, slab)
	}
	if b.ranks%b.together == 0 {
		b.open = append(b.open, make([]Request, int(b.together)*b.loop.kept(rank)))
	}
	p := &b.states[b.ranks%slab]
	p.replayer, p.number = b, b.ranks
	b.ranks++
	return p
}

// kept returns the requests that the rank keeps between iterations.
func (p *replay) kept() []Request {
	open := p.open[p.number/p.together]
	n := uint32(len(open)) / p.together
	return open[p.number%p.together*n:][:n:n]
}

// Preload implements node.Preloader: it prefetches the requests that the rank keeps.
func (p *replay) Preload() {
	if open := p.kept(); len(open) > 0 {
		bytes := uint64(len(open)) * uint64(unsafe.Sizeof(open[0]))
		prefetch.Lines(unsafe.Pointer(&open[0]), min(bytes/prefetch.LineSize+1, mostPreloaded))
	}
}

// mostPreloaded is how many cache lines of a rank's requests are prefetched at most.
const mostPreloaded = 4

// Resume implements node.Program: it replays iterations until the rank has to wait.
func (p *replay) Resume(ops *node.Ops) {
	b := p.replayer
	b.rank.ops, b.rank.me = ops, int32(ops.Rank())
	open := p.kept()
	for p.i != ended {
		if !ops.Fits(longest) || ops.Pause() {
			return
		}
		b.cursor = cursor{done: int(p.done)}
		more := b.loop.Body(&b.rank, p.i, open)
		switch {
		case b.cursor.at > b.cursor.done:
			p.done = uint32(b.cursor.done)
		case more:
			p.i, p.done = p.i+1, 0
		default:
			p.i = ended
		}
		if b.cursor.waits {
			return
		}
	}
	ops.Exit()
}

// State implements node.Stateful.
func (p *replay) State(v *snapshot.Visitor) {
	i := int64(p.i)
	snapshot.Value(v, &i)
	p.i = int(i)
	snapshot.Value(v, &p.done)
	snapshot.Values(v, p.kept())
}
