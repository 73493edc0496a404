package cmpi

import (
	"slices"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// A rank that waits goes on with the collectives that it has started before: whatever
// completes first is taken, until what its C side waits for is done.

// drive goes on with all collectives as far as they can, and then waits for
// anything, or asks whether anything is complete, until the C side may go on.
func (p *program) drive() bool {
	p.state = driving
	if !p.progress() {
		return false
	}
	if p.fallen {
		p.end()
		return false
	}
	if p.satisfied() {
		p.proceed()
		return true
	}
	ids := p.open()
	switch {
	case p.mayProgress():
		return false // when there is room again
	case len(ids) == 0 && (p.blocking != nil || p.rank.Why != host.Test):
		p.ops.Fail(errNothing)
		p.state = ended
		return false
	case p.blocking == nil && p.rank.Why == host.Test:
		p.state = tested
		p.ops.Patience(p.patience())
		return !p.ops.TestAny(ids)
	}
	p.state = mixed
	p.ops.WaitAny(ids)
	return false
}

// proceed lets the C side go on.
func (p *program) proceed() {
	p.state = ready
	if p.blocking != nil {
		p.block.release(p.blocking)
		p.blocking = nil
	}
}

// progress resumes the collectives that wait for nothing; it returns false if there is no room for
// what they would emit.
func (p *program) progress() bool {
	if s := p.blocking; s != nil && s.mayGo() {
		if !p.ops.Fits(room) {
			return false
		}
		s.resume(p.ops)
	}
	running := p.background[:0]
	for i, s := range p.background {
		if s.mayGo() {
			if !p.ops.Fits(room) {
				p.background = append(running, p.background[i:]...)
				return false
			}
			s.resume(p.ops)
		}
		if s.finished {
			s.call.Request.Done = 1
			p.block.release(s)
			continue
		}
		running = append(running, s)
	}
	clear(p.background[len(running):])
	p.background = running
	return true
}

// mayProgress tells whether a collective has stopped for lack of room.
func (p *program) mayProgress() bool {
	for _, s := range p.background {
		if s.mayGo() {
			return true
		}
	}
	return p.blocking != nil && p.blocking.mayGo()
}

// satisfied tells whether the C side may go on.
func (p *program) satisfied() bool {
	if p.blocking != nil {
		return p.blocking.finished
	}
	done := 0
	for _, q := range p.waits() {
		done += int(q.Done)
	}
	if p.rank.Why == host.WaitAll {
		return int64(done) == p.rank.NWaits
	}
	return done > 0
}

// open are the node's requests that anything waits for.
func (p *program) open() []node.Request {
	ids := p.block.ids[:0]
	if p.blocking != nil {
		ids = append(ids, p.blocking.waits...)
	} else {
		for _, q := range p.waits() {
			if q.Done == 0 && q.Node != 0 {
				ids = append(ids, node.Request{ID: q.Node})
			}
		}
	}
	ids = p.ofBackground(ids)
	p.block.ids = ids
	return ids
}

// ofBackground adds what the collectives in the background wait for.
func (p *program) ofBackground(ids []node.Request) []node.Request {
	for _, s := range p.background {
		ids = append(ids, s.waits...)
		for _, q := range s.after {
			if id := (node.Request{ID: q.Node}); q.Done == 0 && q.Node != 0 && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// completed notes that a request is complete.
func (p *program) completed(id node.Request) {
	p.ops.Free(id)
	p.took(id)
}

// took is completed for a request that has been given back.
func (p *program) took(id node.Request) {
	for _, s := range p.background {
		if s.completed(id) {
			return
		}
	}
	for _, s := range p.background {
		for _, q := range s.after {
			if q.Node == id.ID && q.Done == 0 {
				q.Node, q.Done = 0, 1
				return
			}
		}
	}
	if p.blocking != nil {
		p.blocking.completed(id)
		return
	}
	for _, q := range p.waits() {
		if q.Node == id.ID {
			q.Node, q.Done = 0, 1
			return
		}
	}
}

// endTest takes the answer of a test.
func (p *program) endTest() bool {
	if p.ops.Flag() {
		p.looks.misses = 0
		p.completed(p.ops.Completed())
		return p.drive()
	}
	p.missed()
	p.state = ready
	return true
}

// probe looks for a message.
func (p *program) probe() bool {
	r := p.rank
	p.state = probed
	if r.Why == host.Probe && len(p.background) == 0 {
		p.ops.Probe(r.Source, r.Tag, r.Context)
	} else {
		p.ops.Patience(p.patience())
		p.ops.Iprobe(r.Source, r.Tag, r.Context)
	}
	return false
}

// endProbe takes what a probe has found. Who waits for a message while collectives run looks
// for both in turn.
func (p *program) endProbe() bool {
	r := p.rank
	blocks := r.Why == host.Probe
	r.Flag = 0
	if blocks && len(p.background) == 0 || p.ops.Flag() {
		s := p.ops.Probed()
		r.Flag = 1
		r.Status = host.Status{Source: s.Source, Tag: s.Tag, Size: s.Size}
	}
	if r.Flag != 0 {
		p.looks.misses = 0
	} else {
		p.missed()
	}
	if r.Flag != 0 || !blocks {
		p.settle()
		p.state = ready
		return true
	}
	p.state = probeTested
	p.ops.Patience(p.patience())
	p.block.ids = p.ofBackground(p.block.ids[:0])
	return !p.ops.TestAny(p.block.ids)
}

// settle has the collectives in the background go on as far as they can by now, which takes no time.
func (p *program) settle() {
	if len(p.background) == 0 {
		return
	}
	p.block.ids = p.ofBackground(p.block.ids[:0])
	settled := false
	for _, id := range p.block.ids {
		if p.ops.Settle(id) {
			p.took(id)
			settled = true
		}
	}
	if settled {
		p.progress()
	}
}

// reprobe looks again, after the collectives in the background have gone on.
func (p *program) reprobe() bool {
	if p.state == probeTested {
		if p.ops.Flag() {
			p.looks.misses = 0
			p.completed(p.ops.Completed())
		} else {
			p.missed()
		}
	}
	p.state = reprobing
	if !p.progress() {
		return false
	}
	return p.probe()
}
