package mpi

import (
	"errors"
	"math"

	"fabricast/node"
)

// Loop is a program of iterations whose messages do not depend on what comes of
// them. Such a program needs no stack while a rank waits: where the rank stands
// is told by the iteration and the number of operations done in it. To go on, the
// iteration is run again from its beginning, with the operations that are done
// passed over, up to the next wait; what comes after that is passed over too. So a rank
// is a few words instead of a coroutine with its stack.
//
// The restrictions follow from this. The operations of an iteration must be a
// function of the rank, the number of ranks and i alone, and calls that block must
// not come between a request and its wait. Buffers have only a size.
// Statuses mean nothing, and what would tell an outcome (Now, WaitAny, Test, Probe,
// Iprobe, Split) must not be called. Requests do not outlive a wait, except
// those in open, and an iteration that uses open waits only in its last operation.
type Loop struct {
	// Coroutines asks for coroutines: the restrictions then do not hold.
	Coroutines bool
	// Open is how many requests each rank may keep from one iteration to the next.
	Open int
	// OpenOf, if set, tells it for each rank in place of Open.
	OpenOf func(rank int) int
	// Body is iteration i, counted from 0. It tells whether there is another. It must
	// have no effects of its own: it runs any number of times, also before the simulation.
	Body func(r *Rank, i int, open []Request) (more bool)
}

// Main is the program as a function for coroutines, with the same result.
func (l *Loop) Main(r *Rank) {
	open := make([]Request, l.kept(r.Rank()))
	for i := 0; l.Body(r, i, open); i++ {
	}
}

// kept is how many requests a rank may keep.
func (l *Loop) kept(rank int) int {
	if l.OpenOf != nil {
		return l.OpenOf(rank)
	}
	return l.Open
}

// Replayed tells whether the ranks need no coroutines. They do where an iteration
// has too many operations to run it again and again, and where they are asked for.
func (l *Loop) Replayed(ranks int) bool { return !l.Coroutines && l.length(ranks) <= longest }

// Programs makes the loop the program of every rank of one world.
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

// longest is the most operations that an iteration may have that is replayed,
// where the rounds of an algorithm that passes over them at once count as one.
// So there are never more between two waits.
const longest = 128

// sampled is how many iterations are looked at to tell how long they are: a
// program may take several turns to get round.
const sampled = 4

// length is the most operations of rank 0 in one of its first iterations. One that
// fails counts as long, for coroutines can tell where.
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

// errOutcome is what a Loop's body panics with that asks for an outcome, and
// errCrowded with that goes on too long without a call that blocks.
var (
	errOutcome = errors.New("the body of a mpi.Loop asks for an outcome, which it cannot be told")
	errCrowded = errors.New("the body of a mpi.Loop has too many operations between two calls that block")
)

// cursor is how far a replayed iteration has come.
type cursor struct {
	done  int  // operations of it that have been emitted, in this replay or before
	at    int  // operations that it has come by
	calls int  // by which it has come by them
	waits bool // the last one emitted has to wait
}

// next tells whether the operation that comes now is to be emitted.
func (c *cursor) next() bool {
	c.calls++
	c.at++
	if c.at <= c.done || c.waits {
		return false
	}
	c.done++
	return true
}

// call is next for calls that block. It leaves room for the other operations
// that may follow before the next of them.
func (c *cursor) call(ops *node.Ops) bool {
	if !c.next() {
		return false
	}
	if !ops.Fits(blockingOps + longest) {
		c.done--
		c.waits = true
		return false
	}
	return true
}

// round is Comm.Round.
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

// replayer is what the ranks of a block that run a Loop have in common. Only
// one of them runs at a time.
type replayer struct {
	loop     *Loop
	rank     Rank // whichever runs
	cursor   cursor
	states   []replay    // room for the next ranks
	open     [][]Request // kept by some ranks together
	together uint32      // by how many
	ranks    uint32      // so far
}

// replay is the program of one rank.
type replay struct {
	*replayer
	i      int    // iteration; ended after the last
	done   uint32 // operations of it that have been emitted
	number uint32 // among the ranks of the block
}

const ended = -1

// slab is for how many ranks room is made at once.
const slab = 256

// program makes the program of a rank.
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

// kept are the requests that the rank keeps open.
func (p *replay) kept() []Request {
	open := p.open[p.number/p.together]
	n := uint32(len(open)) / p.together
	return open[p.number%p.together*n:][:n:n]
}

// Resume implements node.Program.
func (p *replay) Resume(ops *node.Ops) {
	b := p.replayer
	b.rank.ops, b.rank.me = ops, int32(ops.Rank())
	open := p.kept()
	for p.i != ended {
		if !ops.Fits(longest) {
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
