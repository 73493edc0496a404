package otf2

import (
	"fabricast/trace"
)

// Rank writes the events of one rank.
type Rank struct {
	w       *Writer
	rank    int32
	file    chunks
	regions map[string]uint64 // by name: local IDs of regions of the program
	names   []string
	taken   bool // the events are received from another process

	// groups maps group indices of the location to group indices of the records or, after Take, of
	// the archive. See Rank.group.
	groups []int32
	own    map[int32]int32 // the inverse of groups

	open  map[uint64]started
	begun bool
	now   int64 // end time of the records so far, in ps
	since int64 // end of the last call, or time of the last region event, in ps
	work  int64 // ps of computation after since
	puts  bool  // the rank has puts or gets
	err   error

	span span

	attributes []byte // of the next event
	set        int    // number of attributes
	b, fields  []byte // memory for reuse
}

// started describes an open request: a nonblocking send or receive, a put or get, or a concurrent
// computation.
type started struct {
	message  trace.Message
	computes bool
	oneSided bool
}

// Write appends a record, which starts when the previous record ended. Only computation and
// software records take time. Write returns a *trace.HoldError if OTF2 cannot represent the record.
func (k *Rank) Write(r *trace.Record) error {
	end := k.now
	switch r.Kind {
	case trace.Compute, trace.Software:
		end += r.Duration
	}
	k.WriteAt(r, end, nil)
	return k.err
}

// WriteAt appends a record, which starts when the previous record ended, and ends at time end (ps).
// came holds the messages received by a wait, in the order of arrival, if known. Errors are
// returned by Close.
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

// EnterCollective starts a collective of a group, whose messages are then written as calls within
// it, until LeaveCollective.
func (k *Rank) EnterCollective(kind trace.CollectiveKind, group int32) {
	k.start()
	uneven := kind == trace.ReduceScatter // the more frequent variant
	k.span = span{kind: kind, group: group, region: regionOf(kind, uneven)}
	k.attribute(atSpan, 1)
	k.region(evEnter, uint64(k.span.region))
	if !rooted(kind) {
		k.collectiveBegin()
	}
}

// LeaveCollective ends the collective that EnterCollective started. For a rooted collective it
// writes no collective event, because the messages do not identify the root.
func (k *Rank) LeaveCollective() {
	if s := k.span; !rooted(s.kind) {
		k.collectiveEnd(s.region, s.group, ^uint32(0), s.sent, s.received)
	}
	k.region(evLeave, uint64(k.span.region))
	k.span = span{}
}

// span is the collective between EnterCollective and LeaveCollective.
type span struct {
	kind           trace.CollectiveKind
	group          int32
	region         int
	sent, received int64 // bytes
}

// start writes the call of MPI_Init at time 0, before the first record.
func (k *Rank) start() {
	if !k.begun {
		k.begun = true
		k.call(inInit, k.now, nil)
	}
}

// end writes the call of MPI_Finalize after the last record, and completes the event file.
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

// emit writes an event, preceded by the attributes that have been added for it.
func (k *Rank) emit(event []byte) {
	var list []byte
	if k.set > 0 {
		fields := append(appendInt(nil, uint64(k.set)), k.attributes...)
		list = appendRecord(nil, attributes, fields)
		k.attributes, k.set = k.attributes[:0], 0
	}
	k.file.add(k.now, list, event)
}

// single writes an event whose only field is an integer.
func (k *Rank) single(kind byte, n uint64) {
	k.b = appendInt(append(k.b[:0], kind), n)
	k.emit(k.b)
}

// region writes the enter or leave event of a region.
func (k *Rank) region(kind byte, id uint64) {
	if k.now-k.since != k.work {
		k.attribute(atWork, uint64(k.work))
	}
	k.work, k.since = 0, k.now
	k.single(kind, id)
}

// call writes an MPI call that ends at time end. events, if not nil, writes the events within the
// call, at its end.
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

// named returns the local ID of the region of the program with the given name.
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

// group returns the group index of the location for a group index of the records. The location
// numbers groups in the order of their first use, so that the event file does not depend on the
// indices in the archive.
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

// opened stores a request until a later wait.
func (k *Rank) opened(request uint64, s started) {
	if k.open == nil {
		k.open = map[uint64]started{}
	}
	k.open[request] = s
}

// fail sets k.err, unless it is set: OTF2 cannot represent an item, described by format and args.
func (k *Rank) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fail(k.rank, format, args...)
	}
}
