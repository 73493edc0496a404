package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/agreement"
	"fabricast/cmpi/internal/host"
	"fabricast/cmpi/internal/polling"
	"fabricast/collective/tables"
	"fabricast/node"
)

// state is the state of a rank between two calls of Resume.
type state uint8

const (
	ready state = iota // the C side may continue
	// the C side has stopped; not all of its operations are passed to the node
	leaving
	handed      // all are passed; what it waits for has not begun
	waitedAll   // the node has waited for all requests
	driving     // collectives in the background advance while the C side waits
	mixed       // the same, and the node has waited for one request
	tested      // the same, and the node has looked for a completed request
	probed      // the node has looked for a message
	probeTested // the same, and then for a completed request
	reprobing   // the same, and collectives advance because of it
	colliding   // a collective runs and nothing else
	replaying   // the same, without a strand
	flushed     // all emitted operations are done
	ended
)

// block holds the state shared by the ranks of one partition block. Only one of them runs at a
// time.
type block struct {
	job     *Job
	list    *host.Op
	halfway *program  // rank with operations in the list not yet passed on; or nil
	strands []*strand // unused ones
	ids     []node.Request
	chosen  chosen // choice for the previous collective
	// of the collectives that need no strand
	reduction *reduction
}

// program runs one rank.
type program struct {
	block      *block
	rank       *host.Rank
	ops        *node.Ops
	state      state
	replayed   replayed      // collective that the C side waits for, if it needs no strand
	blocking   *strand       // collective that the C side waits for
	background []*strand     // collectives in progress in the background
	table      *tables.Table // the rank's own; nil: the job's
	calls      agreement.Caller
	id         int
	at         int32     // index of the next operation to pass to the node
	set        []host.Op // copy of the operations, once another rank uses the list
	loans      loans     // contents of sends, until the program goes on
	polls      polling.Polls
	fallen     bool  // it has ended in a user-defined reduction operation
	created    int32 // communicators that it has made alone
}

// Resume implements node.Program: it runs the rank until it has to wait.
func (p *program) Resume(ops *node.Ops) {
	p.ops = ops
	if p.rank == nil {
		p.rank = p.block.job.newRank(ops)
	}
	for p.step() {
	}
}

// room is how many operations must fit before a rank continues: those it leaves at once, and its
// waits.
const room = 2*host.Batch + 4

// step advances the rank without waiting. It returns false if the program must return from Resume.
func (p *program) step() bool {
	switch p.state {
	case ready:
		if !p.ops.Fits(room) || p.ops.Behind() {
			return false
		}
		p.handOver()
		return p.leave()
	case leaving:
		return p.leave()
	case handed:
		return p.begin()
	case waitedAll:
		p.doneAll()
		return true
	case driving:
		return p.drive()
	case mixed:
		p.completed(p.ops.Completed())
		return p.drive()
	case tested:
		return p.endTest()
	case probed:
		return p.endProbe()
	case probeTested, reprobing:
		return p.reprobe()
	case colliding:
		return p.collide()
	case replaying:
		p.replayed.received(p.ops.Received())
		return p.goOn()
	case flushed:
		p.rank.Flag = 0
		if q := p.waits()[0]; p.ops.Cancel(node.Request{ID: q.Node}) {
			p.rank.Flag = 1
			q.Node = 0
		}
		p.state = ready
		return true
	}
	return false
}

// waits returns the requests that the C side waits for.
func (p *program) waits() []*host.Request {
	return unsafe.Slice((**host.Request)(unsafe.Pointer(p.rank.Waits)), p.rank.NWaits)
}

// buffer returns memory of the C side in the form that the node uses.
func buffer(p *byte, size int64, omit bool) node.Buf {
	if omit || size == 0 || p == nil {
		return node.Size(int(size))
	}
	return node.Data(unsafe.Slice(p, size))
}

// begin starts what the C side has stopped for.
func (p *program) begin() bool {
	p.state = ready
	switch p.rank.Why {
	case host.Sync:
		if cost := p.polls.ReadClock(p.ops.Now()); cost > 0 {
			p.ops.Compute(cost)
		}
		return true
	case host.WaitAll:
		if len(p.background) > 0 {
			return p.drive()
		}
		return p.waitAll()
	case host.WaitAny, host.Test:
		return p.drive()
	case host.Probe, host.Iprobe:
		return p.probe()
	case host.Collective:
		p.ops.Enter()
		p.call()
		if len(p.background) == 0 && p.replays() {
			return p.goOn()
		}
		p.blocking = p.block.strand(p, p.rank.Call)
		if len(p.background) == 0 {
			p.blocking.routine().Alone = true
			return p.collide()
		}
		return p.drive()
	case host.Start:
		p.call()
		p.background = append(p.background, p.block.strand(p, p.rank.Call))
		p.progress()
		return true
	case host.Context:
		c := p.rank.Call
		by := node.Creation{Kind: node.CreatedAlone, Of: int32(p.id), Number: p.created}
		p.created++
		c.NewContext = p.ops.World().NewContexts(by, unsafe.Slice(c.Ranks, c.Size))
		return true
	case host.Register:
		c := p.rank.Call
		c.NewContext = p.ops.OneSided().Register(buffer(c.Recv, c.RecvSize, c.Omit != 0))
		return true
	case host.Attach:
		p.sendAttached()
		return true
	case host.Prefer:
		if err := p.prefer(host.Text(p.rank.Call.Send)); err != nil {
			p.ops.Fail(err)
			p.state = ended
			return false
		}
		return true
	case host.Settle:
		for _, q := range p.waits() {
			if p.ops.Settle(node.Request{ID: q.Node}) {
				q.Node, q.Done = 0, 1
			}
		}
		return true
	case host.Cancel:
		p.state = flushed
		return false
	}
	p.end()
	return false
}

// call records the collective that the rank begins, to be compared with the calls of other ranks.
func (p *program) call() {
	p.block.job.agreement.Call(&p.calls, p.id, p.rank.Name, p.rank.Call)
}

// waitAll waits for all requests of the C side, while nothing else is in progress.
func (p *program) waitAll() bool {
	ids := p.block.ids[:0]
	for _, q := range p.waits() {
		ids = append(ids, node.Request{ID: q.Node})
	}
	p.block.ids = ids
	p.state = waitedAll
	return !p.ops.WaitAll(ids...)
}

// doneAll marks all requests of the C side as complete.
func (p *program) doneAll() {
	for _, q := range p.waits() {
		q.Node, q.Done = 0, 1
	}
	p.state = ready
}

// collide advances the only collective in progress.
func (p *program) collide() bool {
	p.state = colliding
	p.blocking.resume()
	if p.fallen {
		p.end()
	}
	if p.fallen || !p.blocking.routine().Finished() {
		return false
	}
	p.proceed()
	return true
}

// end ends the rank.
func (p *program) end() {
	p.state = ended
	if err := p.block.job.ended(p); err != nil {
		p.ops.Fail(err)
		return
	}
	p.ops.Exit()
}

// Stop implements node.Stopper: it stops all collectives.
func (p *program) Stop() {
	if p.blocking != nil {
		p.blocking.routine().Stop()
	}
	for _, s := range p.background {
		s.routine().Stop()
	}
}

// Doing implements node.Doer: it returns the name of the function that the rank has called.
func (p *program) Doing() string {
	if p.rank == nil || p.rank.Name == nil {
		return ""
	}
	return host.Text(p.rank.Name)
}
