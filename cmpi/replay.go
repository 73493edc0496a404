package cmpi

import (
	"math"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
	"fabricast/pacing"
)

// replayed is a collective that needs no strand, because its algorithm is collective.Stackless: to go on, the
// algorithm is run anew and passes over what is done. It is what the algorithm sees of the communicator. What it
// needs of the call is copied here: a rank that goes on then touches a few lines of the cache, where a coroutine has its stack.
type replayed struct {
	ops        *node.Ops
	done, at   int   // calls of the communicator that have begun, and by which this run of the algorithm has come
	room       int64 // bytes of the buffer of the receive that the rank waits for
	what       int32
	waits      bool // the last call has to wait: what follows is passed over
	rank, size int32
	context    int32
	root       int32
	ranks      *int32 // in the world; nil: the world's own
	send, recv node.Buf
	algorithm  collective.Algorithm
	again      func(c collective.Comm, send, recv node.Buf, root int) // the algorithm
	call       *host.Call
}

// chosen is how a collective is run, kept because most are as the one before. It holds for the job's table,
// and only if that does not tell sites apart.
type chosen struct {
	what, size, commutative int32
	bytes                   int64
	algorithm               collective.Algorithm
	again                   func(c collective.Comm, send, recv node.Buf, root int) // nil if it needs a strand
}

var _ collective.Comm = (*replayed)(nil)

// replayKind is the kind of a collective that may be replayed, and the bytes by which its algorithm is chosen; "" for others.
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
	}
	return "", 0
}

// replays tells whether the collective that the C side waits for needs no strand, and prepares it.
func (p *program) replays() bool {
	c := p.rank.Call
	kind, bytes := replayKind(c)
	if kind == "" || c.Remote != nil || pacing.Of(p.ops.World()).Paces(kind) {
		return false
	}
	how := p.choosesAgain(c, kind, bytes)
	if how.again == nil {
		return false
	}
	p.replayed = replayed{
		what: c.What, rank: c.Rank, size: c.Size, context: c.Context + node.Collectives, root: c.Root, ranks: c.Ranks,
		send: contents(c, c.Send, c.SendSize), recv: contents(c, c.Recv, c.RecvSize), algorithm: how.algorithm, again: how.again, call: c,
	}
	return true
}

// choosesAgain is choose, with what follows from it, for calls like the one before of the block.
func (p *program) choosesAgain(c *host.Call, kind collective.Kind, bytes int64) chosen {
	last := &p.block.chosen
	common := p.table == nil && p.block.job.sites == nil
	if common && last.what == c.What && last.size == c.Size && last.commutative == c.Commutative && last.bytes == bytes {
		return *last
	}
	a := p.choose(c, kind, bytes)
	how := chosen{c.What, c.Size, c.Commutative, bytes, a, collective.Anew(kind, a, int(c.Size))}
	if common {
		*last = how
	}
	return how
}

// goOn goes on with the collective as far as it can; it returns false if it has to wait.
func (p *program) goOn() bool {
	c := &p.replayed
	c.ops, c.at, c.waits = p.ops, 0, false
	p.state = replaying
	c.run()
	if c.waits {
		return false
	}
	p.state = ready
	return true
}

// run runs the algorithm from its beginning.
func (c *replayed) run() {
	if c.done > 0 {
		c.again(c, c.send, c.recv, int(c.root))
		return
	}
	switch c.what {
	case host.Barrier:
		collective.Barrier(c, c.algorithm)
	case host.Alltoall:
		collective.Alltoall(c, c.send, c.recv, c.algorithm)
	case host.Allgather:
		collective.Allgather(c, c.send, c.recv, c.algorithm)
	case host.Broadcast:
		collective.Broadcast(c, c.recv, int(c.root), c.algorithm)
	}
}

// received tells the C side of the first message that was longer than what it was received into.
func (c *replayed) received(m node.Envelope) {
	if m.Size > c.room && c.call.CutSize == 0 {
		c.call.CutSize, c.call.CutRoom, c.call.CutSource = m.Size, c.room, m.Source
	}
}

func (c *replayed) Rank() int { return int(c.rank) }
func (c *replayed) Size() int { return int(c.size) }

// Round implements collective.Comm: each round is one call.
func (c *replayed) Round(k, n int) int {
	if c.waits {
		return n
	}
	passed := min(c.done-c.at, n-k)
	c.at += passed
	return k + passed
}

// begins tells whether the call that comes now is to be carried out. It takes at most 3 operations.
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

// world is the world's number for a rank.
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

// wait waits for the operations of one call.
func (c *replayed) wait(rs ...node.Request) {
	if c.waits = c.ops.WaitAll(rs...); !c.waits {
		c.received(c.ops.Received())
	}
}

// Send implements collective.Comm.
func (c *replayed) Send(buf node.Buf, dst, tag int) {
	if c.begins() {
		c.wait(c.isend(buf, dst, tag))
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
		if c.waits = c.ops.Sendrecv(send, c.world(dst), c.rank, int32(stag), recv, int32(src), int32(rtag), c.context); !c.waits {
			c.received(c.ops.Received())
		}
	}
	return node.Status{}
}

// errRequests is what an algorithm panics with that calls itself stackless and keeps requests.
const errRequests = "fabricast: an algorithm with requests cannot be replayed"

func (c *replayed) Isend(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replayed) Irecv(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replayed) Wait(node.Request) node.Status         { panic(errRequests) }
func (c *replayed) WaitAll([]node.Request)                { panic(errRequests) }
