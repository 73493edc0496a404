package dumpi

import (
	"fmt"

	"fabricast/trace"
)

// Function IDs in DUMPI files of the calls for messages and requests.
const (
	send = iota
	recv
	_
	bsend
	ssend
	rsend
	_
	_
	isend
	ibsend
	issend
	irsend
	irecv
	wait
	test
	requestFree
	waitAny
	testAny
	waitAll
	testAll
	waitSome
	testSome
	_
	_
	cancel
	_
	sendInit
	bsendInit
	ssendInit
	rsendInit
	recvInit
	start
	startAll
	sendrecv
	sendrecvReplace
)

// take converts a call to records.
func (s *stream) take(r *record) error {
	f, a := r.function, &r.ints
	switch f {
	case send, bsend, ssend, rsend:
		return s.message(trace.Send, a[0], a[1], a[2], a[3], a[4], 0)
	case recv:
		return s.receive(r)
	case isend, ibsend, issend, irsend, irecv:
		return s.message(trace.Start, a[0], a[1], a[2], a[3], a[4], a[5])
	case sendInit, bsendInit, ssendInit, rsendInit, recvInit:
		return s.persistent(r)
	case start:
		s.begin(a[0])
	case startAll:
		for _, request := range r.lists[0] {
			s.begin(int64(request))
		}
	case sendrecv, sendrecvReplace:
		return s.exchange(r)
	case wait, test, waitAny, testAny, waitAll, testAll, waitSome, testSome:
		return s.completion(r)
	case cancel:
		s.cancel(r)
	case functionEnter, functionLeave:
		s.region(r)
	default:
		return s.others(r)
	}
	return nil
}

// others handles collectives, and calls that create datatypes or communicators.
func (s *stream) others(r *record) error {
	f := r.function
	switch {
	case collectives[f] != nil:
		return s.collective(r)
	case datatypes[f] != nil:
		s.datatype(r)
	case unsupported(f):
		s.skip(r, "")
	}
	if maker, makes := makers[f]; makes && len(s.created) > 0 {
		s.comms[uint16(r.ints[maker.made])] = s.created[0]
		s.created = s.created[1:]
	}
	return nil
}

// unsupported reports whether function f communicates, synchronizes or accesses files in a way that
// cannot be replayed.
func unsupported(f uint16) bool {
	const (
		accept, spawn, accumulate, put, winComplete, winWait = 130, 136, 141, 143, 144, 154
		winTest, fileReadAt, fileWriteOrderedEnd             = 152, 242, 276
	)
	switch {
	case f >= accept && f <= spawn, f >= accumulate && f <= put:
		return true
	case f >= winComplete && f <= winWait:
		return f != winTest
	}
	return f >= fileReadAt && f <= fileWriteOrderedEnd
}

// skip yields a trace.Skipped record for call r. why is the reason, appended to the function's
// name.
func (s *stream) skip(r *record, why string) {
	s.push(trace.Record{Kind: trace.Skipped, Name: functions[r.function].name + why})
}

// region yields the entry to or the exit from a function of the program.
func (s *stream) region(r *record) {
	kind := trace.Enter
	if r.function == functionLeave {
		kind = trace.Leave
	}
	address := uint64(r.ints[0])
	name := s.layout.names[address]
	if name == "" {
		name = fmt.Sprintf("function at %#x", address)
	}
	s.push(trace.Record{Kind: kind, Name: name})
}

// wrong returns an error in an argument of the current call. what is the name of the argument.
func (s *stream) wrong(what, found, expected string) error {
	return s.fail(functions[s.record.function].name+": "+what, found, expected)
}

// maxBytes is the maximum size of a message in bytes.
const maxBytes = 1 << 40

// bytes returns the size, in bytes, of count elements of a datatype.
func (s *stream) bytes(count, datatype int64) (int64, error) {
	if count < 0 {
		return 0, s.wrong("count", fmt.Sprint(count), "a number from 0")
	}
	if count == 0 {
		return 0, nil
	}
	size := int64(0)
	if int(datatype) < len(s.sizes) {
		size = s.sizes[datatype]
	}
	if size == 0 && datatype >= int64(len(builtIn)) && !s.sized(datatype) {
		return 0, s.wrong(
			"datatype",
			fmt.Sprintf("%d, whose size the file does not have", datatype),
			"one of those whose sizes it has",
		)
	}
	if size > 0 && count > maxBytes/size {
		return 0, s.wrong(
			"count",
			fmt.Sprintf("%d elements of %d bytes", count, size), "a message of at most 1 TiB",
		)
	}
	return count * size, nil
}

// sized reports whether the size of a datatype is known. It may be 0.
func (s *stream) sized(datatype int64) bool { return int(datatype) < len(s.sizes) }

// group returns the group of a communicator: an index in trace.Trace.Groups, trace.Self, or a
// smaller value if messages in the communicator cannot be replayed.
func (s *stream) group(comm int64) int32 {
	g, found := s.comms[uint16(comm)]
	if !found {
		return unknownComm
	}
	return g
}

// member returns the world rank of a rank in a group; false if the rank is out of range.
func (s *stream) member(group int32, rank int64) (int32, bool) {
	if group == trace.Self {
		return s.rank, rank == 0
	}
	list := s.source.comms.groups[group]
	if list == nil {
		return int32(rank), rank >= 0 && rank < int64(len(s.source.files))
	}
	if rank < 0 || rank >= int64(len(list)) {
		return 0, false
	}
	return list[rank], true
}

// procNull reports whether a peer is MPI_PROC_NULL: any negative value other than MPI_ANY_SOURCE.
// Traces contain the value that the MPI library uses, which varies.
func procNull(peer int64, receive bool) bool { return peer < 0 && !(receive && peer == trace.Any) }

// end returns a send or receive with the given arguments. there is false if its peer is
// MPI_PROC_NULL or it cannot be replayed.
func (s *stream) end(
	receive bool,
	count, datatype, peer, tag, comm int64,
) (m trace.Message, there bool, err error) {
	group := s.group(comm)
	if group < trace.Self {
		s.skip(&s.record, " in a communicator whose ranks are not known")
		return m, false, nil
	}
	if procNull(peer, receive) {
		return m, false, nil
	}
	m = trace.Message{Receive: receive, Peer: trace.Any, Tag: trace.Any, Group: group}
	if m.Size, err = s.bytes(count, datatype); err != nil {
		return m, false, err
	}
	if peer >= 0 {
		if m.Peer, there = s.member(group, peer); !there {
			return m, false, s.wrong("rank", fmt.Sprint(peer), "a rank of the communicator")
		}
	}
	if tag >= 0 {
		m.Tag = int32(tag)
	} else if !receive {
		return m, false, s.wrong("tag", fmt.Sprint(tag), "a number from 0")
	}
	return m, true, nil
}

// message handles a blocking send, or a nonblocking send or receive.
func (s *stream) message(kind trace.Kind, count, datatype, peer, tag, comm, request int64) error {
	m, there, err := s.end(s.record.function == irecv, count, datatype, peer, tag, comm)
	if err != nil || !there {
		return err
	}
	m.Request = uint64(request)
	if kind == trace.Start {
		s.begun(m)
	} else {
		s.push(trace.Record{Kind: kind, Message: m})
	}
	return nil
}

// begun yields a nonblocking send or receive. A receive from any source waits in the queue until
// its source is known.
func (s *stream) begun(m trace.Message) {
	s.push(trace.Record{Kind: trace.Start, Message: m})
	if m.Peer != trace.Any {
		return
	}
	if s.open == nil {
		s.open = map[int64]int{}
	}
	// the request ID is reused: the earlier receive remains one from any source
	if place, found := s.open[int64(m.Request)]; found {
		s.queue[place-s.base].open = false
	}
	s.open[int64(m.Request)] = s.base + len(s.queue) - 1
	s.queue[len(s.queue)-1].open = true
}

// receive handles a blocking receive.
func (s *stream) receive(r *record) error {
	a := &r.ints
	m, there, err := s.end(true, a[0], a[1], a[2], a[3], a[4])
	if err != nil || !there {
		return err
	}
	s.known(&m, r)
	s.push(trace.Record{Kind: trace.Receive, Message: m})
	return nil
}

// known sets the source and tag of m, a receive from any source, from the status in call r.
func (s *stream) known(m *trace.Message, r *record) {
	if m.Peer != trace.Any || len(r.statuses) == 0 {
		return
	}
	from := r.statuses[0]
	if peer, ok := s.member(m.Group, int64(from.source)); ok {
		m.Peer = peer
		if m.Tag == trace.Any && from.tag >= 0 {
			m.Tag = from.tag
		}
	}
}

// persistent handles the creation of a persistent request, which is stored until the program starts
// it.
func (s *stream) persistent(r *record) error {
	a := &r.ints
	m, there, err := s.end(r.function == recvInit, a[0], a[1], a[2], a[3], a[4])
	if err != nil {
		return err
	}
	if s.kept == nil {
		s.kept = map[int64]trace.Message{}
	}
	delete(s.kept, a[5])
	if there {
		m.Request = uint64(a[5])
		s.kept[a[5]] = m
	}
	return nil
}

// begin starts a persistent request.
func (s *stream) begin(request int64) {
	if m, found := s.kept[request]; found {
		s.begun(m)
	}
}

// exchange handles MPI_Sendrecv and MPI_Sendrecv_replace.
func (s *stream) exchange(r *record) error {
	a := r.ints
	if r.function == sendrecvReplace {
		a = [16]int64{a[0], a[1], a[2], a[3], a[0], a[1], a[4], a[5], a[6]}
	}
	out, sends, err := s.end(false, a[0], a[1], a[2], a[3], a[8])
	if err != nil || s.group(a[8]) < trace.Self {
		return err
	}
	in, receives, err := s.end(true, a[4], a[5], a[6], a[7], a[8])
	if err != nil {
		return err
	}
	s.known(&in, r)
	switch {
	case sends && receives:
		s.push(trace.Record{Kind: trace.Exchange, Message: out, Other: in})
	case sends:
		s.push(trace.Record{Kind: trace.Send, Message: out})
	case receives:
		s.push(trace.Record{Kind: trace.Receive, Message: in})
	}
	return nil
}

// completion handles a call that waits for requests or tests them. It yields a wait for the
// completed requests, nothing if there are none.
func (s *stream) completion(r *record) error {
	a := &r.ints
	if len(s.waits) > mostKept {
		s.waits = nil
	}
	first := len(s.waits)
	one := func(request int64, i int) {
		s.waits = append(s.waits, uint64(request))
		if i < len(r.statuses) {
			s.settle(request, r.statuses[i])
		}
	}
	switch r.function {
	case wait:
		one(a[0], 0)
	case test:
		if a[1] != 0 {
			one(a[0], 0)
		}
	case waitAny, testAny:
		at := a[1]
		if r.function == testAny && a[2] == 0 || at < 0 || at >= int64(len(r.lists[0])) {
			break
		}
		one(int64(r.lists[0][at]), 0)
	case waitAll, testAll:
		if r.function == testAll && a[1] == 0 {
			break
		}
		for i, request := range r.lists[0] {
			one(int64(request), i)
		}
	default:
		for i, at := range r.lists[1] {
			if at < 0 || int(at) >= len(r.lists[0]) {
				return s.wrong("index", fmt.Sprint(at), fmt.Sprintf("a number below %d", len(r.lists[0])))
			}
			one(int64(r.lists[0][at]), i)
		}
	}
	if len(s.waits) > first {
		s.push(trace.Record{Kind: trace.Wait, Requests: s.waits[first:len(s.waits):len(s.waits)]})
	}
	return nil
}

// cancel handles MPI_Cancel. It removes the cancelled receive if the receive is still in the queue.
func (s *stream) cancel(r *record) {
	if _, found := s.open[r.ints[0]]; !found {
		s.skip(r, "")
		return
	}
	s.settle(r.ints[0], status{cancelled: true})
}
