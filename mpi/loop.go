package mpi

import (
	"errors"
	"math"
	"unsafe"

	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// Loop is a program that consists of iterations whose messages do not depend on results of earlier
// calls. Its ranks need no stack while they wait: the state of a rank is the index of its iteration
// and the number of its operations that have been executed. To continue a rank, Loop replays the
// iteration: it runs the body again from the start, but skips the operations that have been
// executed, and everything after the next wait. So a rank takes a few words of memory instead of a
// coroutine with its stack.
//
// Replays imply restrictions. The operations of an iteration must depend only on the rank, the
// number of ranks and i. No blocking call may come between the start of a request and its wait.
// Buffers have only a size. Statuses are meaningless, and calls that return results (Now, WaitAny,
// Test, Probe, Iprobe, Split) are not allowed. Requests must not outlive a wait, except those
// stored in open; an iteration that uses open may wait only in its last operation.
type Loop struct {
	// Coroutines makes the ranks run as coroutines. The restrictions then do not apply.
	Coroutines bool
	// Open is the number of requests that each rank may keep from one iteration to the next.
	Open int
	// OpenOf, if not nil, replaces Open by a number for each rank.
	OpenOf func(rank int) int
	// Body runs iteration i, counted from 0, and reports whether another one follows. It must have
	// no side effects, because it may run any number of times, and also before the simulation.
	Body func(r *Rank, i int, open []Request) (more bool)
}

// Main runs the loop on a rank that is a coroutine. The results are the same.
func (l *Loop) Main(r *Rank) {
	open := make([]Request, l.kept(r.Rank()))
	for i := 0; l.Body(r, i, open); i++ {
	}
}

// kept returns the number of requests that a rank may keep from one iteration to the next.
func (l *Loop) kept(rank int) int {
	if l.OpenOf != nil {
		return l.OpenOf(rank)
	}
	return l.Open
}

// Replayed reports whether the ranks run by replay, without coroutines. They run as coroutines if
// an iteration has too many operations to be run repeatedly, or if Coroutines is set.
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

// longest is the maximum number of operations in an iteration that is replayed. If an algorithm
// skips rounds (see Comm.Round), all of its rounds count as one operation. So there are at most
// longest operations between two waits.
const longest = 128

// sampled is the number of iterations that are inspected for their length. It is more than one
// because consecutive iterations of a program may differ.
const sampled = 4

// length returns the maximum number of operations that rank 0 has in one of the first sampled
// iterations. If an iteration panics, it returns math.MaxInt, so that the loop runs as coroutines,
// which can report where the panic occurred.
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

// errOutcome is the panic value for a Loop body that requests a result, and errCrowded for a body
// that has too many operations without a blocking call.
var (
	errOutcome = errors.New("the body of a mpi.Loop asks for an outcome, which it cannot get")
	errCrowded = errors.New("the body of a mpi.Loop has too many operations between two calls that block")
)

// cursor is the position of a rank in an iteration that is being replayed.
type cursor struct {
	done  int  // operations that have been emitted, in this or earlier replays
	at    int  // operations of the body reached in this replay, skipped ones included
	calls int  // calls of the body in this replay
	waits bool // the last emitted operation blocks the rank

	paused bool // it is blocked only because there is no capacity for more operations

	flows *Flows // container of flow
	flow  *Flow  // the call in the background that is being executed; nil if none
	word  uint32 // identifies the flow
	// ID of the flow's first incomplete request that an operation not yet reached has started
	request uint32
	kept    *[]keptRequest // requests that the step has started; nil if the program has no steps
	// number of requests in kept that operations reached in this replay have started
	known int

	remembered *remembered // rounds in which ranks of a Loop wait; nil otherwise
	rounds     uint32      // number of those in which the replay ends; 0 if it does not end in rounds
}

// next counts an operation that the body has reached. It reports whether to emit it now: not if it was emitted in an
// earlier replay of the body, or if an operation before it blocks the rank.
func (c *cursor) next() bool {
	c.calls++
	c.at++
	if c.at <= c.done || c.waits {
		return false
	}
	c.done++
	return true
}

// call is like next for blocking calls. It also makes sure that there is capacity for all
// operations up to the next blocking call.
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

// pause ends the replay before the current operation.
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

// replayer holds the state shared by the ranks of a partition block that run a Loop. Only one of
// them runs at a time.
type replayer struct {
	loop     *Loop
	rank     Rank // the rank that runs at present
	cursor   cursor
	states   []replay    // unused memory for the next ranks
	open     [][]Request // requests kept between iterations; each slice serves several ranks
	together uint32      // number of ranks that share one slice of open
	ranks    uint32      // number of ranks created so far
	rounds   remembered  // rounds in which ranks wait
}

// replay is the program of one rank of a Loop.
type replay struct {
	*replayer
	i      int    // index of the iteration; negative after the last one
	done   uint32 // number of its operations that have been emitted
	number uint32 // index of the rank in its block
	rounds uint32 // number of the rounds in which it waits, see remembered; 0: none
}

const ended = -1

// slab is the number of ranks for which memory is allocated at once.
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

// mostPreloaded is the maximum number of cache lines of a rank's requests that are prefetched.
const mostPreloaded = 4

// Resume implements node.Program: it replays iterations until the rank has to wait.
func (p *replay) Resume(ops *node.Ops) {
	b := p.replayer
	b.rank.ops, b.rank.me = ops, int32(ops.Rank())
	for p.i != ended {
		if !ops.Fits(longest) || ops.Pause() {
			return
		}
		if r := b.rounds.of(p.rounds, p.done); r != nil && p.goOn(r) || p.replay() {
			return
		}
	}
	ops.Exit()
}

// replay continues the iteration after the operations that have been emitted. It reports whether the rank waits.
func (p *replay) replay() bool {
	b := p.replayer
	b.cursor = cursor{done: int(p.done), remembered: &b.rounds}
	more := b.loop.Body(&b.rank, p.i, p.kept())
	p.rounds = b.cursor.rounds
	switch {
	case b.cursor.at > b.cursor.done:
		p.done = uint32(b.cursor.done)
	case more:
		p.i, p.done, p.rounds = p.i+1, 0, 0
	default:
		p.i = ended
	}
	return b.cursor.waits
}

// State implements node.Stateful.
func (p *replay) State(v *snapshot.Visitor) {
	i := int64(p.i)
	snapshot.Value(v, &i)
	p.i, p.rounds = int(i), 0
	snapshot.Value(v, &p.done)
	snapshot.Values(v, p.kept())
}
