package node

import "fabricast/internal/units"

// Kinds of records that are calls of programs.
const (
	callNow byte = iota
	callCompute
	callSend
	callSendWith
	callSendrecv
	callRecv
	callRecvTo
	callRecvCut
	callWaitAll
	callWaitAny
	callTest
	callTestAny
	callProbe
	callIprobe
	callCompleted
	callFlag
	callReceived
	callFound
	callProbed
	callEnvelope
	callFree
	callSettle
	callCancel
	callCancelSend
	callWatch
	callWaitNext
	callTestNext
	callWord
	callRoused
	callTimer
	callPut
	callGet
	callCollect
	callAccumulate
	callExchange
	callAtomic
	callLock
	callUnlock
	callRegister
	callUnregister
	callValue
	calls
)

// callForm is the form of a call in a journal.
type callForm struct {
	name      string
	arguments []string
	results   int
}

var envelope = 3 // numbers of one

// callForms holds the forms by kind. Arguments are compared when a program makes the call again.
var callForms = [calls]callForm{
	callNow:     {"look at the clock", nil, 1},
	callCompute: {"computation", []string{"ps"}, 0},
	callSend:    {"send", []string{"bytes", "to rank", "from", "tag", "context", "hash"}, 1},
	callSendWith: {
		"send",
		[]string{
			"bytes", "to rank", "from", "tag", "context", "hash", "NIC", "gap", "protocol", "copies", "name",
		},
		1,
	},
	callSendrecv: {
		"send and receive", []string{
			"bytes", "to rank", "from", "tag", "hash", "bytes received", "source", "tag received", "context",
		}, 2,
	},
	callRecv:       {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callRecvTo:     {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callRecvCut:    {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callWaitAll:    {"wait for all", []string{"requests", "hash"}, 1},
	callWaitAny:    {"wait for one", []string{"requests", "hash"}, 0},
	callTest:       {"test", []string{"request"}, 1},
	callTestAny:    {"test of several", []string{"requests", "hash"}, 1},
	callProbe:      {"probe", []string{"source", "tag", "context"}, 0},
	callIprobe:     {"look for a message", []string{"source", "tag", "context"}, 0},
	callCompleted:  {"question which request is complete", nil, 1},
	callFlag:       {"question for the answer of a test", nil, 1},
	callReceived:   {"question for the message received", nil, envelope},
	callFound:      {"question for the value found", nil, 1},
	callProbed:     {"question for the message probed", nil, envelope},
	callEnvelope:   {"question for the message of a request", []string{"request"}, envelope},
	callFree:       {"end of a request", []string{"request"}, 0},
	callSettle:     {"end of a complete request", []string{"request"}, 1},
	callCancel:     {"cancel of a receive", []string{"request"}, 2},
	callCancelSend: {"cancel of a send", []string{"request", "to rank", "from", "tag", "context", "name"}, 2},
	callWatch:      {"watch of a request", []string{"request", "word"}, 0},
	callWaitNext:   {"wait for the next", nil, 1},
	callTestNext:   {"test for the next", nil, 1},
	callWord:       {"question for the word of a request", nil, 1},
	callRoused:     {"question why a test has ended", nil, 1},
	callTimer:      {"timer", []string{"ps"}, 1},
	callPut: {
		"put", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "from", "tag", "context", "hash"}, 1,
	},
	callGet:        {"get", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 2},
	callCollect:    {"get with gaps", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 3},
	callAccumulate: {"accumulate", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "hash"}, 2},
	callExchange: {
		"exchange", []string{"bytes", "with rank", "region", "place", "NIC", "gap", "hash", "bytes back"}, 3,
	},
	callAtomic: {
		"atomic operation",
		[]string{"bytes", "at rank", "region", "place", "NIC", "gap", "operation", "operand", "compared"},
		1,
	},
	callLock:       {"lock", []string{"bytes", "of rank", "region", "place", "NIC", "gap", "alone"}, 1},
	callUnlock:     {"unlock", []string{"bytes", "of rank", "region", "place", "NIC", "gap"}, 0},
	callRegister:   {"opening of memory", []string{"bytes"}, 1},
	callUnregister: {"closing of memory", []string{"region"}, 0},
	callValue:      {"question for the value of a request", []string{"request"}, 1},
}

// outermost reports whether a call of the program is to be noted in the journal, or fed from it. j
// may be nil.
func (j *journal) outermost() bool { return j != nil && !j.inside }

// call begins a call of a program. It returns true if the journal has the outcome, and false if the
// call is to be carried out now. Then done must follow.
func (j *journal) call(kind byte, arguments ...int64) (fed bool) {
	if j.feed != nil {
		j.feed.call(kind, arguments)
		return true
	}
	j.add(kind, arguments...)
	j.inside, j.kept = true, 0
	return false
}

// done ends a call that has been carried out.
func (j *journal) done(results ...int64) {
	j.inside = false
	j.results(results...)
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// now implements Ops.Now. Times are noted as distances from the begin of the window.
func (j *journal) now(o *Ops) int64 {
	if j.call(callNow) {
		return j.window + j.feed.told[0]
	}
	t := o.Now()
	j.done(t - j.window)
	return t
}

func (j *journal) compute(o *Ops, d int64) {
	if j.call(callCompute, d) {
		return
	}
	o.Compute(d)
	j.done()
}

func (j *journal) send(o *Ops, buf Buf, dst, source, tag, context int32) Request {
	if j.call(
		callSend, buf.size, int64(dst), int64(source), int64(tag), int64(context), hashOf(buf),
	) {
		o.stowAgain(buf, dst)
		return j.feed.request()
	}
	q := o.Send(buf, dst, source, tag, context)
	j.done(int64(q.ID))
	return q
}

func (j *journal) sendWith(o *Ops, buf Buf, dst, source, tag, context int32, x *Options) Request {
	if j.call(
		callSendWith, buf.size, int64(dst), int64(source), int64(tag), int64(context), hashOf(buf),
		int64(x.NIC), int64(x.Gap), int64(x.Protocol), int64(x.Copies), int64(x.Name),
	) {
		o.stowAgain(buf, dst)
		return j.feed.request()
	}
	q := o.SendWith(buf, dst, source, tag, context, *x)
	j.done(int64(q.ID))
	return q
}

func (j *journal) sendrecv(
	o *Ops, send Buf, dst, source, sendTag int32, recv Buf, from, recvTag, context int32,
) (wait bool) {
	if j.call(
		callSendrecv, send.size, int64(dst), int64(source), int64(sendTag), hashOf(send), recv.size,
		int64(from), int64(recvTag), int64(context),
	) {
		o.stowAgain(send, dst)
		j.feed.keep(uint32(j.feed.told[1]), recv.data, nil)
		return j.feed.told[0] != 0
	}
	wait = o.Sendrecv(send, dst, source, sendTag, recv, from, recvTag, context)
	j.done(truth(wait), int64(j.kept))
	return wait
}

func (j *journal) recv(o *Ops, kind byte, buf Buf, told *Told, source, tag, context int32) (q Request) {
	if j.call(kind, buf.size, int64(source), int64(tag), int64(context)) {
		j.feed.keep(uint32(j.feed.told[1]), buf.data, told)
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

func (j *journal) waitAll(o *Ops, requests []Request) (wait bool) {
	if j.call(callWaitAll, int64(len(requests)), hashOfRequests(requests)) {
		return j.feed.told[0] != 0
	}
	wait = o.WaitAll(requests...)
	j.done(truth(wait))
	return wait
}

func (j *journal) waitAny(o *Ops, requests []Request) {
	if !j.call(callWaitAny, int64(len(requests)), hashOfRequests(requests)) {
		o.WaitAny(requests)
		j.done()
	}
}

func (j *journal) test(o *Ops, id Request) (wait bool) {
	if j.call(callTest, int64(id.ID)) {
		return j.feed.told[0] != 0
	}
	wait = o.Test(id)
	j.done(truth(wait))
	return wait
}

func (j *journal) testAny(o *Ops, requests []Request) (wait bool) {
	if j.call(callTestAny, int64(len(requests)), hashOfRequests(requests)) {
		return j.feed.told[0] != 0
	}
	wait = o.TestAny(requests)
	j.done(truth(wait))
	return wait
}

// probe implements Ops.Probe and Ops.Iprobe.
func (j *journal) probe(o *Ops, kind byte, source, tag, context int32) {
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
func (j *journal) answer(kind byte, is int64) int64 {
	if j.call(kind) {
		return j.feed.told[0]
	}
	j.done(is)
	return is
}

// envelope implements the questions of Ops for a message.
func (j *journal) envelope(kind byte, is Envelope) Envelope {
	if j.call(kind) {
		return j.feed.envelope()
	}
	j.done(int64(is.Source), int64(is.Tag), int64(is.Size))
	return is
}

func (j *journal) envelopeOf(o *Ops, id Request) Envelope {
	if j.call(callEnvelope, int64(id.ID)) {
		return j.feed.envelope()
	}
	e := o.Envelope(id)
	j.done(int64(e.Source), int64(e.Tag), int64(e.Size))
	return e
}

func (j *journal) free(o *Ops, id Request) {
	if !j.call(callFree, int64(id.ID)) {
		o.Free(id)
		j.done()
	}
}

func (j *journal) settle(o *Ops, id Request) bool {
	if j.call(callSettle, int64(id.ID)) {
		return j.feed.told[0] != 0
	}
	is := o.Settle(id)
	j.done(truth(is))
	return is
}

func (j *journal) cancel(o *Ops, id Request) bool {
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

func (j *journal) cancelSend(
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

func (j *journal) watch(o *Ops, id Request, word uint32) {
	if !j.call(callWatch, int64(id.ID), int64(word)) {
		o.Watch(id, word)
		j.done()
	}
}

// next implements Ops.WaitNext and Ops.TestNext.
func (j *journal) next(o *Ops, kind byte) (wait bool) {
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

func (j *journal) timer(o *Ops, d int64) Request {
	if j.call(callTimer, d) {
		return j.feed.request()
	}
	q := o.Timer(d)
	j.done(int64(q.ID))
	return q
}

// begin begins a one-sided operation, as call does.
func (j *journal) begin(kind byte, n int64, a *Access, more ...int64) (fed bool) {
	var all [16]int64
	list := append(
		all[:0], n, int64(a.Rank), int64(a.Region), a.Place, int64(a.Options.NIC), int64(a.Options.Gap),
	)
	return j.call(kind, append(list, more...)...)
}

func (j *journal) put(s *OneSided, buf Buf, a Access, source, tag, context int32) Request {
	if j.begin(callPut, buf.size, &a, int64(source), int64(tag), int64(context), hashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		return j.feed.request()
	}
	q := s.Put(buf, a, source, tag, context)
	j.done(int64(q.ID))
	return q
}

func (j *journal) get(s *OneSided, buf Buf, a Access) Request {
	if j.begin(callGet, buf.size, &a) {
		j.feed.keep(uint32(j.feed.told[1]), buf.data, nil)
		return j.feed.request()
	}
	q := s.Get(buf, a)
	j.done(int64(q.ID), int64(j.kept))
	return q
}

func (j *journal) collect(s *OneSided, buf Buf, scatter int64, a Access) Request {
	if j.begin(callCollect, buf.size, &a) {
		j.feed.keep(uint32(j.feed.told[1]), buf.data, nil)
		j.feed.same(j.feed.told[2], scatter)
		return j.feed.request()
	}
	q := s.Collect(buf, scatter, a)
	j.done(int64(q.ID), int64(j.kept), scatter)
	return q
}

func (j *journal) accumulate(s *OneSided, buf Buf, combination int64, a Access) Request {
	if j.begin(callAccumulate, buf.size, &a, hashOf(buf)) {
		s.ops.stowAgain(buf, a.Rank)
		j.feed.same(j.feed.told[1], combination)
		return j.feed.request()
	}
	q := s.Accumulate(buf, combination, a)
	j.done(int64(q.ID), combination)
	return q
}

func (j *journal) exchange(s *OneSided, buf, result Buf, combination int64, a Access) Request {
	if j.begin(callExchange, buf.size, &a, hashOf(buf), result.size) {
		s.ops.stowAgain(buf, a.Rank)
		j.feed.keep(uint32(j.feed.told[1]), result.data, nil)
		j.feed.same(j.feed.told[2], combination)
		return j.feed.request()
	}
	q := s.Exchange(buf, result, combination, a)
	j.done(int64(q.ID), int64(j.kept), combination)
	return q
}

func (j *journal) atomic(s *OneSided, change Change, operand, compare int64, a Access) Request {
	if j.begin(callAtomic, wordBytes, &a, int64(change), operand, compare) {
		return j.feed.request()
	}
	q := s.Atomic(change, operand, compare, a)
	j.done(int64(q.ID))
	return q
}

func (j *journal) lock(s *OneSided, a Access, alone bool) Request {
	if j.begin(callLock, 0, &a, truth(alone)) {
		return j.feed.request()
	}
	q := s.Lock(a, alone)
	j.done(int64(q.ID))
	return q
}

func (j *journal) unlock(s *OneSided, a Access) {
	if !j.begin(callUnlock, 0, &a) {
		s.Unlock(a)
		j.done()
	}
}

// register implements OneSided.Register, which is carried out in any case.
func (j *journal) register(s *OneSided, buf Buf) int32 {
	fed := j.call(callRegister, buf.size)
	j.inside = true
	n := s.Register(buf)
	if j.inside = false; !fed {
		j.done(int64(n))
	}
	return n
}

// unregister implements OneSided.Unregister, which is carried out in any case.
func (j *journal) unregister(s *OneSided, number int32) {
	fed := j.call(callUnregister, int64(number))
	j.inside = true
	s.Unregister(number)
	if j.inside = false; !fed {
		j.done()
	}
}

func (j *journal) value(s *OneSided, id Request) int64 {
	if j.call(callValue, int64(id.ID)) {
		return j.feed.told[0]
	}
	n := s.Value(id)
	j.done(n)
	return n
}

// envelope returns the message that a program is told of.
func (f *feed) envelope() Envelope {
	return Envelope{Source: int32(f.told[0]), Tag: int32(f.told[1]), Size: units.Bytes(f.told[2])}
}

// request returns the request that a program is told.
func (f *feed) request() Request { return Request{uint32(f.told[0])} }
