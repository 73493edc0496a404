package node

// callJournal is the journal of a block for the calls of its programs: each is carried out and
// written down, or fed from the journal.
type callJournal struct{ journal }

// outermost reports whether a call of the program is to be noted in the journal, or fed from it. j
// may be nil.
func (j *callJournal) outermost() bool { return j != nil && !j.inside }

// now implements Ops.Now. Times are noted as distances from the begin of the window.
func (j *callJournal) now(o *Ops) int64 {
	if j.call(callNow) {
		return j.window + j.feed.told[0]
	}
	t := o.Now()
	j.done(t - j.window)
	return t
}

func (j *callJournal) compute(o *Ops, d int64) {
	if j.call(callCompute, d) {
		return
	}
	o.Compute(d)
	j.done()
}

func (j *callJournal) send(o *Ops, buf Buf, dst, source, tag, context int32) Request {
	if j.call(
		callSend, int64(buf.Len()), int64(dst), int64(source), int64(tag), int64(context), hashOf(buf),
	) {
		o.stowAgain(buf, dst)
		return j.feed.request()
	}
	q := o.Send(buf, dst, source, tag, context)
	j.done(int64(q.ID))
	return q
}

func (j *callJournal) sendWith(o *Ops, buf Buf, dst, source, tag, context int32, x *Options) Request {
	if j.call(
		callSendWith, int64(buf.Len()), int64(dst), int64(source), int64(tag), int64(context), hashOf(buf),
		int64(x.NIC), int64(x.Gap), int64(x.Protocol), int64(x.Copies), int64(x.Name),
	) {
		o.stowAgain(buf, dst)
		return j.feed.request()
	}
	q := o.SendWith(buf, dst, source, tag, context, *x)
	j.done(int64(q.ID))
	return q
}

func (j *callJournal) sendrecv(
	o *Ops, send Buf, dst, source, sendTag int32, recv Buf, from, recvTag, context int32,
) (wait bool) {
	if j.call(
		callSendrecv, int64(send.Len()), int64(dst), int64(source), int64(sendTag), hashOf(send), int64(recv.Len()),
		int64(from), int64(recvTag), int64(context),
	) {
		o.stowAgain(send, dst)
		j.feed.keep(uint32(j.feed.told[1]), recv.Bytes(), nil)
		return j.feed.told[0] != 0
	}
	wait = o.Sendrecv(send, dst, source, sendTag, recv, from, recvTag, context)
	j.done(truth(wait), int64(j.kept))
	return wait
}

func (j *callJournal) recv(o *Ops, kind byte, buf Buf, told *Told, source, tag, context int32) (q Request) {
	if j.call(kind, int64(buf.Len()), int64(source), int64(tag), int64(context)) {
		j.feed.keep(uint32(j.feed.told[1]), buf.Bytes(), told)
		return j.feed.request()
	}
	switch kind {
	case callRecvTo:
		q = o.RecvTo(buf, told, source, tag, context)
	case callRecvCut:
		q = o.RecvCut(buf, source, tag, context)
	default:
		q = o.Recv(buf, source, tag, context)
	}
	j.done(int64(q.ID), int64(j.kept))
	return q
}

func (j *callJournal) waitAll(o *Ops, requests []Request) (wait bool) {
	if j.call(callWaitAll, int64(len(requests)), hashOfRequests(requests)) {
		return j.feed.told[0] != 0
	}
	wait = o.WaitAll(requests...)
	j.done(truth(wait))
	return wait
}

func (j *callJournal) waitAny(o *Ops, requests []Request) {
	if !j.call(callWaitAny, int64(len(requests)), hashOfRequests(requests)) {
		o.WaitAny(requests)
		j.done()
	}
}

func (j *callJournal) test(o *Ops, id Request) (wait bool) {
	if j.call(callTest, int64(id.ID)) {
		return j.feed.told[0] != 0
	}
	wait = o.Test(id)
	j.done(truth(wait))
	return wait
}

func (j *callJournal) testAny(o *Ops, requests []Request) (wait bool) {
	if j.call(callTestAny, int64(len(requests)), hashOfRequests(requests)) {
		return j.feed.told[0] != 0
	}
	wait = o.TestAny(requests)
	j.done(truth(wait))
	return wait
}

// probe implements Ops.Probe and Ops.Iprobe.
func (j *callJournal) probe(o *Ops, kind byte, source, tag, context int32) {
	if j.call(kind, int64(source), int64(tag), int64(context)) {
		return
	}
	if kind == callProbe {
		o.Probe(source, tag, context)
	} else {
		o.Iprobe(source, tag, context)
	}
	j.done()
}

// answer implements the questions of Ops with one number as their answer.
func (j *callJournal) answer(kind byte, is int64) int64 {
	if j.call(kind) {
		return j.feed.told[0]
	}
	j.done(is)
	return is
}

// envelope implements the questions of Ops for a message.
func (j *callJournal) envelope(kind byte, is Envelope) Envelope {
	if j.call(kind) {
		return j.feed.envelope()
	}
	j.done(int64(is.Source), int64(is.Tag), int64(is.Size))
	return is
}

func (j *callJournal) envelopeOf(o *Ops, id Request) Envelope {
	if j.call(callEnvelope, int64(id.ID)) {
		return j.feed.envelope()
	}
	e := o.Envelope(id)
	j.done(int64(e.Source), int64(e.Tag), int64(e.Size))
	return e
}

func (j *callJournal) free(o *Ops, id Request) {
	if !j.call(callFree, int64(id.ID)) {
		o.Free(id)
		j.done()
	}
}

func (j *callJournal) settle(o *Ops, id Request) bool {
	if j.call(callSettle, int64(id.ID)) {
		return j.feed.told[0] != 0
	}
	is := o.Settle(id)
	j.done(truth(is))
	return is
}

func (j *callJournal) cancel(o *Ops, id Request) bool {
	if j.call(callCancel, int64(id.ID)) {
		j.feed.takeBuffer(uint32(j.feed.told[1]))
		return j.feed.told[0] != 0
	}
	buffer := uint32(0)
	if q := o.request(id); !q.send() {
		buffer = o.block.requests.buffer(o.block.requests.receives.at(indexOf(id.ID)))
	}
	is := o.Cancel(id)
	if !is {
		buffer = 0
	}
	j.done(truth(is), int64(buffer))
	return is
}

func (j *callJournal) cancelSend(
	o *Ops, send Request, told *Told, dst, source, tag, context int32, name uint32,
) Request {
	if j.call(
		callCancelSend, int64(send.ID), int64(dst), int64(source), int64(tag), int64(context), int64(name),
	) {
		j.feed.keep(uint32(j.feed.told[1]), nil, told)
		return j.feed.request()
	}
	q := o.CancelSend(send, told, dst, source, tag, context, name)
	j.done(int64(q.ID), int64(j.kept))
	return q
}

func (j *callJournal) watch(o *Ops, id Request, word uint32) {
	if !j.call(callWatch, int64(id.ID), int64(word)) {
		o.Watch(id, word)
		j.done()
	}
}

// next implements Ops.WaitNext and Ops.TestNext.
func (j *callJournal) next(o *Ops, kind byte) (wait bool) {
	if j.call(kind) {
		return j.feed.told[0] != 0
	}
	if kind == callWaitNext {
		wait = o.WaitNext()
	} else {
		wait = o.TestNext()
	}
	j.done(truth(wait))
	return wait
}

func (j *callJournal) timer(o *Ops, d int64) Request {
	if j.call(callTimer, d) {
		return j.feed.request()
	}
	q := o.Timer(d)
	j.done(int64(q.ID))
	return q
}

// begin begins a one-sided operation, as call does.
func (j *callJournal) begin(kind byte, n int64, a *Access, more ...int64) (fed bool) {
	var all [16]int64
	list := append(
		all[:0], n, int64(a.Rank), int64(a.Region), a.Place, int64(a.Options.NIC), int64(a.Options.Gap),
	)
	return j.call(kind, append(list, more...)...)
}

func (j *callJournal) put(s *OneSided, buf Buf, a Access, source, tag, context int32) Request {
	if j.begin(callPut, int64(buf.Len()), &a, int64(source), int64(tag), int64(context), hashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		return j.feed.request()
	}
	q := s.Put(buf, a, source, tag, context)
	j.done(int64(q.ID))
	return q
}

func (j *callJournal) get(s *OneSided, buf Buf, a Access) Request {
	if j.begin(callGet, int64(buf.Len()), &a) {
		j.feed.keep(uint32(j.feed.told[1]), buf.Bytes(), nil)
		return j.feed.request()
	}
	q := s.Get(buf, a)
	j.done(int64(q.ID), int64(j.kept))
	return q
}

func (j *callJournal) collect(s *OneSided, buf Buf, scatter int64, a Access) Request {
	if j.begin(callCollect, int64(buf.Len()), &a) {
		j.feed.keep(uint32(j.feed.told[1]), buf.Bytes(), nil)
		j.feed.same(j.feed.told[2], scatter)
		return j.feed.request()
	}
	q := s.Collect(buf, scatter, a)
	j.done(int64(q.ID), int64(j.kept), scatter)
	return q
}

func (j *callJournal) accumulate(s *OneSided, buf Buf, combination int64, a Access) Request {
	if j.begin(callAccumulate, int64(buf.Len()), &a, hashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		j.feed.same(j.feed.told[1], combination)
		return j.feed.request()
	}
	q := s.Accumulate(buf, combination, a)
	j.done(int64(q.ID), combination)
	return q
}

func (j *callJournal) exchange(s *OneSided, buf, result Buf, combination int64, a Access) Request {
	if j.begin(callExchange, int64(buf.Len()), &a, hashOf(buf), int64(result.Len())) {
		s.ops.stowAgain(buf, a.Rank)
		j.feed.keep(uint32(j.feed.told[1]), result.Bytes(), nil)
		j.feed.same(j.feed.told[2], combination)
		return j.feed.request()
	}
	q := s.Exchange(buf, result, combination, a)
	j.done(int64(q.ID), int64(j.kept), combination)
	return q
}

func (j *callJournal) atomic(s *OneSided, change Change, operand, compare int64, a Access) Request {
	if j.begin(callAtomic, wordBytes, &a, int64(change), operand, compare) {
		return j.feed.request()
	}
	q := s.Atomic(change, operand, compare, a)
	j.done(int64(q.ID))
	return q
}

func (j *callJournal) lock(s *OneSided, a Access, alone bool) Request {
	if j.begin(callLock, 0, &a, truth(alone)) {
		return j.feed.request()
	}
	q := s.Lock(a, alone)
	j.done(int64(q.ID))
	return q
}

func (j *callJournal) unlock(s *OneSided, a Access) {
	if !j.begin(callUnlock, 0, &a) {
		s.Unlock(a)
		j.done()
	}
}

// register implements OneSided.Register, which is carried out in any case.
func (j *callJournal) register(s *OneSided, buf Buf) int32 {
	fed := j.call(callRegister, int64(buf.Len()))
	j.inside = true
	n := s.Register(buf)
	if j.inside = false; !fed {
		j.done(int64(n))
	}
	return n
}

// unregister implements OneSided.Unregister, which is carried out in any case.
func (j *callJournal) unregister(s *OneSided, number int32) {
	fed := j.call(callUnregister, int64(number))
	j.inside = true
	s.Unregister(number)
	if j.inside = false; !fed {
		j.done()
	}
}

func (j *callJournal) value(s *OneSided, id Request) int64 {
	if j.call(callValue, int64(id.ID)) {
		return j.feed.told[0]
	}
	n := s.Value(id)
	j.done(n)
	return n
}
