package node

import (
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
)

// callJournal is a block's journal of its programs' calls. It executes each call and records it, or
// replays the call from the record.
type callJournal struct{ journal.Journal }

// outermost reports whether the journal has to record or replay a call of the program. It returns
// false for calls within other calls. j may be nil.
func (j *callJournal) outermost() bool { return j != nil && !j.Inside }

// now implements Ops.Now. The journal stores times relative to the start of the window.
func (j *callJournal) now(o *Ops) int64 {
	if j.Call(journal.CallNow) {
		return j.Window + j.Feed.Results[0]
	}
	t := o.Now()
	j.Done(t - j.Window)
	return t
}

func (j *callJournal) compute(o *Ops, d int64) {
	if j.Call(journal.CallCompute, d) {
		return
	}
	o.Compute(d)
	j.Done()
}

func (j *callJournal) send(o *Ops, buf model.Buf, dst, source, tag, context int32) model.Request {
	if j.Call(
		journal.CallSend, int64(buf.Len()), int64(dst), int64(source), int64(tag), int64(context), journal.HashOf(buf),
	) {
		o.stowAgain(buf, dst)
		return j.Feed.Request()
	}
	q := o.Send(buf, dst, source, tag, context)
	j.Done(int64(q.ID))
	return q
}

func (j *callJournal) sendWith(o *Ops, buf model.Buf, dst, source, tag, context int32, x *model.Options) model.Request {
	if j.Call(
		journal.CallSendWith, int64(buf.Len()), int64(dst), int64(source), int64(tag), int64(context), journal.HashOf(buf),
		int64(x.NIC), int64(x.Gap), int64(x.Protocol), int64(x.Copies), int64(x.Name),
	) {
		o.stowAgain(buf, dst)
		return j.Feed.Request()
	}
	q := o.SendWith(buf, dst, source, tag, context, *x)
	j.Done(int64(q.ID))
	return q
}

func (j *callJournal) sendrecv(
	o *Ops, send model.Buf, dst, source, sendTag int32, recv model.Buf, from, recvTag, context int32,
) (wait bool) {
	if j.Call(
		journal.CallSendrecv, int64(send.Len()), int64(dst), int64(source), int64(sendTag), journal.HashOf(send), int64(recv.Len()),
		int64(from), int64(recvTag), int64(context),
	) {
		o.stowAgain(send, dst)
		j.Feed.Keep(uint32(j.Feed.Results[1]), recv.Bytes(), nil)
		return j.Feed.Results[0] != 0
	}
	wait = o.Sendrecv(send, dst, source, sendTag, recv, from, recvTag, context)
	j.Done(journal.Truth(wait), int64(j.Kept))
	return wait
}

func (j *callJournal) recv(o *Ops, kind byte, buf model.Buf, delivery *model.Delivery, source, tag, context int32) (q model.Request) {
	if j.Call(kind, int64(buf.Len()), int64(source), int64(tag), int64(context)) {
		j.Feed.Keep(uint32(j.Feed.Results[1]), buf.Bytes(), delivery)
		return j.Feed.Request()
	}
	switch kind {
	case journal.CallRecvTo:
		q = o.RecvTo(buf, delivery, source, tag, context)
	case journal.CallRecvCut:
		q = o.RecvCut(buf, source, tag, context)
	default:
		q = o.Recv(buf, source, tag, context)
	}
	j.Done(int64(q.ID), int64(j.Kept))
	return q
}

func (j *callJournal) waitAll(o *Ops, requests []model.Request) (wait bool) {
	if j.Call(journal.CallWaitAll, int64(len(requests)), journal.HashOfRequests(requests)) {
		return j.Feed.Results[0] != 0
	}
	wait = o.WaitAll(requests...)
	j.Done(journal.Truth(wait))
	return wait
}

func (j *callJournal) waitAny(o *Ops, requests []model.Request) {
	if !j.Call(journal.CallWaitAny, int64(len(requests)), journal.HashOfRequests(requests)) {
		o.WaitAny(requests)
		j.Done()
	}
}

func (j *callJournal) test(o *Ops, id model.Request) (wait bool) {
	if j.Call(journal.CallTest, int64(id.ID)) {
		return j.Feed.Results[0] != 0
	}
	wait = o.Test(id)
	j.Done(journal.Truth(wait))
	return wait
}

func (j *callJournal) testAny(o *Ops, requests []model.Request) (wait bool) {
	if j.Call(journal.CallTestAny, int64(len(requests)), journal.HashOfRequests(requests)) {
		return j.Feed.Results[0] != 0
	}
	wait = o.TestAny(requests)
	j.Done(journal.Truth(wait))
	return wait
}

// probe implements Ops.Probe and Ops.Iprobe.
func (j *callJournal) probe(o *Ops, kind byte, source, tag, context int32) {
	if j.Call(kind, int64(source), int64(tag), int64(context)) {
		return
	}
	if kind == journal.CallProbe {
		o.Probe(source, tag, context)
	} else {
		o.Iprobe(source, tag, context)
	}
	j.Done()
}

// answer implements those queries of Ops that return one number.
func (j *callJournal) answer(kind byte, is int64) int64 {
	if j.Call(kind) {
		return j.Feed.Results[0]
	}
	j.Done(is)
	return is
}

// envelope implements those queries of Ops that return an envelope.
func (j *callJournal) envelope(kind byte, is model.Envelope) model.Envelope {
	if j.Call(kind) {
		return j.Feed.Envelope()
	}
	j.Done(int64(is.Source), int64(is.Tag), int64(is.Size))
	return is
}

func (j *callJournal) envelopeOf(o *Ops, id model.Request) model.Envelope {
	if j.Call(journal.CallEnvelope, int64(id.ID)) {
		return j.Feed.Envelope()
	}
	e := o.Envelope(id)
	j.Done(int64(e.Source), int64(e.Tag), int64(e.Size))
	return e
}

func (j *callJournal) free(o *Ops, id model.Request) {
	if !j.Call(journal.CallFree, int64(id.ID)) {
		o.Free(id)
		j.Done()
	}
}

func (j *callJournal) settle(o *Ops, id model.Request) bool {
	if j.Call(journal.CallSettle, int64(id.ID)) {
		return j.Feed.Results[0] != 0
	}
	is := o.Settle(id)
	j.Done(journal.Truth(is))
	return is
}

func (j *callJournal) cancel(o *Ops, id model.Request) bool {
	if j.Call(journal.CallCancel, int64(id.ID)) {
		j.Feed.TakeBuffer(uint32(j.Feed.Results[1]))
		return j.Feed.Results[0] != 0
	}
	buffer := uint32(0)
	if q := o.request(id); !q.Send() {
		buffer = o.block.requests.Buffer(o.block.requests.Receives.At(core.IndexOf(id.ID)))
	}
	is := o.Cancel(id)
	if !is {
		buffer = 0
	}
	j.Done(journal.Truth(is), int64(buffer))
	return is
}

func (j *callJournal) cancelSend(
	o *Ops, send model.Request, delivery *model.Delivery, dst, source, tag, context int32, name uint32,
) model.Request {
	if j.Call(
		journal.CallCancelSend, int64(send.ID), int64(dst), int64(source), int64(tag), int64(context), int64(name),
	) {
		j.Feed.Keep(uint32(j.Feed.Results[1]), nil, delivery)
		return j.Feed.Request()
	}
	q := o.CancelSend(send, delivery, dst, source, tag, context, name)
	j.Done(int64(q.ID), int64(j.Kept))
	return q
}

func (j *callJournal) watch(o *Ops, id model.Request, word uint32) {
	if !j.Call(journal.CallWatch, int64(id.ID), int64(word)) {
		o.Watch(id, word)
		j.Done()
	}
}

// next implements Ops.WaitNext and Ops.TestNext.
func (j *callJournal) next(o *Ops, kind byte) (wait bool) {
	if j.Call(kind) {
		return j.Feed.Results[0] != 0
	}
	if kind == journal.CallWaitNext {
		wait = o.WaitNext()
	} else {
		wait = o.TestNext()
	}
	j.Done(journal.Truth(wait))
	return wait
}

func (j *callJournal) timer(o *Ops, d int64) model.Request {
	if j.Call(journal.CallTimer, d) {
		return j.Feed.Request()
	}
	q := o.Timer(d)
	j.Done(int64(q.ID))
	return q
}

// begin starts a one-sided operation in the journal, as call does for other operations.
func (j *callJournal) begin(kind byte, n int64, a *core.Access, more ...int64) (fed bool) {
	var all [16]int64
	list := append(
		all[:0], n, int64(a.Rank), int64(a.Region), a.Place, int64(a.Options.NIC), int64(a.Options.Gap),
	)
	return j.Call(kind, append(list, more...)...)
}

func (j *callJournal) put(s *OneSided, buf model.Buf, a core.Access, source, tag, context int32) model.Request {
	if j.begin(journal.CallPut, int64(buf.Len()), &a, int64(source), int64(tag), int64(context), journal.HashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		return j.Feed.Request()
	}
	q := s.Put(buf, a, source, tag, context)
	j.Done(int64(q.ID))
	return q
}

func (j *callJournal) get(s *OneSided, buf model.Buf, a core.Access) model.Request {
	if j.begin(journal.CallGet, int64(buf.Len()), &a) {
		j.Feed.Keep(uint32(j.Feed.Results[1]), buf.Bytes(), nil)
		return j.Feed.Request()
	}
	q := s.Get(buf, a)
	j.Done(int64(q.ID), int64(j.Kept))
	return q
}

func (j *callJournal) collect(s *OneSided, buf model.Buf, scatter int64, a core.Access) model.Request {
	if j.begin(journal.CallCollect, int64(buf.Len()), &a) {
		j.Feed.Keep(uint32(j.Feed.Results[1]), buf.Bytes(), nil)
		j.Feed.Same(j.Feed.Results[2], scatter)
		return j.Feed.Request()
	}
	q := s.Collect(buf, scatter, a)
	j.Done(int64(q.ID), int64(j.Kept), scatter)
	return q
}

func (j *callJournal) accumulate(s *OneSided, buf model.Buf, combination int64, a core.Access) model.Request {
	if j.begin(journal.CallAccumulate, int64(buf.Len()), &a, journal.HashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		j.Feed.Same(j.Feed.Results[1], combination)
		return j.Feed.Request()
	}
	q := s.Accumulate(buf, combination, a)
	j.Done(int64(q.ID), combination)
	return q
}

func (j *callJournal) exchange(s *OneSided, buf, result model.Buf, combination int64, a core.Access) model.Request {
	if j.begin(journal.CallExchange, int64(buf.Len()), &a, journal.HashOf(buf), int64(result.Len())) {
		s.ops.stowAgain(buf, a.Rank)
		j.Feed.Keep(uint32(j.Feed.Results[1]), result.Bytes(), nil)
		j.Feed.Same(j.Feed.Results[2], combination)
		return j.Feed.Request()
	}
	q := s.Exchange(buf, result, combination, a)
	j.Done(int64(q.ID), int64(j.Kept), combination)
	return q
}

func (j *callJournal) atomic(s *OneSided, change model.Change, operand, compare int64, a core.Access) model.Request {
	if j.begin(journal.CallAtomic, core.WordBytes, &a, int64(change), operand, compare) {
		return j.Feed.Request()
	}
	q := s.Atomic(change, operand, compare, a)
	j.Done(int64(q.ID))
	return q
}

func (j *callJournal) lock(s *OneSided, a core.Access, alone bool) model.Request {
	if j.begin(journal.CallLock, 0, &a, journal.Truth(alone)) {
		return j.Feed.Request()
	}
	q := s.Lock(a, alone)
	j.Done(int64(q.ID))
	return q
}

func (j *callJournal) unlock(s *OneSided, a core.Access) {
	if !j.begin(journal.CallUnlock, 0, &a) {
		s.Unlock(a)
		j.Done()
	}
}

// register implements OneSided.Register, which is executed in a replay, too.
func (j *callJournal) register(s *OneSided, buf model.Buf) int32 {
	fed := j.Call(journal.CallRegister, int64(buf.Len()))
	j.Inside = true
	n := s.Register(buf)
	if j.Inside = false; !fed {
		j.Done(int64(n))
	}
	return n
}

// unregister implements OneSided.Unregister, which is executed in a replay, too.
func (j *callJournal) unregister(s *OneSided, number int32) {
	fed := j.Call(journal.CallUnregister, int64(number))
	j.Inside = true
	s.Unregister(number)
	if j.Inside = false; !fed {
		j.Done()
	}
}

func (j *callJournal) value(s *OneSided, id model.Request) int64 {
	if j.Call(journal.CallValue, int64(id.ID)) {
		return j.Feed.Results[0]
	}
	n := s.Value(id)
	j.Done(n)
	return n
}
