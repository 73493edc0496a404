package node

// Told is what programs are told of a message that are told of each by itself: its envelope, and the mark of its contents.
type Told struct {
	Envelope
	Mark uint64 // 0 if it has none, or no contents
}

// Mark gives the contents of the next message that is sent with contents a word of the program's own, which a receive by RecvTo is told.
func (o *Ops) Mark(mark uint64) { o.mark = mark }

// RecvTo is Recv for programs that are told of each message by itself: told is filled in when
// the message meets the receive. It stays the caller's and must live until the receive is
// complete. A message that is longer than the buffer is cut off instead of ending the
// run; told.Size is its own size then, too.
func (o *Ops) RecvTo(buf Buf, told *Told, source, tag, context int32) Request {
	id := o.Recv(buf, source, tag, context)
	q := o.block.receives.at(indexOf(id.ID))
	if q.buffer == 0 {
		q.buffer = o.keep(nil)
	}
	o.block.buffers.at(q.buffer).told = told
	return id
}

// RecvCut is Recv for programs that look at what they have Received: a message that is longer than
// the buffer is cut off instead of ending the run, and its Size is its own.
func (o *Ops) RecvCut(buf Buf, source, tag, context int32) Request {
	return o.receive(buf, source, tag, context, isReceive|isCut)
}

// TestAny asks whether one of the requests has completed by now; Flag then tells, and Completed
// which: the one that did first, as WaitAny chooses. Zero requests are ignored, but one must be active.
func (o *Ops) TestAny(requests []Request) (wait bool) {
	o.steps++
	o.waits = o.waits[:0]
	first := Request{}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if q.complete() && q.done <= o.rank.clock && (first.ID == 0 || q.completesBefore(o.request(first))) {
			first = id
		}
	}
	if first.ID != 0 {
		o.block.account(o.rank, first.ID)
		o.flag, o.completed = true, first
		return false
	}
	for _, id := range requests {
		if id.ID != 0 {
			o.waitFor(id, o.request(id))
		}
	}
	o.last = Test
	return true
}

// Settle ends a request that is complete by now, and gives it back; it tells whether it did. It waits for
// nothing and costs nothing but what completing costs.
func (o *Ops) Settle(id Request) bool {
	q := o.request(id)
	if !q.complete() || q.done > o.rank.clock {
		return false
	}
	o.block.account(o.rank, id.ID)
	o.Free(id)
	return true
}

// Cancel takes back a receive that no message has met, and tells whether it did. It looks at
// what earlier calls of Resume have emitted, so the receive must be one of those.
func (o *Ops) Cancel(id Request) bool {
	o.steps++
	q := o.request(id)
	if q.send() || q.complete() || !o.block.withdraw(o.rank, indexOf(id.ID)) {
		return false
	}
	if r := o.block.receives.at(indexOf(id.ID)); r.buffer != 0 {
		o.block.buffers.release(r.buffer)
	}
	o.block.release(id.ID)
	return true
}

// withdraw takes a receive out of its matching queue; it tells whether it was there.
func (b *Block) withdraw(r *rank, index uint32) bool {
	k := b.receives.at(index).key()
	place := b.find(r, k, k.hash())
	if place < 0 || !b.queue(r, place).posted() {
		return false
	}
	last := b.queue(r, place).element()
	before := last
	for b.receives.at(before).next() != index {
		if before = b.receives.at(before).next(); before == last {
			return false
		}
	}
	switch p := b.receives.at(before); {
	case before == index:
		b.remove(r, place)
	default:
		p.link(p.order(), b.receives.at(index).next())
		if last == index {
			b.queue(r, place).setLast(before)
		}
	}
	return true
}
