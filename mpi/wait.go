package mpi

// Wait returns when the request is complete. It returns the status of a receive.
func (c *Comm) Wait(r Request) Status {
	if !c.rank.begin() {
		return Status{}
	}
	return c.end(r)
}

// end waits for a request and returns the status of a receive.
func (c *Comm) end(r Request) Status {
	if c.rank.flows(r) {
		return Status{}
	}
	if c.rank.ops.WaitAll(r) {
		c.rank.pause()
	}
	return c.rank.ops.Received().Status()
}

// endBoth waits for a send and a receive and returns the receive's status.
func (c *Comm) endBoth(send, recv Request) Status {
	if c.rank.flows(send, recv) {
		return Status{}
	}
	if c.rank.ops.WaitAll(send, recv) {
		c.rank.pause()
	}
	return c.rank.ops.Received().Status()
}

// WaitAll returns when all requests are complete, and sets each of them to the zero Request.
func (c *Comm) WaitAll(rs []Request) {
	if !c.rank.begin() {
		return
	}
	if c.rank.flows(rs...) {
		return
	}
	if c.rank.ops.WaitAll(rs...) {
		c.rank.pause()
	}
	if c.rank.cursor != nil { // a loop whose requests form a ring waits next for those after rs
		c.rank.ops.Next(rs[len(rs):min(len(rs)+2, cap(rs))])
	}
	clear(rs)
}

// WaitAny waits until one of the requests is complete and returns its index and status. If several
// are complete, it selects the one that completed first. It sets that request to the zero Request,
// so that the same list can be passed again. If all requests are zero it returns the index -1.
func (c *Comm) WaitAny(rs []Request) (int, Status) {
	if !anyActive(rs) {
		return -1, Status{}
	}
	c.rank.ask()
	c.rank.ops.WaitAny(rs)
	c.rank.pause()
	done := c.rank.ops.Completed()
	for i := range rs {
		if rs[i] == done {
			rs[i] = Request{}
			return i, c.take(done)
		}
	}
	return -1, Status{}
}

// take returns the status of a completed request, and releases the request.
func (c *Comm) take(r Request) Status {
	s := c.rank.ops.Envelope(r).Status()
	c.rank.ops.Free(r)
	return s
}

// anyActive reports whether any request is nonzero.
func anyActive(rs []Request) bool {
	for _, r := range rs {
		if r != (Request{}) {
			return true
		}
	}
	return false
}

// Test reports whether the request is complete and, if so, returns its status. A request that Test
// has reported as complete must not be used again.
func (c *Comm) Test(r Request) (Status, bool) {
	c.rank.ask()
	if c.rank.ops.Test(r) {
		c.rank.pause()
	}
	if !c.rank.ops.Flag() {
		return Status{}, false
	}
	return c.take(r), true
}

// Probe waits until a matching message has arrived, and returns its description. The message can
// still be received.
func (c *Comm) Probe(src, tag int) Status {
	c.checkPattern(src, tag)
	c.rank.ask()
	c.rank.ops.Probe(int32(src), int32(tag), c.group.context)
	c.rank.pause()
	return c.rank.ops.Probed().Status()
}

// Iprobe reports whether a matching message has arrived by now and, if so, returns its description.
// The message can still be received.
func (c *Comm) Iprobe(src, tag int) (Status, bool) {
	c.checkPattern(src, tag)
	c.rank.ask()
	c.rank.ops.Iprobe(int32(src), int32(tag), c.group.context)
	c.rank.pause()
	return c.rank.ops.Probed().Status(), c.rank.ops.Flag()
}
