package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// state is what a rank does between two calls of Resume.
type state uint8

const (
	ready       state = iota // its C side may go on
	leaving                  // its C side has handed over; not all of what it has left is the node's
	handed                   // all is; what it asks for has yet to begin
	waitedAll                // the node has waited for all requests
	driving                  // collectives in the background go on while the C side waits
	mixed                    // likewise, and the node has waited for one request
	tested                   // likewise, and the node has looked for one that is complete
	probed                   // the node has looked for a message
	probeTested              // likewise, and then for a request that is complete
	reprobing                // likewise, and what that has brought about is under way
	colliding                // a collective runs, and nothing else
	replaying                // likewise, one that needs no strand
	flushed                  // what it has emitted is done
	ended
)

// block is what the ranks of a block share; one of them runs at a time.
type block struct {
	job     *Job
	list    *host.Op
	halfway *program  // whose operations in the list are not yet all the node's; nil if nobody's
	strands []*strand // that nobody uses
	ids     []node.Request
	chosen  chosen // of the collective before
}

// program runs one rank.
type program struct {
	block      *block
	rank       *host.Rank
	ops        *node.Ops
	state      state
	replayed   replayed          // the collective that the C side waits for, if it needs no strand
	blocking   *strand           // the collective that the C side waits for
	background []*strand         // collectives that it has started
	table      *collective.Table // the rank's own; nil: the job's
	turns      []turn            // how many collectives it has called on each communicator
	id         int
	at         int32     // operations that the node has of those that its C side has left
	set        []host.Op // in which they are, once the list is others'
	looks      looks
	fallen     bool // it has ended in an operation of its own, which a collective has called
}

// Resume implements node.Program.
func (p *program) Resume(ops *node.Ops) {
	p.ops = ops
	if p.rank == nil {
		p.rank = p.block.job.newRank(ops)
	}
	for p.step() {
	}
}

// room is for what a rank leaves at once, and what it waits for.
const room = 2*host.Batch + 4

// step goes on as far as it can without waiting; it returns false if the program must return from Resume.
func (p *program) step() bool {
	switch p.state {
	case ready:
		if !p.ops.Fits(room) {
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

// waits are the requests that the C side waits for.
func (p *program) waits() []*host.Request {
	return unsafe.Slice((**host.Request)(unsafe.Pointer(p.rank.Waits)), p.rank.NWaits)
}

// buffer is memory of the C side as the node sees it.
func buffer(p *byte, size int64, omit bool) node.Buf {
	if omit || size == 0 || p == nil {
		return node.Size(int(size))
	}
	return node.Data(unsafe.Slice(p, size))
}

// begin does what the C side has handed over for.
func (p *program) begin() bool {
	p.state = ready
	switch p.rank.Why {
	case host.Sync:
		p.readClock()
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
		p.calls(p.rank.Call)
		if len(p.background) == 0 && p.replays() {
			return p.goOn()
		}
		p.blocking = p.block.strand(p, p.rank.Call)
		if p.blocking.alone = len(p.background) == 0; p.blocking.alone {
			return p.collide()
		}
		return p.drive()
	case host.Start:
		p.calls(p.rank.Call)
		p.background = append(p.background, p.block.strand(p, p.rank.Call))
		p.progress()
		return true
	case host.Context:
		c := p.rank.Call
		c.NewContext = p.ops.World().NewContexts(unsafe.Slice(c.Ranks, c.Size))
		return true
	case host.Register:
		c := p.rank.Call
		c.NewContext = p.ops.Register(buffer(c.Recv, c.RecvSize, c.Omit != 0))
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

// waitAll waits for all of waits, as nothing else goes on.
func (p *program) waitAll() bool {
	ids := p.block.ids[:0]
	for _, q := range p.waits() {
		ids = append(ids, node.Request{ID: q.Node})
	}
	p.block.ids = ids
	p.state = waitedAll
	return !p.ops.WaitAll(ids...)
}

// doneAll notes that all of waits are complete.
func (p *program) doneAll() {
	for _, q := range p.waits() {
		q.Node, q.Done = 0, 1
	}
	p.state = ready
}

// collide goes on with the only collective.
func (p *program) collide() bool {
	p.state = colliding
	p.blocking.resume(p.ops)
	if p.fallen {
		p.end()
	}
	if p.fallen || !p.blocking.finished {
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

// Stop implements node.Stopper.
func (p *program) Stop() {
	if p.blocking != nil {
		p.blocking.stop()
	}
	for _, s := range p.background {
		s.stop()
	}
}

// Doing implements node.Doer: the function that the rank has called.
func (p *program) Doing() string {
	if p.rank == nil || p.rank.Name == nil {
		return ""
	}
	return host.Text(p.rank.Name)
}
