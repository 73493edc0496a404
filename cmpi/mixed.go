package cmpi

import (
	"slices"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// A rank that waits goes on with the collectives that it has started before: whatever
// completes first is taken, until what its C side waits for is done.

// drive advances all collectives as far as possible. Then it waits for any request, or tests
// whether one is complete, until the C side may continue. It returns false if the rank has to wait.
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

// proceed lets the C side continue.
func (p *program) proceed() {
	p.state = ready
	if p.blocking != nil {
		p.block.release(p.blocking)
		p.blocking = nil
	}
}

// progress resumes the collectives that wait for nothing. It returns false if there is no room for
// their operations.
func (p *program) progress() bool {
	if s := p.blocking; s != nil && s.mayGo() {
		if !p.ops.Fits(room) {
			return false
		}
		s.resume()
	}
	running := p.background[:0]
	for i, s := range p.background {
		if s.mayGo() {
			if !p.ops.Fits(room) {
				p.background = append(running, p.background[i:]...)
				return false
			}
			s.resume()
		}
		if s.routine().Finished() {
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

// mayProgress reports whether a collective could continue but has stopped for lack of room.
func (p *program) mayProgress() bool {
	for _, s := range p.background {
		if s.mayGo() {
			return true
		}
	}
	return p.blocking != nil && p.blocking.mayGo()
}

// satisfied reports whether the C side may continue.
func (p *program) satisfied() bool {
	if p.blocking != nil {
		return p.blocking.routine().Finished()
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

// open returns the node's requests that the rank waits for.
func (p *program) open() []node.Request {
	ids := p.block.ids[:0]
	if p.blocking != nil {
		ids = append(ids, p.blocking.routine().Waits()...)
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

// ofBackground appends the requests that collectives in the background wait for.
func (p *program) ofBackground(ids []node.Request) []node.Request {
	for _, s := range p.background {
		ids = append(ids, s.routine().Waits()...)
		for _, q := range s.after {
			if id := (node.Request{ID: q.Node}); q.Done == 0 && q.Node != 0 && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// completed frees a completed request and reports it to what waits for it.
func (p *program) completed(id node.Request) {
	p.ops.Free(id)
	p.took(id)
}

// took reports a completed request, which has been freed, to what waits for it.
func (p *program) took(id node.Request) {
	for _, s := range p.background {
		if s.routine().Completed(id) {
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
		p.blocking.routine().Completed(id)
		return
	}
	for _, q := range p.waits() {
		if q.Node == id.ID {
			q.Node, q.Done = 0, 1
			return
		}
	}
}

// patience returns how often the weight of the rank's next poll is doubled.
func (p *program) patience() int32 { return p.polls.Patience(p.block.job.options.Ranks) }

// missed records an unsuccessful poll.
func (p *program) missed() {
	if p.ops.Roused() {
		p.polls.Hit()
	} else {
		p.polls.Miss()
	}
}

// endTest handles the result of a test for a completed request.
func (p *program) endTest() bool {
	if p.ops.Flag() {
		p.polls.Hit()
		p.completed(p.ops.Completed())
		return p.drive()
	}
	p.missed()
	p.state = ready
	return true
}

// probe looks for a matching message.
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

// endProbe handles the result of a probe. A rank that waits for a message while collectives are in
// progress checks for both in turn.
func (p *program) endProbe() bool {
	r := p.rank
	blocks := r.Why == host.Probe
	r.Flag = 0
	if blocks && len(p.background) == 0 || p.ops.Flag() {
		s := p.ops.Probed()
		r.Flag = 1
		r.Status = host.Status{Source: s.Source, Tag: s.Tag, Size: int64(s.Size)}
	}
	if r.Flag != 0 {
		p.polls.Hit()
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

// settle advances the collectives in the background as far as possible at the present time, without
// waiting.
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

// reprobe probes again after the collectives in the background have advanced.
func (p *program) reprobe() bool {
	if p.state == probeTested {
		if p.ops.Flag() {
			p.polls.Hit()
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
