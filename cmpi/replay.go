package cmpi

import (
	"math"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/calls"
	"fabricast/node"
	"fabricast/pacing"
)

// replayed is a collective that needs no strand, because its algorithm is stackless (see
// collective.Info). To continue, the algorithm is run again and skips what is done. It implements
// collective.Comm for the algorithm. The fields of the call that it needs are copied here: a rank
// that continues then touches only a few cache lines, unlike a coroutine with its stack.
type replayed struct {
	ops *node.Ops
	// calls of the communicator that have begun, and those passed in this run of the algorithm
	done, at   int
	combined   int   // in a reduction, calls whose operands have been combined
	room       int64 // bytes of the buffer that the rank is receiving into
	what       int32
	waits      bool // the last call has to wait, so later ones are skipped
	rank, size int32
	context    int32
	root       int32
	ranks      *int32 // world ranks; nil: the same as in the world
	send, recv node.Buf
	algorithm  collective.Algorithm
	again      calls.Func // runs the algorithm again
	call       *host.Call
	reduction  *reduction // nil if it is none
	scratch    []byte     // for operands
	lends      bool       // the algorithm does not change what it sends (see collective.Lender)
	loans      *loans     // nil if it has sent nothing that is long
}

// chosen caches how a collective is run, because most calls are like the one before. It is valid
// only for the job's table, and if that does not depend on sites or on where ranks are.
type chosen struct {
	what, size, commutative int32
	bytes                   int64
	algorithm               collective.Algorithm
	again                   calls.Func // nil if a strand is needed
}

// reduction is the operation of the reduction that is run at present, one for all ranks of a block.
type reduction struct {
	op   collective.Op
	call *host.Call
}

func newReduction() *reduction {
	r := &reduction{}
	r.op.Name = "predefined operation"
	r.op.Combine = func(inout, in []byte) { host.Combine(r.call, in, inout) }
	return r
}

// of makes it that of a call.
func (r *reduction) of(c *host.Call) *collective.Op {
	r.call, r.op.Elem, r.op.Commutative = c, int(c.Elem), c.Commutative != 0
	return &r.op
}

var (
	_ collective.Again  = (*replayed)(nil)
	_ collective.Lender = (*replayed)(nil)
)

// replayKind returns the kind of a collective that may be replayed, and the bytes by which its
// algorithm is chosen; "" for others.
func replayKind(c *host.Call) (kind collective.Kind, bytes int64) {
	switch c.What {
	case host.Barrier:
		return collective.KindBarrier, 0
	case host.Alltoall:
		return collective.KindAlltoall, c.SendSize / int64(c.Size)
	case host.Allgather:
		return collective.KindAllgather, c.SendSize
	case host.Broadcast:
		return collective.KindBroadcast, c.RecvSize
	case host.Allreduce:
		if host.Predefined(c.Op) { // one of the program's own needs the rank's stack, and may end it
			return collective.KindAllreduce, c.SendSize
		}
	}
	return "", 0
}

// replays reports whether the collective that the C side waits for needs no strand, and prepares
// it.
func (p *program) replays() bool {
	c := p.rank.Call
	kind, bytes := replayKind(c)
	if kind == "" || c.Remote != nil || p.ops.World().Works() || pacing.Of(p.ops.World()).Paces(kind) {
		return false
	}
	how := p.choosesAgain(c, kind, bytes)
	if how.again == nil {
		return false
	}
	p.replayed = replayed{
		what: c.What, rank: c.Rank, size: c.Size, context: c.Context + node.Collectives,
		root: c.Root, ranks: c.Ranks,
		send: contents(c, c.Send, c.SendSize),
		recv: contents(c, c.Recv, c.RecvSize), algorithm: how.algorithm, again: how.again, call: c,
	}
	if c.What == host.Allreduce {
		p.replayed.reduction = p.block.reduction
	}
	return true
}

// choosesAgain is like choose, but caches the result for calls like the previous one of the block.
func (p *program) choosesAgain(c *host.Call, kind collective.Kind, bytes int64) chosen {
	last := &p.block.chosen
	job := p.block.job
	common := p.table == nil && job.sites == nil && !job.placed
	if common && last.what == c.What && last.size == c.Size && last.commutative == c.Commutative &&
		last.bytes == bytes {
		return *last
	}
	a := p.choose(c, kind, bytes)
	how := chosen{c.What, c.Size, c.Commutative, bytes, a, calls.Anew(kind, a, int(c.Size))}
	if common {
		*last = how
	}
	return how
}

// goOn advances the replayed collective as far as possible. It returns false if it has to wait.
func (p *program) goOn() bool {
	c := &p.replayed
	c.ops, c.at, c.waits = p.ops, 0, false
	p.state = replaying
	c.run()
	if c.waits {
		return false
	}
	c.scratch = nil
	c.reclaim()
	p.state = ready
	return true
}

// run runs the algorithm from its beginning.
func (c *replayed) run() {
	var op *collective.Op
	if c.reduction != nil {
		op = c.reduction.of(c.call)
	}
	if c.done > 0 {
		c.again(c, c.send, c.recv, int(c.root), op)
		return
	}
	switch c.what {
	case host.Barrier:
		barrier.Run(c, c.algorithm)
	case host.Alltoall:
		alltoall.Run(c, c.send, c.recv, c.algorithm)
	case host.Allgather:
		allgather.Run(c, c.send, c.recv, c.algorithm)
	case host.Broadcast:
		broadcast.Run(c, c.recv, int(c.root), c.algorithm)
	case host.Allreduce:
		allreduce.Run(c, c.send, c.recv, op, c.algorithm)
	}
}

// Combines implements collective.Again.
func (c *replayed) Combines() bool {
	if c.waits || c.at <= c.combined {
		return false
	}
	c.combined = c.at
	return true
}

// Scratch implements collective.Again.
func (c *replayed) Scratch(n int) []byte {
	if c.scratch == nil {
		c.scratch = make([]byte, n)
	}
	return c.scratch
}

// received reports to the C side the first message that was longer than its buffer.
func (c *replayed) received(m node.Envelope) {
	if int64(m.Size) > c.room && c.call.CutSize == 0 {
		c.call.CutSize, c.call.CutRoom, c.call.CutSource = int64(m.Size), c.room, m.Source
	}
}

func (c *replayed) Rank() int { return int(c.rank) }
func (c *replayed) Size() int { return int(c.size) }

// Round implements collective.Comm: each round is one call. It does not pass a round whose operands
// have not been combined.
func (c *replayed) Round(k, n int) int {
	if c.waits {
		return n
	}
	done := c.done
	if c.reduction != nil {
		done = c.combined
	}
	passed := min(done-c.at, n-k)
	c.at += passed
	return k + passed
}

// begins reports whether the present call is to be executed now. A call needs at most 3 operations.
func (c *replayed) begins() bool {
	c.at++
	if c.at <= c.done || c.waits {
		return false
	}
	if c.room = math.MaxInt64; !c.ops.Fits(3) {
		c.waits = true
		return false
	}
	c.done++
	return true
}

// world returns the world rank of a rank.
func (c *replayed) world(rank int) int32 {
	if c.ranks != nil {
		return unsafe.Slice(c.ranks, c.size)[rank]
	}
	return int32(rank)
}

func (c *replayed) isend(buf node.Buf, dst, tag int) node.Request {
	return c.ops.Send(buf, c.world(dst), c.rank, int32(tag), c.context)
}

func (c *replayed) irecv(buf node.Buf, src, tag int) node.Request {
	c.room = int64(buf.Len())
	return c.ops.RecvCut(buf, int32(src), int32(tag), c.context)
}

// wait waits for the requests of one call.
func (c *replayed) wait(rs ...node.Request) {
	if c.waits = c.ops.WaitAll(rs...); !c.waits {
		c.received(c.ops.Received())
	}
}

// Send implements collective.Comm.
func (c *replayed) Send(buf node.Buf, dst, tag int) {
	if c.begins() {
		lent := c.lend(buf)
		c.wait(c.isend(buf, dst, tag))
		c.lentOut(lent)
	}
}

// Recv implements collective.Comm. Algorithms do not ask for the status.
func (c *replayed) Recv(buf node.Buf, src, tag int) node.Status {
	if c.begins() {
		c.wait(c.irecv(buf, src, tag))
	}
	return node.Status{}
}

// Sendrecv implements collective.Comm.
func (c *replayed) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	if c.begins() {
		c.room = int64(recv.Len())
		lent := c.lend(send)
		if c.waits = c.ops.Sendrecv(
			send, c.world(dst), c.rank, int32(stag), recv, int32(src), int32(rtag), c.context,
		); !c.waits {
			c.received(c.ops.Received())
		}
		c.lentOut(lent)
	}
	return node.Status{}
}

// errRequests is the panic of an algorithm that is registered as stackless but keeps requests.
const errRequests = "fabricast: an algorithm with requests cannot be replayed"

func (c *replayed) Isend(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replayed) Irecv(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replayed) Wait(node.Request) node.Status         { panic(errRequests) }
func (c *replayed) WaitAll([]node.Request)                { panic(errRequests) }
