package cmpi

import (
	"math"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// replayed is a collective that needs no strand, because its algorithm is collective.Stackless: to go on, the
// algorithm is run anew and passes over what is done. A rank then has a few words of its own in the
// cache in the place of a coroutine with its stack.
type replayed struct {
	algorithm collective.Algorithm
	done      int   // calls of the communicator that have begun
	room      int64 // bytes of the buffer of the receive that the rank waits for
}

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
	if kind == "" || c.Remote != nil {
		return false
	}
	a := p.choose(c, kind, bytes)
	p.replayed = replayed{algorithm: a}
	return collective.Stackless(kind, a)
}

// goOn goes on with the collective as far as it can; it returns false if it has to wait.
func (p *program) goOn() bool {
	c := &p.block.replay
	*c = replay{program: p, ops: p.ops, call: p.rank.Call}
	p.state = replaying
	c.run()
	if c.waits {
		return false
	}
	p.state = ready
	return true
}

// checkCut tells the C side of the first message that was longer than what it was received into.
func (p *program) checkCut() {
	if m := p.ops.Received(); m.Size > p.replayed.room && p.rank.Call.CutSize == 0 {
		c := p.rank.Call
		c.CutSize, c.CutRoom, c.CutSource = m.Size, p.replayed.room, m.Source
	}
}

// replay is what an algorithm that is run anew sees of a communicator. A block has one, for one rank runs at a time.
type replay struct {
	program *program
	ops     *node.Ops
	call    *host.Call
	at      int  // calls that the algorithm has come by
	waits   bool // the last one has to wait: what follows is passed over
}

var _ collective.Comm = (*replay)(nil)

// run runs the algorithm from its beginning.
func (c *replay) run() {
	call, a := c.call, c.program.replayed.algorithm
	send, recv := contents(call, call.Send, call.SendSize), contents(call, call.Recv, call.RecvSize)
	switch call.What {
	case host.Barrier:
		collective.Barrier(c, a)
	case host.Alltoall:
		collective.Alltoall(c, send, recv, a)
	case host.Allgather:
		collective.Allgather(c, send, recv, a)
	case host.Broadcast:
		collective.Broadcast(c, recv, int(call.Root), a)
	}
}

func (c *replay) Rank() int { return int(c.call.Rank) }
func (c *replay) Size() int { return int(c.call.Size) }

// Round implements collective.Comm: each round is one call.
func (c *replay) Round(k, n int) int {
	if c.waits {
		return n
	}
	passed := min(c.program.replayed.done-c.at, n-k)
	c.at += passed
	return k + passed
}

// begins tells whether the call that comes now is to be carried out. It takes at most 3 operations.
func (c *replay) begins() bool {
	own := &c.program.replayed
	c.at++
	if c.at <= own.done || c.waits {
		return false
	}
	if own.room = math.MaxInt64; !c.ops.Fits(3) {
		c.waits = true
		return false
	}
	own.done++
	return true
}

// world is the world's number for a rank.
func (c *replay) world(rank int) int32 {
	if ranks := c.call.Ranks; ranks != nil {
		return unsafe.Slice(ranks, c.call.Size)[rank]
	}
	return int32(rank)
}

func (c *replay) isend(buf node.Buf, dst, tag int) node.Request {
	return c.ops.Send(buf, c.world(dst), c.call.Rank, int32(tag), c.call.Context+node.Collectives)
}

func (c *replay) irecv(buf node.Buf, src, tag int) node.Request {
	c.program.replayed.room = int64(buf.Len())
	return c.ops.RecvCut(buf, int32(src), int32(tag), c.call.Context+node.Collectives)
}

// wait waits for the operations of one call.
func (c *replay) wait(rs ...node.Request) {
	if c.waits = c.ops.WaitAll(rs...); !c.waits {
		c.program.checkCut()
	}
}

// Send implements collective.Comm.
func (c *replay) Send(buf node.Buf, dst, tag int) {
	if c.begins() {
		c.wait(c.isend(buf, dst, tag))
	}
}

// Recv implements collective.Comm. Algorithms do not ask for the status.
func (c *replay) Recv(buf node.Buf, src, tag int) node.Status {
	if c.begins() {
		c.wait(c.irecv(buf, src, tag))
	}
	return node.Status{}
}

// Sendrecv implements collective.Comm.
func (c *replay) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	if c.begins() {
		r := c.irecv(recv, src, rtag)
		c.wait(c.isend(send, dst, stag), r)
	}
	return node.Status{}
}

// errRequests is what an algorithm panics with that calls itself stackless and keeps requests.
const errRequests = "fabricast: an algorithm with requests cannot be replayed"

func (c *replay) Isend(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replay) Irecv(node.Buf, int, int) node.Request { panic(errRequests) }
func (c *replay) Wait(node.Request) node.Status         { panic(errRequests) }
func (c *replay) WaitAll([]node.Request)                { panic(errRequests) }
