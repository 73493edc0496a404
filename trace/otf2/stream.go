package otf2

import (
	"fmt"
	"io"

	"fabricast/trace"
)

// stream converts the events of a location of a rank to records.
//
// The event that starts a nonblocking receive does not contain its source, tag and size. Its
// record, and all records after it, wait in the queue until the event that completes the receive is
// read.
type stream struct {
	source   *source
	rank     int32
	local    *local
	events   records
	fields   fields // of the current event
	count    int64  // number of events read
	ended    bool
	faults   trace.Faults
	earliest int64  // time of the first event, in ps
	last     uint64 // time of the latest event, in ticks of the common clock

	queue []entry
	head  int // index in queue of the next record to yield
	// direct is the destination of the next record if the queue is empty; otherwise it is nil.
	// taken means that a record has been stored in it.
	direct *trace.Record
	taken  bool
	spare  []uint64 // memory for the requests of waits
	// receives whose completion is not yet read: base + index in queue, by request
	started map[uint64]int
	base    int   // number of records removed from the queue
	begin   int64 // start time, in ps, of the event or call that is being converted
	began   int64 // start time of the record yielded last, in ps since the first event
	call    call
	clock   clock

	// the fields below are used for archives written by this package
	attributes attributeSet // of the next event
	spans      []uint64     // open collectives whose messages are recorded as calls within them: region IDs
}

// entry is a record in the queue.
type entry struct {
	record trace.Record
	began  int64 // start time, in ps since the first event
	open   bool  // a receive whose source, tag and size are not yet known
	void   bool  // a receive that was cancelled
}

// clock measures the computation between calls.
type clock struct {
	known bool
	last  int64 // end of the last call or of the computation already yielded, in ps
}

// Began returns the start time of the record read last, in ps since the rank's first event.
func (s *stream) Began() int64 { return s.began }

// Events implements trace.Stream.
func (s *stream) Events() int64 { return s.count }

// Recorded implements trace.Stream.
func (s *stream) Recorded() int64 { return s.source.picoseconds(s.last) - s.earliest }

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return s.faults }

// Next implements trace.Stream.
func (s *stream) Next(r *trace.Record) error {
	for {
		for s.head < len(s.queue) {
			e := &s.queue[s.head]
			if e.open && !s.ended {
				break
			}
			s.head++
			if e.open || e.void {
				continue
			}
			*r = e.record
			s.began = e.began
			return nil
		}
		if s.ended {
			return io.EOF
		}
		s.compact()
		if s.direct = nil; len(s.queue) == 0 {
			s.direct = r
		}
		if err := s.event(); err != nil {
			return err
		}
		if s.taken {
			s.taken = false
			return nil
		}
	}
}

// compact removes the yielded records from the queue if they are at least half of it.
func (s *stream) compact() {
	if s.head == 0 || 2*s.head < len(s.queue) {
		return
	}
	n := copy(s.queue, s.queue[s.head:])
	clear(s.queue[n:])
	s.queue = s.queue[:n]
	s.base += s.head
	s.head = 0
}

// event reads the next event and handles it.
func (s *stream) event() error {
	f := &s.fields
	kind, err := s.events.next(f)
	if err == io.EOF {
		return s.end()
	}
	if err != nil {
		return err
	}
	if kind == attributes {
		if s.source.own {
			s.attributes.read(f)
		}
		return nil
	}
	s.count++
	now := s.local.corrected(s.events.time)
	if s.count == 1 {
		s.earliest, s.last = s.source.picoseconds(now), now
	}
	s.last = max(s.last, now)
	if err := s.take(kind, f, now); err != nil {
		return err
	}
	s.attributes.clear()
	if f.wrong {
		return s.events.fail(
			fmt.Sprintf("event of kind %d", kind), "a record that is too short",
			"all of its fields",
		)
	}
	return nil
}

// end ends the stream. It counts the receives without a completion event as unfinished.
func (s *stream) end() error {
	s.ended = true
	s.faults.Unfinished += int64(len(s.started))
	return nil
}

// take handles an event at time ticks of the common clock.
func (s *stream) take(kind byte, f *fields, ticks uint64) error {
	switch kind {
	case evEnter:
		s.enter(global(&s.local.regions, f.uint()), ticks)
	case evLeave:
		return s.leave(global(&s.local.regions, f.uint()), ticks)
	case evMeasurement:
		now := s.source.picoseconds(ticks)
		if f.u8() == measurementOff {
			s.compute(now)
			s.clock.known = false
		} else {
			s.clock = clock{known: true, last: now}
		}
	case evSend, evIsend, evRecv, evIrecv:
		return s.message(kind, f)
	case evIrecvRequest:
		if s.attributes.has(atSource) {
			return s.post(f.uint())
		}
		s.call.add(&trace.Message{Receive: true, Request: f.uint()}, opened)
	case evIsendComplete:
		s.call.complete(f.uint())
	case evRequestCancelled:
		s.cancel(f.uint())
	case evCollectiveEnd, evNonBlockingDone:
		return s.collective(f)
	case evParameter:
		if s.source.own {
			return s.parameter(f.uint(), f.uint())
		}
	case evRmaPut, evRmaGet, evRmaAtomic:
		return s.access(kind, f)
	case evRmaCompleteBlocking, evRmaComplete:
		f.uint() // window
		s.call.complete(s.oneSided(f.uint()))
	case evRmaCollectiveEnd:
		return s.windowCollective(f)
	}
	return nil
}

// enter handles the enter event of region id at time ticks of the common clock.
func (s *stream) enter(id, ticks uint64) {
	r, _ := s.source.def.regions.get(id)
	if r.call && s.call.depth > 0 {
		s.call.depth++
		return
	}
	now := s.source.picoseconds(ticks)
	if !s.clock.known {
		s.clock = clock{known: true, last: now}
	}
	s.compute(now)
	switch {
	case !r.call:
		s.begin = now
		s.push(trace.Enter).Name = r.text
	case s.attributes.has(atSpan):
		s.spans = append(s.spans, id)
	default:
		s.call.depth++
		s.begin = now
		s.call.name = r.text
		s.special()
	}
}

// leave handles the leave event of region id at time ticks of the common clock.
func (s *stream) leave(id, ticks uint64) error {
	r, _ := s.source.def.regions.get(id)
	if r.call && s.call.depth > 1 {
		s.call.depth--
		return nil
	}
	now := s.source.picoseconds(ticks)
	if !r.call {
		s.compute(now)
		s.begin = now
		s.push(trace.Leave).Name = r.text
		return nil
	}
	if s.call.depth == 1 {
		s.call.depth--
		s.flush()
		s.clock = clock{known: true, last: now}
		return nil
	}
	if n := len(s.spans); n > 0 && s.spans[n-1] == id {
		s.compute(now)
		s.spans = s.spans[:n-1]
		return nil
	}
	return s.events.fail("event", "the end of "+r.text, "its beginning before it")
}

// compute yields the computation since the last call, up to time now (ps).
func (s *stream) compute(now int64) {
	if !s.clock.known || s.call.depth > 1 {
		return
	}
	d := now - s.clock.last
	s.begin = s.clock.last
	s.clock.last = now
	if s.attributes.has(atWork) {
		d = int64(s.attributes.values[atWork])
	}
	if d < 0 {
		s.faults.NegativeTimes++
		return
	}
	if d == 0 {
		return
	}
	if n := len(s.queue); n > s.head && s.queue[n-1].record.Kind == trace.Compute {
		s.queue[n-1].record.Duration += d
		return
	}
	s.push(trace.Compute).Duration = d
	s.begin = now
}

// push adds a record of the given kind and returns it, so that the caller can fill it in.
func (s *stream) push(kind trace.Kind) *trace.Record {
	if r := s.direct; r != nil {
		s.direct, s.taken = nil, true
		s.began = s.begin - s.earliest
		*r = trace.Record{Kind: kind}
		return r
	}
	return &s.queued(kind).record
}

// queued adds a record of the given kind to the queue, even if direct is set.
func (s *stream) queued(kind trace.Kind) *entry {
	s.direct = nil
	s.queue = append(s.queue, entry{})
	e := &s.queue[len(s.queue)-1]
	e.record.Kind, e.began = kind, s.begin-s.earliest
	return e
}
