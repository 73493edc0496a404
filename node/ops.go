package node

import (
	"slices"

	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"

	"fabricast/fabric"
)

// maxOps is the maximum number of operations that a program may emit before it yields to the node:
// large enough that context switches are rare, small enough that the operations stay in the CPU
// cache.
const maxOps = 1024

// Ops collects a program's operations and holds the result of the last one. One Ops serves all
// ranks of a block. A call only records an operation; the node executes it on its own stack after
// the program has returned, so that a coroutine's stack stays small.
//
// A method with a result named wait returns true if the rank has to wait. The program must then
// return from Resume at once; the result is available when it is resumed.
type Ops struct {
	block    *Block
	rank     *core.Rank
	slot     int32
	list     []core.Op
	oneSided OneSided
	waits    []uint32   // requests that the last operation waits for
	last     model.Kind // why the program returned; Sync if only to have the list executed
	probe    core.Key   // pattern of a Probe or Iprobe
	steps    int        // number of operations since the program was resumed
	apart    bool       // see Apart
	listed   bool       // see Listed
	err      error      // error of a program that has failed

	mark     uint64  // mark of the next contents that are sent
	lends    lending // whether the next contents that are sent are lent
	loan     core.Loan
	chosen   uint8 // 1 + the kind of the message being sent; 0 if no option selects it
	patience int32 // patience of the next Test or Iprobe

	journal *callJournal // nil if no journal is kept
}

// Rank returns the world rank that emits the operations.
func (o *Ops) Rank() int { return int(o.rank.ID) }

// Ranks returns the number of ranks in the world.
func (o *Ops) Ranks() int { return len(o.block.shared.HostOf) }

// Listed reports whether a Surveyor only lists the operations, without times. Requests are then complete at once.
func (o *Ops) Listed() bool { return o.listed }

// World returns the world that the rank belongs to.
func (o *Ops) World() *World { return o.block.world }

// Now returns the rank's clock (ps) after all operations so far.
func (o *Ops) Now() int64 {
	if j := o.journal; j.outermost() {
		return j.now(o)
	}
	return o.rank.Clock
}

// GVT returns the global virtual time (ps): a lower bound on the time of all future events. It is 0
// if the transport does not know it.
func (o *Ops) GVT() int64 {
	if o.journal != nil {
		return o.journal.Window
	}
	if t, ok := o.block.transport.(fabric.VirtualTime); ok {
		return t.GVT()
	}
	return 0
}

// Fits reports whether the program may emit n more operations. If not, it must return from Resume
// first.
func (o *Ops) Fits(n int) bool {
	fits := o.steps+n <= maxOps
	if o.journal != nil {
		return o.journal.Fits(fits)
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
	begin := o.rank.Clock
	if l := o.block.logs.Of(o.slot); l != nil {
		l.Computed(d)
	}
	d = o.block.clocks.Slowed(o.rank.ID, d)
	if o.block.turns.Used() {
		o.addWork(model.Computed, 0, d)
		return
	}
	o.rank.Counters.Compute += o.block.clocks.Spend(o.rank, d)
	if o.block.clocks.Tracer != nil {
		o.block.clocks.Tracer.Computed(o.rank, o.slot, begin, d)
	}
}

// Send starts a send to world rank dst. source is the sender's rank in the context's communicator.
// The contents of buf are copied at once, so the program may change buf without waiting, unless it lends
// them (see Lend).
func (o *Ops) Send(buf model.Buf, dst, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.send(o, buf, dst, source, tag, context)
	}
	b, r := o.block, o.rank
	w := b.shared
	how := core.EagerMessage
	if o.chosen != 0 || int64(buf.Len()) > w.Protocols.ToAll {
		how = o.kind(int64(buf.Len()), dst)
	}
	index, q := b.requests.Sends.Alloc()
	q.Owner = o.owner(core.IsSend)
	e := o.add(model.Send, core.SendID(index))
	e.How = how
	e.Source, e.Dst, e.Tag, e.Context = source, dst, tag, context
	e.Size, e.Payload = int64(buf.Len()), 0
	e.Nic, e.Gap, e.Remote, e.Started = 0, 0, 0, 0
	if len(buf.Bytes()) > 0 {
		e.Payload = o.stow(buf.Bytes(), how)
	}
	e.Sent = r.Clock
	if b.logs.By != nil {
		b.logs.Sent(o.slot, core.SendID(index), e)
	}
	if b.turns.Used() {
		return model.Request{ID: core.SendID(index)}
	}
	local, copied := b.chargeSend(r, o.slot, e)
	e.Post = r.Clock
	if copied && how < core.SynchronousMessage && (local || !w.Spec.UntilFetched) {
		q.CompleteAt(e.Post)
		e.Request = 0
	}
	return model.Request{ID: core.SendID(index)}
}

// chargeSend charges the rank's clock for a send. It reports whether the message stays on the host
// and whether it is copied.
func (b *Block) chargeSend(r *core.Rank, slot int32, e *core.Op) (local, copied bool) {
	w := b.shared
	local = w.Neighbours(r.ID, e.Dst) && e.How != core.SwitchedMessage
	copied = local || w.Spec.OneCopy
	if e.How != core.EagerMessage && !local {
		copied = w.Copies(e.How)
	}
	if b.clocks.Tracer != nil {
		b.clocks.Tracer.Sends(slot, e.Context, e.Tag, e.Dst)
		b.clocks.Tracer.Sent(e.Request, e, local)
	}
	if local {
		b.clocks.Charge(r, b.clocks.LocalCost(r.ID, e, e.Size, copied))
		return local, copied
	}
	b.clocks.Charge(r, b.clocks.CallCost(e.Context, e.Tag, e.Size, copied))
	asked := core.Asks(e.How) && e.Size > w.Protocols.ToAll && e.Size <= w.Protocols.EagerUpTo
	if w.Spec.Setup > 0 && (asked || e.Size > w.Spec.SetupAbove) && !core.OfDevice(e.Context, e.Tag) {
		b.clocks.Tracer.Calls(e)
		b.clocks.Charge(r, w.Spec.Setup)
	}
	return local, copied
}

// kind returns the kind of the first message of a send: the kind selected by SendWith, or else the
// world's kind for the size.
func (o *Ops) kind(size int64, dst int32) uint8 {
	if o.chosen != 0 {
		kind := o.chosen - 1
		o.chosen = 0
		return kind
	}
	if o.block.shared.Neighbours(o.rank.ID, dst) {
		return core.EagerMessage
	}
	p := &o.block.shared.Protocols
	if size > p.ToAll && size <= p.EagerUpTo && !o.block.peers.Meet(o.slot, dst) {
		return p.Large
	}
	return p.Kind(size)
}

// SendWith is like Send with options for the message.
func (o *Ops) SendWith(buf model.Buf, dst, source, tag, context int32, options model.Options) model.Request {
	if j := o.journal; j.outermost() {
		return j.sendWith(o, buf, dst, source, tag, context, &options)
	}
	w := o.block.shared
	how := w.Protocols.Chosen(int64(buf.Len()), &options, w.Spec.OneCopy)
	switch {
	case options.Tree != 0:
		how, o.mark = core.SwitchedMessage, uint64(options.Combination)
	case w.Neighbours(o.rank.ID, dst) && !options.Answered():
		how = core.EagerMessage
	}
	if core.Asks(how) && !o.block.outbox.Used() {
		panic(core.ErrNoAnswers)
	}
	o.chosen, o.block.logs.Options = how+1, options
	r := o.Send(buf, dst, source, tag, context)
	e := &o.list[len(o.list)-1]
	e.Nic, e.Gap, e.Remote = uint16(options.NIC), options.Gap, options.Name+options.Tree
	return r
}

// Recv posts a receive for a message from source (a rank of the context's communicator, or
// AnySource) with the tag (or AnyTag).
func (o *Ops) Recv(buf model.Buf, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, journal.CallRecv, buf, nil, source, tag, context)
	}
	return o.Receive(buf, source, tag, context, core.IsReceive)
}

// Receive posts a receive with the given flags for RequestState.Owner.
func (o *Ops) Receive(buf model.Buf, source, tag, context int32, flags uint32) model.Request {
	index, q := o.block.requests.Receives.Alloc()
	q.Owner = o.owner(flags)
	o.block.requests.SetSize(q, int64(buf.Len()))
	q.Source, q.Tag, q.Context = source, tag, context
	if buf.HasData() {
		o.block.requests.SetBuffer(q, o.keep(buf.Bytes()))
	}
	e := o.add(model.Recv, core.ReceiveID(index))
	e.Started = 0
	w := o.block.shared
	if poor := o.withoutBuffers(int64(buf.Len()), source, context); w.Spec.Setup > 0 &&
		(poor || int64(buf.Len()) > w.Spec.SetupAbove) && !core.OfDevice(context, tag) {
		o.block.clocks.Tracer.Posts()
		o.block.clocks.Charge(o.rank, w.Spec.Setup)
	}
	e.Post = o.rank.Clock
	if l := o.block.logs.Of(o.slot); l != nil {
		l.Posted(model.Request{ID: core.ReceiveID(index)}, source, tag, context)
	}
	return model.Request{ID: core.ReceiveID(index)}
}

// withoutBuffers reports whether a message of the given size is eager only between peers, and
// source is a rank of another host that is not a peer.
func (o *Ops) withoutBuffers(size int64, source, context int32) bool {
	w := o.block.shared
	if size <= w.Protocols.ToAll || size > w.Protocols.EagerUpTo || source == model.AnySource {
		return false
	}
	from := w.Communicators.WorldRank(context, source)
	return !w.Neighbours(o.rank.ID, from) && !o.block.peers.Meet(o.slot, from)
}

// stow copies the contents of a message of a kind, or lends them. It is not inlined, because most messages have none.
//
//go:noinline
func (o *Ops) stow(data []byte, how uint8) uint32 {
	mark := o.mark
	o.mark = 0
	if o.lends != copies {
		if handle := o.lend(data, mark, how); handle != 0 {
			return handle
		}
	}
	handle := o.block.shared.Payloads.Put(o.rank.ID, data, mark)
	o.block.journal.Stowed(handle)
	return handle
}

// stowAgain stores contents that a program sends again, in a replay, to rank to.
func (o *Ops) stowAgain(buf model.Buf, to int32) {
	mark := o.mark
	if len(buf.Bytes()) > 0 {
		o.mark = 0
		o.journal.Feed.Stow(buf.Bytes(), mark, to)
	}
}

// keep records the destination of a receive's contents. It is not inlined, because most receives
// have none.
//
//go:noinline
func (o *Ops) keep(data []byte) uint32 {
	id, place := o.block.requests.Buffers.Alloc()
	place.Data = data
	if o.journal != nil {
		o.journal.Kept = id
	}
	return id
}

// add appends an operation. It writes in place: an op that is built on the stack and copied would
// take a tenth of a coroutine's stack.
func (o *Ops) add(kind model.Kind, request uint32) *core.Op {
	o.steps++
	n := len(o.list)
	if n == cap(o.list) {
		o.list = slices.Grow(o.list, n)
	}
	o.list = o.list[:n+1]
	e := &o.list[n]
	e.Kind, e.Request = kind, request
	return e
}

// addWork appends a computation of d ps.
func (o *Ops) addWork(kind model.Kind, request uint32, d int64) {
	e := o.add(kind, request)
	e.Size, e.Started = d, 0
}

// owner returns the initial RequestState.Owner of a request of the rank.
func (o *Ops) owner(kind uint32) uint32 { return uint32(o.slot)<<core.OwnerBits | kind }

// request returns the active request with the given ID. It panics if there is none.
func (o *Ops) request(id model.Request) *core.RequestState {
	if !o.block.requests.Has(id.ID) {
		panic(core.ErrInactive)
	}
	q := o.block.requests.Of(id.ID)
	if !q.Active() || q.Slot() != o.slot {
		panic(core.ErrInactive)
	}
	return q
}

// waitFor adds a request to those that the last operation waits for.
func (o *Ops) waitFor(id model.Request, q *core.RequestState) {
	if q.Awaited() {
		panic(core.ErrTwice)
	}
	q.Owner |= core.IsWaited
	o.waits = append(o.waits, id.ID)
}

// WaitAll waits until all requests are complete, and frees them: they must not be used again. Zero
// requests are ignored. Received then describes the message of the receive that completed last.
func (o *Ops) WaitAll(requests ...model.Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.waitAll(o, requests)
	}
	o.steps++
	o.waits = o.waits[:0]
	o.rank.SendsDone = 0
	o.rank.Hint(0, 0)
	o.rank.Message = model.Envelope{}
	if o.block.logs.By != nil {
		o.block.logs.WaitedAll(o.slot, requests)
	}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if !q.Complete() || o.block.processors.TakePart() && q.Send() && q.Done > o.block.schedule.Now ||
			o.settlesLater(q, requests) {
			o.waitFor(id, q)
			continue
		}
		o.block.waiting.Settle(o.rank, id.ID, q)
		o.block.requests.Release(id.ID)
	}
	if len(o.waits) == 0 {
		o.block.clocks.Tracer.SendsComplete(o.slot)
		o.block.clocks.Advance(o.rank, o.rank.SendsDone)
		return false
	}
	o.last = model.WaitAll
	return true
}

// WaitAny waits until one of the requests is complete; Completed then returns it. Zero requests are
// ignored, but at least one request must be active.
func (o *Ops) WaitAny(requests []model.Request) {
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
	o.last = model.WaitAny
}

// Test tests whether the request is complete; Flag then returns the result. If Test returns false,
// the result is already known.
func (o *Ops) Test(id model.Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.test(o, id)
	}
	o.steps++
	if id.ID == 0 {
		o.block.waiting.Outcome.Flag = true
		return false
	}
	if q := o.request(id); q.Complete() && q.Done <= o.rank.Clock {
		o.block.logs.WaitedFor(o.rank, id.ID)
		o.block.waiting.Settle(o.rank, id.ID, q)
		o.block.waiting.Outcome.Flag = true
		return false
	}
	o.waits = o.waits[:0]
	o.waitFor(id, o.request(id))
	o.last = model.Test
	return true
}

// Probe waits until a matching message has arrived; Probed then describes it.
func (o *Ops) Probe(source, tag, context int32) {
	if j := o.journal; j.outermost() {
		j.probe(o, journal.CallProbe, source, tag, context)
		return
	}
	o.steps++
	o.probe = core.Key{Rank: o.slot, Context: context, Source: source, Tag: tag}
	o.last = model.Probe
}

// Iprobe tests whether a matching message has arrived. Flag then returns the result, and Probed
// describes the message.
func (o *Ops) Iprobe(source, tag, context int32) {
	if j := o.journal; j.outermost() {
		j.probe(o, journal.CallIprobe, source, tag, context)
		return
	}
	o.steps++
	o.probe = core.Key{Rank: o.slot, Context: context, Source: source, Tag: tag}
	o.last = model.Iprobe
}

// Exit ends the program.
func (o *Ops) Exit() { o.last = model.Exit }

// Fail ends the program and the run with an error.
func (o *Ops) Fail(err error) {
	o.err = err
	o.last = model.Failed
}

// Completed returns the request that ended a WaitAny.
func (o *Ops) Completed() model.Request {
	done := o.block.waiting.Outcome.Completed
	if o.journal != nil {
		done.ID = uint32(o.journal.answer(journal.CallCompleted, int64(done.ID)))
	}
	return done
}

// Flag returns the result of a Test or Iprobe.
func (o *Ops) Flag() bool {
	flag := o.block.waiting.Outcome.Flag
	if o.journal != nil {
		return o.journal.answer(journal.CallFlag, journal.Truth(flag)) != 0
	}
	return flag
}

// Received describes the message received by the last WaitAll, if it received one.
func (o *Ops) Received() model.Envelope {
	if o.journal != nil {
		return o.journal.envelope(journal.CallReceived, o.rank.Message)
	}
	return o.rank.Message
}

// Found returns the old value from the atomic operation that the last WaitAll completed, if it
// waited for nothing else.
func (o *Ops) Found() int64 {
	found := int64(o.rank.Message.Size)
	if o.journal != nil {
		return o.journal.answer(journal.CallFound, found)
	}
	return found
}

// Probed describes the message that a Probe or Iprobe has found.
func (o *Ops) Probed() model.Envelope {
	if o.journal != nil {
		return o.journal.envelope(journal.CallProbed, o.rank.Message)
	}
	return o.rank.Message
}

// Envelope returns the envelope of a completed receive's message; for a send it is zero.
func (o *Ops) Envelope(id model.Request) model.Envelope {
	if j := o.journal; j.outermost() {
		return j.envelopeOf(o, id)
	}
	if id.ID == 0 {
		return model.Envelope{}
	}
	if o.request(id).Send() {
		return model.Envelope{}
	}
	return o.block.requests.Envelope(o.block.requests.Receives.At(core.IndexOf(id.ID)))
}

// Free frees a request that a WaitAny or Test has found complete.
func (o *Ops) Free(id model.Request) {
	if j := o.journal; j.outermost() {
		j.free(o, id)
		return
	}
	if id.ID != 0 {
		o.request(id)
		o.block.requests.Release(id.ID)
	}
}

// Failed reports whether Fail has been called since the program was resumed.
func (o *Ops) Failed() bool { return o.last == model.Failed }

// settlesLater reports whether a rank that starts a WaitAll has to wait for a receive that
// completes in the future at a known time. It need not wait if that is the only receive. If it
// waits for others, too, those that arrive earlier must be charged earlier.
func (o *Ops) settlesLater(q *core.RequestState, all []model.Request) bool {
	if !q.Foreseen(o.rank) {
		return false
	}
	receives := 0
	for _, id := range all {
		if id.ID != 0 && core.IsReceiveID(id.ID) {
			receives++
		}
	}
	return receives > 1
}
