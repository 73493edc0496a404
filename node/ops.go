package node

import (
	"slices"

	"fabricast/fabric"
)

// maxOps is how many operations a program may emit before it returns to the node: enough to make
// switches rare, few enough to stay in the cache.
const maxOps = 1024

// Ops takes a program's operations and holds the outcome of the last one. One Ops serves all ranks
// of a block. Emitting only records an operation; the node carries it out on its own stack after
// the program has returned, so that a coroutine's stack stays small.
//
// A method with the result wait returns true if the rank has to wait. The program must then return
// from Resume at once, and finds the outcome when it is resumed.
type Ops struct {
	block    *Block
	rank     *rank
	slot     int32
	list     []op
	oneSided OneSided
	waits    []uint32 // requests of the last operation
	last     Kind     // why the program returned; Sync if only to have the list done
	probe    key      // of Probe and Iprobe
	steps    int      // operations since the program was resumed
	apart    bool     // see Apart
	err      error    // of a program that failed

	mark     uint64 // of the next contents that are sent
	chosen   uint8  // 1 + the kind of the message that is being sent, 0 if nothing has chosen it
	patience int32  // of the Test or Iprobe that follows

	journal *callJournal // nil: none is kept
}

// Rank returns the world rank that emits the operations.
func (o *Ops) Rank() int { return int(o.rank.id) }

// Ranks returns the number of ranks in the world.
func (o *Ops) Ranks() int { return len(o.block.shared.hostOf) }

// World returns the run that the rank is part of.
func (o *Ops) World() *World { return o.block.world }

// Now returns the rank's clock (ps), after all operations so far.
func (o *Ops) Now() int64 {
	if j := o.journal; j.outermost() {
		return j.now(o)
	}
	return o.rank.clock
}

// GVT returns the global virtual time (ps): no event on any host will be earlier. It is 0 if the
// transport does not know it.
func (o *Ops) GVT() int64 {
	if o.journal != nil {
		return o.journal.window
	}
	if t, ok := o.block.transport.(fabric.VirtualTime); ok {
		return t.GVT()
	}
	return 0
}

// Fits reports whether the program may emit n more operations. Otherwise it must return from Resume
// first.
func (o *Ops) Fits(n int) bool {
	fits := o.steps+n <= maxOps
	if o.journal != nil {
		return o.journal.fits(fits)
	}
	return fits
}

// Compute advances the rank's clock by d ps.
func (o *Ops) Compute(d int64) {
	if j := o.journal; j.outermost() {
		j.compute(o, d)
		return
	}
	o.steps++
	begin := o.rank.clock
	if l := o.block.logs.of(o.slot); l != nil {
		l.Computed(d)
	}
	if o.block.ready.used() {
		o.addWork(computed, 0, d)
		return
	}
	o.rank.counters.compute += o.block.clocks.spend(o.rank, d)
	if o.block.clocks.tracer != nil {
		o.block.clocks.tracer.computed(o.rank, o.slot, begin)
	}
}

// Send starts a send to world rank dst. source is the sender's rank in the communicator that the
// context belongs to. The contents of buf are copied at once, so the program may change buf without
// waiting.
func (o *Ops) Send(buf Buf, dst, source, tag, context int32) Request {
	if j := o.journal; j.outermost() {
		return j.send(o, buf, dst, source, tag, context)
	}
	b, r := o.block, o.rank
	w := b.shared
	how := eager
	if o.chosen != 0 || int64(buf.Len()) > w.protocols.toAll {
		how = o.kind(int64(buf.Len()), dst)
	}
	index, q := b.requests.sends.alloc()
	q.owner = o.owner(isSend)
	e := o.add(Send, sendID(index))
	e.how = how
	e.source, e.dst, e.tag, e.context = source, dst, tag, context
	e.size, e.payload = int64(buf.Len()), 0
	e.nic, e.gap, e.remote, e.started = 0, 0, 0, 0
	if len(buf.Bytes()) > 0 {
		e.payload = o.stow(buf.Bytes())
	}
	e.sent = r.clock
	if b.logs.by != nil {
		b.logs.sent(o.slot, sendID(index), e)
	}
	if b.ready.used() {
		return Request{sendID(index)}
	}
	local, copied := b.chargeSend(r, o.slot, e)
	e.post = r.clock
	if copied && how < synchronous && (local || !w.spec.UntilFetched) {
		q.completeAt(e.post)
		e.request = 0
	}
	return Request{sendID(index)}
}

// chargeSend charges the rank's clock for a send, and reports whether the message stays on the host
// and whether it is copied.
func (b *Block) chargeSend(r *rank, slot int32, e *op) (local, copied bool) {
	w := b.shared
	local = w.neighbours(r.id, e.dst)
	copied = local || w.spec.OneCopy
	if e.how != eager && !local {
		copied = w.copies(e.how)
	}
	if b.clocks.tracer != nil {
		b.clocks.tracer.sends(slot, e.context, e.tag, e.dst)
	}
	if local {
		b.clocks.charge(r, b.clocks.localCost(r.id, e.dst, e.size, copied))
		return local, copied
	}
	b.clocks.charge(r, b.clocks.callCost(e.size, copied))
	asked := asks(e.how) && e.size > w.protocols.toAll && e.size <= w.protocols.eagerUpTo
	if w.spec.Setup > 0 && (asked || e.size > w.spec.SetupAbove) {
		b.clocks.charge(r, w.spec.Setup)
	}
	return local, copied
}

// kind returns the kind of message with which a send begins: the kind chosen by SendWith, or else
// the world's for the size.
func (o *Ops) kind(size int64, dst int32) uint8 {
	if o.chosen != 0 {
		kind := o.chosen - 1
		o.chosen = 0
		return kind
	}
	if o.block.shared.neighbours(o.rank.id, dst) {
		return eager
	}
	p := &o.block.shared.protocols
	if size > p.toAll && size <= p.eagerUpTo && !o.block.peers.meet(o.slot, dst) {
		return p.large
	}
	return p.kind(size)
}

// SendWith is Send with options for the message.
func (o *Ops) SendWith(buf Buf, dst, source, tag, context int32, options Options) Request {
	if j := o.journal; j.outermost() {
		return j.sendWith(o, buf, dst, source, tag, context, &options)
	}
	w := o.block.shared
	how := w.protocols.chosen(int64(buf.Len()), &options, w.spec.OneCopy)
	if w.neighbours(o.rank.id, dst) && !options.answered() {
		how = eager
	}
	if asks(how) && !o.block.outbox.used() {
		panic(errNoAnswers)
	}
	o.chosen, o.block.logs.options = how+1, options
	r := o.Send(buf, dst, source, tag, context)
	e := &o.list[len(o.list)-1]
	e.nic, e.gap, e.remote = uint16(options.NIC), options.Gap, options.Name
	return r
}

// Recv posts a receive of a message from source (a rank of the context's
// communicator, or AnySource) with the tag (or AnyTag).
func (o *Ops) Recv(buf Buf, source, tag, context int32) Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, callRecv, buf, nil, source, tag, context)
	}
	return o.receive(buf, source, tag, context, isReceive)
}

// receive posts a receive with the given flags of request.owner.
func (o *Ops) receive(buf Buf, source, tag, context int32, flags uint32) Request {
	index, q := o.block.requests.receives.alloc()
	q.owner = o.owner(flags)
	o.block.requests.setSize(q, int64(buf.Len()))
	q.source, q.tag, q.context = source, tag, context
	if buf.HasData() {
		o.block.requests.setBuffer(q, o.keep(buf.Bytes()))
	}
	e := o.add(Recv, receiveID(index))
	e.started = 0
	w := o.block.shared
	if poor := o.withoutBuffers(int64(buf.Len()), source, context); w.spec.Setup > 0 &&
		(poor || int64(buf.Len()) > w.spec.SetupAbove) {
		o.block.clocks.charge(o.rank, w.spec.Setup)
	}
	e.post = o.rank.clock
	if l := o.block.logs.of(o.slot); l != nil {
		l.Posted(Request{receiveID(index)}, source, tag, context)
	}
	return Request{receiveID(index)}
}

// withoutBuffers reports whether a receive is of a message that is eager only between peers, from a
// rank of another host that is none.
func (o *Ops) withoutBuffers(size int64, source, context int32) bool {
	w := o.block.shared
	if size <= w.protocols.toAll || size > w.protocols.eagerUpTo || source == AnySource {
		return false
	}
	from := w.communicators.worldRank(context, source)
	return !w.neighbours(o.rank.id, from) && !o.block.peers.meet(o.slot, from)
}

// stow copies a message's contents. It is out of line because most messages
// have none.
//
//go:noinline
func (o *Ops) stow(data []byte) uint32 {
	mark := o.mark
	o.mark = 0
	handle := o.block.shared.payloads.put(o.rank.id, data, mark)
	o.block.journal.stowed(handle)
	return handle
}

// stowAgain puts contents that a program sends again to a rank among those that it is fed with.
func (o *Ops) stowAgain(buf Buf, to int32) {
	mark := o.mark
	if len(buf.Bytes()) > 0 {
		o.mark = 0
		o.journal.feed.stow(buf.Bytes(), mark, to)
	}
}

// keep notes where a receive's contents go. It is out of line because most
// receives have none.
//
//go:noinline
func (o *Ops) keep(data []byte) uint32 {
	id, place := o.block.requests.buffers.alloc()
	place.data = data
	if o.journal != nil {
		o.journal.kept = id
	}
	return id
}

// add appends an operation. It writes in place: an op built on the stack and
// copied would take a tenth of a coroutine's stack.
func (o *Ops) add(kind Kind, request uint32) *op {
	o.steps++
	n := len(o.list)
	if n == cap(o.list) {
		o.list = slices.Grow(o.list, n)
	}
	o.list = o.list[:n+1]
	e := &o.list[n]
	e.kind, e.request = kind, request
	return e
}

// addWork appends a computation of d ps.
func (o *Ops) addWork(kind Kind, request uint32, d int64) {
	e := o.add(kind, request)
	e.size, e.started = d, 0
}

// owner returns the value of request.owner for a new request of the rank.
func (o *Ops) owner(kind uint32) uint32 { return uint32(o.slot)<<ownerBits | kind }

// request returns an active request of the rank.
func (o *Ops) request(id Request) *request {
	if !o.block.requests.has(id.ID) {
		panic(errInactive)
	}
	q := o.block.requests.of(id.ID)
	if !q.active() || q.slot() != o.slot {
		panic(errInactive)
	}
	return q
}

// waitFor adds a request to those that the last operation waits for.
func (o *Ops) waitFor(id Request, q *request) {
	if q.awaited() {
		panic(errTwice)
	}
	q.owner |= isWaited
	o.waits = append(o.waits, id.ID)
}

// WaitAll waits until all requests are complete, and frees them: they must not be used again. Zero
// requests are ignored. Received then describes the message of the last completed receive.
func (o *Ops) WaitAll(requests ...Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.waitAll(o, requests)
	}
	o.steps++
	o.waits = o.waits[:0]
	o.rank.sendsDone = 0
	o.rank.hint(0, 0)
	o.rank.message = Envelope{}
	if o.block.logs.by != nil {
		o.block.logs.waitedAll(o.slot, requests)
	}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if !q.complete() || o.block.processors.takePart() && q.send() && q.done > o.block.schedule.now ||
			o.settlesLater(q, requests) {
			o.waitFor(id, q)
			continue
		}
		o.block.waiting.settle(o.rank, id.ID, q)
		o.block.requests.release(id.ID)
	}
	if len(o.waits) == 0 {
		o.block.clocks.advance(o.rank, o.rank.sendsDone)
		return false
	}
	o.last = WaitAll
	return true
}

// WaitAny waits until one of the requests is complete, which Completed then returns. Zero requests
// are ignored, but one request must be active.
func (o *Ops) WaitAny(requests []Request) {
	if j := o.journal; j.outermost() {
		j.waitAny(o, requests)
		return
	}
	o.steps++
	o.waits = o.waits[:0]
	for _, id := range requests {
		if id.ID != 0 {
			o.waitFor(id, o.request(id))
		}
	}
	o.last = WaitAny
}

// Test asks whether the request is complete by now; Flag then returns the answer. If Test returns
// false, the answer is already known.
func (o *Ops) Test(id Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.test(o, id)
	}
	o.steps++
	if id.ID == 0 {
		o.block.waiting.outcome.flag = true
		return false
	}
	if q := o.request(id); q.complete() && q.done <= o.rank.clock {
		o.block.logs.waitedFor(o.rank, id.ID)
		o.block.waiting.settle(o.rank, id.ID, q)
		o.block.waiting.outcome.flag = true
		return false
	}
	o.waits = o.waits[:0]
	o.waitFor(id, o.request(id))
	o.last = Test
	return true
}

// Probe waits until a matching message is there, which Probed then describes.
func (o *Ops) Probe(source, tag, context int32) {
	if j := o.journal; j.outermost() {
		j.probe(o, callProbe, source, tag, context)
		return
	}
	o.steps++
	o.probe = key{o.slot, context, source, tag}
	o.last = Probe
}

// Iprobe asks whether a matching message is there. Flag then returns the answer, and Probed
// describes the message.
func (o *Ops) Iprobe(source, tag, context int32) {
	if j := o.journal; j.outermost() {
		j.probe(o, callIprobe, source, tag, context)
		return
	}
	o.steps++
	o.probe = key{o.slot, context, source, tag}
	o.last = Iprobe
}

// Exit ends the program.
func (o *Ops) Exit() { o.last = Exit }

// Fail ends the program and the run with an error.
func (o *Ops) Fail(err error) {
	o.err = err
	o.last = failed
}

// Completed returns the request that ended a WaitAny.
func (o *Ops) Completed() Request {
	done := o.block.waiting.outcome.completed
	if o.journal != nil {
		done.ID = uint32(o.journal.answer(callCompleted, int64(done.ID)))
	}
	return done
}

// Flag returns the answer of a Test or Iprobe.
func (o *Ops) Flag() bool {
	flag := o.block.waiting.outcome.flag
	if o.journal != nil {
		return o.journal.answer(callFlag, truth(flag)) != 0
	}
	return flag
}

// Received describes the message received by the last WaitAll, if it received one.
func (o *Ops) Received() Envelope {
	if o.journal != nil {
		return o.journal.envelope(callReceived, o.rank.message)
	}
	return o.rank.message
}

// Found returns the result of the atomic operation that the last WaitAll completed, if it waited
// for nothing else.
func (o *Ops) Found() int64 {
	found := int64(o.rank.message.Size)
	if o.journal != nil {
		return o.journal.answer(callFound, found)
	}
	return found
}

// Probed describes the message that a Probe or Iprobe found.
func (o *Ops) Probed() Envelope {
	if o.journal != nil {
		return o.journal.envelope(callProbed, o.rank.message)
	}
	return o.rank.message
}

// Envelope returns the envelope of a complete receive's message; for a send it is zero.
func (o *Ops) Envelope(id Request) Envelope {
	if j := o.journal; j.outermost() {
		return j.envelopeOf(o, id)
	}
	if id.ID == 0 {
		return Envelope{}
	}
	if o.request(id).send() {
		return Envelope{}
	}
	return o.block.requests.envelope(o.block.requests.receives.at(indexOf(id.ID)))
}

// Free frees the request that a WaitAny or Test has found complete.
func (o *Ops) Free(id Request) {
	if j := o.journal; j.outermost() {
		j.free(o, id)
		return
	}
	if id.ID != 0 {
		o.request(id)
		o.block.requests.release(id.ID)
	}
}

// Failed reports whether Fail has been called since the program was resumed.
func (o *Ops) Failed() bool { return o.last == failed }

// settlesLater reports whether a rank that begins a WaitAll has to wait for a receive that is
// foreseen. It need not if that is the only receive: if it waits for others, too, those that arrive
// earlier are charged earlier.
func (o *Ops) settlesLater(q *request, all []Request) bool {
	if !q.foreseen(o.rank) {
		return false
	}
	receives := 0
	for _, id := range all {
		if id.ID != 0 && isReceiveID(id.ID) {
			receives++
		}
	}
	return receives > 1
}
