package mpi

// Wait returns when the request is complete. The status is that of a receive.
func (c *Comm) Wait(r Request) Status {
	if !c.rank.begin() {
		return Status{}
	}
	return c.end(r)
}

// end waits for a request and returns a receive's status.
func (c *Comm) end(r Request) Status {
	if c.rank.ops.WaitAll(r) {
		c.rank.pause()
	}
	return c.rank.ops.Received().Status()
}

// endBoth waits for a send and a receive and returns the receive's status.
func (c *Comm) endBoth(send, recv Request) Status {
	if c.rank.ops.WaitAll(send, recv) {
		c.rank.pause()
	}
	return c.rank.ops.Received().Status()
}

// WaitAll returns when all requests are complete, and makes them zero Requests.
func (c *Comm) WaitAll(rs []Request) {
	if !c.rank.begin() {
		return
	}
	if c.rank.ops.WaitAll(rs...) {
		c.rank.pause()
	}
	clear(rs)
}

// WaitAny returns when one of the requests is complete: its index and status.
// Of several it takes the one that completed first. It makes it a zero Request, so that the
// same list can be waited for again; with nothing left to wait for the index is -1.
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

// take reads the status of a request that has been found complete, and gives it back.
func (c *Comm) take(r Request) Status {
	s := c.rank.ops.Envelope(r).Status()
	c.rank.ops.Free(r)
	return s
}

// anyActive tells whether there is something to wait for.
func anyActive(rs []Request) bool {
	for _, r := range rs {
		if r != (Request{}) {
			return true
		}
	}
	return false
}

// Test tells whether the request is complete by now, and its status if so. The
// request has then ended.
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

// Probe returns when a message that matches is there, and describes it. The message stays.
func (c *Comm) Probe(src, tag int) Status {
	c.checkPattern(src, tag)
	c.rank.ask()
	c.rank.ops.Probe(int32(src), int32(tag), c.group.context)
	c.rank.pause()
	return c.rank.ops.Probed().Status()
}

// Iprobe tells whether a message that matches is there by now, and describes it. The message stays.
func (c *Comm) Iprobe(src, tag int) (Status, bool) {
	c.checkPattern(src, tag)
	c.rank.ask()
	c.rank.ops.Iprobe(int32(src), int32(tag), c.group.context)
	c.rank.pause()
	return c.rank.ops.Probed().Status(), c.rank.ops.Flag()
}
