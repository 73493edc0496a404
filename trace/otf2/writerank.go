package otf2

import (
	"fabricast/trace"
)

// Rank writes the events of one rank.
type Rank struct {
	w       *Writer
	rank    int32
	file    chunks
	regions map[string]uint64 // of the program
	names   []string
	taken   bool // from another process

	// groups maps the location's group indexes to those of the records or, after Take, to those of
	// the archive.
	groups []int32
	own    map[int32]int32 // the inverse

	open  map[uint64]started
	begun bool
	now   int64 // ps: of the records so far
	since int64 // ps: end of the last call, or of the computation before it
	work  int64 // ps of computation since then
	puts  bool  // it has puts or gets
	err   error

	span span

	attributes []byte // of the next event
	set        int    // how many of them
	b, fields  []byte // scratch
}

// started describes a request: a started message, or a computation.
type started struct {
	message  trace.Message
	computes bool
	oneSided bool
}

// Write appends a record, which begins where the last one has ended. Only computation takes time.
// It returns a *trace.HoldError if the archive cannot represent the record.
func (k *Rank) Write(r *trace.Record) error {
	end := k.now
	switch r.Kind {
	case trace.Compute, trace.Software:
		end += r.Duration
	}
	k.WriteAt(r, end, nil)
	return k.err
}

// WriteAt appends a record, which begins where the last one has ended and ends at the time end
// (ps). came are the messages that a wait has received, in the order of arrival, if that is known.
// Close returns errors.
func (k *Rank) WriteAt(r *trace.Record, end int64, came []trace.Message) {
	if k.err != nil {
		return
	}
	k.start()
	switch r.Kind {
	case trace.Compute:
		k.work += r.Duration
		k.now = end
	case trace.Software:
		k.attribute(atSoftware, uint64(r.Duration))
		k.call(inLibrary, end, nil)
	case trace.Beside:
		k.opened(r.Message.Request, started{computes: true})
		k.attribute(atBeside, uint64(r.Duration))
		k.attribute(atRequest, r.Message.Request)
		k.call(inBeside, end, nil)
	case trace.Send:
		k.call(inSend, end, func() { k.message(evSend, &r.Message) })
	case trace.Receive:
		k.receive(r, end)
	case trace.Exchange:
		k.exchange(r, end)
	case trace.Start:
		k.startMessage(&r.Message, end)
	case trace.Wait:
		k.wait(r.Requests, end, came)
	case trace.Probe:
		k.pattern(&r.Message)
		k.call(inProbe, end, nil)
	case trace.Put, trace.Get:
		k.access(r, end)
	case trace.Test:
		k.fail("a test of a started message, whose outcome is not known")
	case trace.Cancel:
		delete(k.open, r.Message.Request)
		k.call(inCancel, end, func() { k.single(evRequestCancelled, r.Message.Request) })
	case trace.Collective:
		k.collective(&r.Call, end)
	case trace.Enter, trace.Leave:
		if isSkipped(r.Name) {
			k.fail("a region whose name begins with %q", skippedPrefix)
		}
		kind := byte(evEnter)
		if r.Kind == trace.Leave {
			kind = evLeave
		}
		k.region(kind, k.named(r.Name))
		k.now = end
	case trace.Skipped:
		k.attribute(atSkipped, 1)
		k.callOf(k.named(skippedPrefix+r.Name), end, nil)
	}
	if n := len(k.file.b); n >= mostPart || n >= leastPart && n >= mostRoom/len(k.w.ranks) {
		k.file.save()
	}
}

// EnterCollective begins the region of a group's collective. Its messages follow.
func (k *Rank) EnterCollective(kind trace.CollectiveKind, group int32) {
	k.start()
	uneven := kind == trace.ReduceScatter // the common one
	k.span = span{kind: kind, group: group, region: regionOf(kind, uneven)}
	k.attribute(atSpan, 1)
	k.region(evEnter, uint64(k.span.region))
	if !rooted(kind) {
		k.collectiveBegin()
	}
}

// LeaveCollective ends the region that EnterCollective has begun. The messages do not name the root
// of a rooted collective.
func (k *Rank) LeaveCollective() {
	if s := k.span; !rooted(s.kind) {
		k.collectiveEnd(s.region, s.group, ^uint32(0), s.sent, s.received)
	}
	k.region(evLeave, uint64(k.span.region))
	k.span = span{}
}

// span is a collective whose messages are being written.
type span struct {
	kind           trace.CollectiveKind
	group          int32
	region         int
	sent, received int64 // bytes
}

// start writes MPI_Init, at time 0.
func (k *Rank) start() {
	if !k.begun {
		k.begun = true
		k.call(inInit, k.now, nil)
	}
}

// end writes MPI_Finalize, after the last computation.
func (k *Rank) end() error {
	if k.taken {
		return nil
	}
	k.start()
	k.call(inFinalize, k.now, nil)
	if k.err != nil {
		return k.err
	}
	return k.file.end()
}

// attribute adds an attribute to the next event.
func (k *Rank) attribute(id, value uint64) {
	k.set++
	k.attributes = appendInt(k.attributes, id)
	k.attributes = append(k.attributes, typeOf(id))
	k.attributes = appendInt(k.attributes, value)
}

// emit writes an event with the attributes added for it.
func (k *Rank) emit(event []byte) {
	var list []byte
	if k.set > 0 {
		fields := append(appendInt(nil, uint64(k.set)), k.attributes...)
		list = appendRecord(nil, attributes, fields)
		k.attributes, k.set = k.attributes[:0], 0
	}
	k.file.add(k.now, list, event)
}

// single writes an event whose only field is a number.
func (k *Rank) single(kind byte, n uint64) {
	k.b = appendInt(append(k.b[:0], kind), n)
	k.emit(k.b)
}

// region writes the begin or end of a region, after the computation before it.
func (k *Rank) region(kind byte, id uint64) {
	if k.now-k.since != k.work {
		k.attribute(atWork, uint64(k.work))
	}
	k.work, k.since = 0, k.now
	k.single(kind, id)
}

// call writes a call of MPI. Its events are at its end.
func (k *Rank) call(region int, end int64, events func()) { k.callOf(uint64(region), end, events) }

func (k *Rank) callOf(region uint64, end int64, events func()) {
	k.region(evEnter, region)
	k.now = max(k.now, end)
	if events != nil {
		events()
	}
	k.single(evLeave, region)
	k.since = k.now
}

// named returns the number of a program region in the location's own numbering.
func (k *Rank) named(name string) uint64 {
	if id, known := k.regions[name]; known {
		return id
	}
	if k.regions == nil {
		k.regions = map[string]uint64{}
	}
	id := uint64(len(mpiCalls) + len(mpiCollectives) + len(k.names))
	k.regions[name] = id
	k.names = append(k.names, name)
	return id
}

// group returns the location's index of a group. Groups are indexed in the order in which the rank
// uses them, so that the file of events does not depend on the indexes in the archive.
func (k *Rank) group(group int32) int32 {
	if group <= 0 {
		return group
	}
	own, known := k.own[group]
	if !known {
		if k.own == nil {
			k.groups, k.own = []int32{0}, map[int32]int32{}
		}
		own = int32(len(k.groups))
		k.groups = append(k.groups, group)
		k.own[group] = own
	}
	return own
}

// opened stores a request that is waited for later.
func (k *Rank) opened(request uint64, s started) {
	if k.open == nil {
		k.open = map[uint64]started{}
	}
	k.open[request] = s
}

// fail records that the archive cannot represent something.
func (k *Rank) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fail(k.rank, format, args...)
	}
}
