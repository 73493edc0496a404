package node

import "fabricast/fabric"

// maxOps is how many operations a program may emit before it hands control
// back: enough to make switches rare, small enough to stay in the cache.
const maxOps = 1024

// op is an emitted operation that the node has yet to carry out. Everything
// about time was settled when it was emitted.
type op struct {
	request uint32
	kind    Kind   // Send, Recv, Put, Get or Atomic
	how     uint8  // Send: the kind of the message
	nic     uint16 // Send: 1 + the NIC that it leaves by, 0 if it is the next one's turn
	source  int32  // Send: the sender's rank in its communicator
	dst     int32  // Send: world rank
	tag     int32
	context int32
	size    int64  // bytes
	sent    int64  // ps: when send was called
	post    int64  // ps: when the NIC may start; Recv: when it was posted
	payload uint32 // Send: handle of the contents, 0 if there are none
	gap     uint32 // Send: packet times that the NIC pauses after each packet
	remote  uint32 // Put, Get, Atomic: where Ops says more about it; Send: the message's name
}

// Options say how one message is sent. The zero value leaves all to the experiment.
type Options struct {
	// NIC is 1 + the number of the NIC that the message leaves by, and comes in by at
	// the other end; 0 chooses as for messages without options.
	NIC int
	// Gap is for how many packet times the NIC pauses after each packet of the message.
	Gap uint32
	// Protocol is how the message travels. Between ranks of one host only Synchronous and the
	// rendezvous make a difference: the send is complete when the message has met its receive.
	Protocol Protocol
	// Copies tell whether the message, if it is eager, is copied at each end.
	Copies Copies
	// Name, if it is not 0, tells the message from others of the rank with the same destination, context and tag, so that
	// CancelSend finds it.
	Name uint32
}

// Ops takes a program's operations and holds the outcome of the last one. There
// is one for all ranks of a block: emitting only notes what is to be done, and
// the node does it on its own stack once the program has returned, so that a
// coroutine's stack stays small.
//
// The methods that may have to wait return true if they do: the program must
// then return from Resume at once and finds the outcome when it is resumed.
type Ops struct {
	block   *Block
	rank    *rank
	slot    int32
	list    []op
	remotes []remote // of one-sided operations in the list
	waits   []uint32 // requests of the last operation
	last    Kind     // why the program returned; Sync if only to have the list done
	probe   key      // of Probe and Iprobe
	steps   int      // operations since the program was resumed
	err     error    // of a program that failed

	mark   uint64 // of the next contents that are sent
	chosen uint8  // 1 + the kind of the message that is being sent, 0 if nothing has chosen it

	// Outcome of the operation that the program waited for.
	completed Request
	flag      bool
	roused    bool
	patience  int32
}

// Rank returns the rank that the operations are for, in the world's numbering.
func (o *Ops) Rank() int { return int(o.rank.id) }

// Ranks returns the number of ranks in the world.
func (o *Ops) Ranks() int { return len(o.block.world.hostOf) }

// World returns the run that the rank is part of.
func (o *Ops) World() *World { return o.block.world }

// Now returns the rank's clock in ps, with all operations so far counted.
func (o *Ops) Now() int64 { return o.rank.clock }

// GVT is the global virtual time (ps), before which nothing can happen on any host any more; 0 if the transport does not tell.
func (o *Ops) GVT() int64 {
	if t, ok := o.block.transport.(fabric.VirtualTime); ok {
		return t.GVT()
	}
	return 0
}

// Fits tells whether the program may emit n more operations; otherwise it must
// return before it does.
func (o *Ops) Fits(n int) bool { return o.steps+n <= maxOps }

// Compute advances the rank's clock by d ps.
func (o *Ops) Compute(d int64) {
	o.steps++
	begin := o.rank.clock
	o.rank.counters.compute += o.block.spend(o.rank, d)
	if o.block.tracer != nil {
		o.block.tracer.computed(o.rank, o.slot, begin)
	}
}

// Send starts a send to world rank dst; source is the sender's rank in the
// communicator that the context belongs to. The contents of buf are copied at
// once: a send that needs no wait may be followed by a change of its buffer.
func (o *Ops) Send(buf Buf, dst, source, tag, context int32) Request {
	b, r := o.block, o.rank
	w := b.world
	how := eager
	if o.chosen != 0 || buf.size > w.protocols.eagerUpTo {
		how = o.kind(buf.size, dst)
	}
	index, q := b.sends.take()
	q.owner = o.owner(isSend)
	e := o.add(Send, sendID(index))
	e.how = how
	e.source, e.dst, e.tag, e.context = source, dst, tag, context
	e.size, e.payload = buf.size, 0
	e.nic, e.gap, e.remote = 0, 0, 0
	if len(buf.data) > 0 {
		e.payload = o.stow(buf.data)
	}
	e.sent = r.clock
	local := w.neighbours(r.id, dst)
	copied := local || w.spec.OneCopy
	if how != eager && !local {
		copied = w.copies(how)
	}
	if b.tracer != nil {
		b.tracer.sends(o.slot, context, tag, dst)
	}
	if local {
		b.charge(r, o.sendCost(buf.size, dst, copied))
	} else {
		b.charge(r, b.callCost(buf.size, copied))
	}
	e.post = r.clock
	if copied && !asks(how) {
		q.completeAt(e.post)
		e.request = 0
	}
	return Request{sendID(index)}
}

// kind is the kind of message that a send begins with: that which SendWith has chosen, or what the world does with the size.
func (o *Ops) kind(size int64, dst int32) uint8 {
	if o.chosen != 0 {
		kind := o.chosen - 1
		o.chosen = 0
		return kind
	}
	if o.block.world.neighbours(o.rank.id, dst) {
		return eager
	}
	return o.block.world.protocols.kind(size)
}

// sendCost is the software time of a send within a host, in ps.
func (o *Ops) sendCost(size int64, dst int32, copied bool) int64 {
	if w := o.block.world; dst != o.rank.id {
		return w.spec.Overhead + transferTime(size, w.spec.Intra.Bandwidth)
	}
	return o.block.callCost(size, copied)
}

// SendWith is Send with options for the message.
func (o *Ops) SendWith(buf Buf, dst, source, tag, context int32, options Options) Request {
	w := o.block.world
	how := w.protocols.chosen(buf.size, &options, w.spec.OneCopy)
	if w.neighbours(o.rank.id, dst) && !options.answered() {
		how = eager
	}
	if asks(how) && !o.block.shared() {
		panic(errNoAnswers)
	}
	o.chosen = how + 1
	r := o.Send(buf, dst, source, tag, context)
	e := &o.list[len(o.list)-1]
	e.nic, e.gap, e.remote = uint16(options.NIC), options.Gap, options.Name
	return r
}

// Recv posts a receive of a message from source (a rank of the context's
// communicator, or AnySource) with the tag (or AnyTag).
func (o *Ops) Recv(buf Buf, source, tag, context int32) Request {
	return o.receive(buf, source, tag, context, isReceive)
}

// receive posts a receive with some flags.
func (o *Ops) receive(buf Buf, source, tag, context int32, flags uint32) Request {
	index, q := o.block.receives.take()
	q.owner, q.size = o.owner(flags), buf.size
	q.source, q.tag, q.context = source, tag, context
	if buf.data != nil {
		q.buffer = o.keep(buf.data)
	}
	o.add(Recv, receiveID(index)).post = o.rank.clock
	return Request{receiveID(index)}
}

// stow copies a message's contents. It is out of line because most messages
// have none.
//
//go:noinline
func (o *Ops) stow(data []byte) uint32 {
	mark := o.mark
	o.mark = 0
	return o.block.world.payloads.put(o.rank.id, data, mark)
}

// keep notes where a receive's contents go. It is out of line because most
// receives have none.
//
//go:noinline
func (o *Ops) keep(data []byte) uint32 {
	id, place := o.block.buffers.alloc()
	place.data = data
	return id
}

// add appends an operation. It writes in place: an op built on the stack and
// copied would take a tenth of a coroutine's stack.
func (o *Ops) add(kind Kind, request uint32) *op {
	o.steps++
	n := len(o.list)
	o.list = o.list[:n+1]
	e := &o.list[n]
	e.kind, e.request = kind, request
	return e
}

// owner is the request.owner of a new request of the rank.
func (o *Ops) owner(kind uint32) uint32 { return uint32(o.slot)<<ownerBits | kind }

// request returns an active request of the rank.
func (o *Ops) request(id Request) *request {
	if !o.block.has(id.ID) {
		panic(errInactive)
	}
	q := o.block.request(id.ID)
	if !q.active() || q.slot() != o.slot {
		panic(errInactive)
	}
	return q
}

// waitFor makes a request one of those that the last operation waits for.
func (o *Ops) waitFor(id Request, q *request) {
	if q.waited() {
		panic(errTwice)
	}
	q.owner |= isWaited
	o.waits = append(o.waits, id.ID)
}

// WaitAll waits until all requests are complete, and gives them back: they must
// not be used again. Zero requests are ignored. Received then describes the message
// of the last receive among them that was settled.
func (o *Ops) WaitAll(requests ...Request) (wait bool) {
	o.steps++
	o.waits = o.waits[:0]
	o.rank.sendsDone = 0
	o.rank.message = Envelope{}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if !q.complete() {
			o.waitFor(id, q)
			continue
		}
		o.block.settle(o.rank, id.ID, q)
		o.block.release(id.ID)
	}
	if len(o.waits) == 0 {
		o.block.advance(o.rank, o.rank.sendsDone)
		return false
	}
	o.last = WaitAll
	return true
}

// WaitAny waits until one of the requests is complete; Completed then tells
// which. Zero requests are ignored, but one must be active.
func (o *Ops) WaitAny(requests []Request) {
	o.steps++
	o.waits = o.waits[:0]
	for _, id := range requests {
		if id.ID != 0 {
			o.waitFor(id, o.request(id))
		}
	}
	o.last = WaitAny
}

// Test asks whether the request has completed by now; Flag then tells. The
// answer is known at once if Test returns false.
func (o *Ops) Test(id Request) (wait bool) {
	o.steps++
	if id.ID == 0 {
		o.flag = true
		return false
	}
	if q := o.request(id); q.complete() && q.done <= o.rank.clock {
		o.block.settle(o.rank, id.ID, q)
		o.flag = true
		return false
	}
	o.waits = o.waits[:0]
	o.waitFor(id, o.request(id))
	o.last = Test
	return true
}

// Probe waits until a matching message is there; Probed then describes it.
func (o *Ops) Probe(source, tag, context int32) {
	o.steps++
	o.probe = key{o.slot, context, source, tag}
	o.last = Probe
}

// Iprobe asks whether a matching message is there; Flag and Probed then tell.
func (o *Ops) Iprobe(source, tag, context int32) {
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

// Completed is the request that ended a WaitAny.
func (o *Ops) Completed() Request { return o.completed }

// Flag is the answer of a Test or Iprobe.
func (o *Ops) Flag() bool { return o.flag }

// Received describes the message that came with the last WaitAll, if one did.
func (o *Ops) Received() Envelope { return o.rank.message }

// Found is what the atomic operation has found that the last WaitAll has completed, if it waited for nothing else.
func (o *Ops) Found() int64 { return o.rank.message.Size }

// Probed describes the message that a Probe or Iprobe found.
func (o *Ops) Probed() Envelope { return o.rank.message }

// Envelope describes the message of a complete receive; that of a send is zero.
func (o *Ops) Envelope(id Request) Envelope {
	if id.ID == 0 {
		return Envelope{}
	}
	if o.request(id).send() {
		return Envelope{}
	}
	return o.block.receives.at(indexOf(id.ID)).envelope()
}

// Free gives back the request that a WaitAny or Test has found complete.
func (o *Ops) Free(id Request) {
	if id.ID != 0 {
		o.request(id)
		o.block.release(id.ID)
	}
}

// Failed tells whether Fail has been called since the program was resumed.
func (o *Ops) Failed() bool { return o.last == failed }
