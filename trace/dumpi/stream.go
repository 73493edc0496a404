package dumpi

import (
	"fmt"
	"io"

	"fabricast/trace"
)

// stream converts the calls of a rank to records.
//
// The source of a receive from any source is recorded only in the later call that completes the
// receive. The record of the receive, and all records after it, wait in the queue until that call
// is read, or until mostHeld records wait.
type stream struct {
	records
	source  *source
	rank    int32
	layout  *layout
	events  int64
	ended   error // why no more calls can be read: io.EOF, or an error if the file is damaged
	faults  trace.Faults
	clock   clock
	sizes   []int64 // of datatypes, in bytes
	comms   map[uint16]int32
	created []int32                 // groups of the communicators that the rank has yet to create
	places  map[int32]int32         // by group: the stream's rank as a rank in the group
	kept    map[int64]trace.Message // persistent requests
	queue   []entry
	head    int // index in queue of the next record to yield
	base    int // number of records removed from the queue
	// receives whose source is unknown: base + index in queue, by request
	open   map[int64]int
	waits  []uint64 // requests of waits in the queue
	blocks []int64  // of collectives in the queue
}

// entry is a record in the queue.
type entry struct {
	record trace.Record
	open   bool // a receive whose source is not yet known
	void   bool // a receive that was cancelled or never completed
}

// clock measures the computation between calls.
type clock struct {
	known  bool
	turns  int64 // ns to add to the times of records for wrap-arounds so far
	latest int64 // ns: the latest time read
	first  int64 // ns
	last   int64 // ns: end of the previous call
}

// Events implements trace.Stream.
func (s *stream) Events() int64 { return s.events }

// Recorded implements trace.Stream.
func (s *stream) Recorded() int64 { return 1000 * (s.clock.last - s.clock.first) }

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return s.faults }

// mostHeld is the maximum number of records that wait in the queue for the source of a receive. A
// receive that is not complete by then is yielded as one from any source.
const mostHeld = 1 << 16

// mostKept is the length of stream.waits and stream.blocks above which a new slice is allocated, so
// that the records in the queue do not keep an ever larger slice in memory.
const mostKept = 1 << 12

// Next implements trace.Stream.
func (s *stream) Next(r *trace.Record) error {
	for {
		for s.head < len(s.queue) {
			e := &s.queue[s.head]
			if e.open && !s.give(e) {
				break
			}
			s.head++
			if !e.void {
				*r = e.record
				return nil
			}
		}
		if s.ended != nil {
			return s.ended
		}
		s.compact()
		s.ended = s.call()
	}
}

// give decides whether e, a receive from any source at the front of the queue, can leave the queue.
// It returns false if the receive must wait longer for its source.
func (s *stream) give(e *entry) bool {
	switch {
	case s.ended == io.EOF:
		e.void = true
		s.faults.Unfinished++
	case s.ended == nil && len(s.queue)-s.head <= mostHeld:
		return false
	}
	e.open = false
	delete(s.open, int64(e.record.Message.Request))
	return true
}

// compact removes the yielded records from the queue if they are at least half of it.
func (s *stream) compact() {
	if 2*s.head < len(s.queue) {
		return
	}
	n := copy(s.queue, s.queue[s.head:])
	clear(s.queue[n:])
	s.queue = s.queue[:n]
	s.base += s.head
	s.head = 0
	if n == 0 {
		s.waits, s.blocks = s.waits[:0], s.blocks[:0]
	}
}

// push appends a record to the queue.
func (s *stream) push(r trace.Record) { s.queue = append(s.queue, entry{record: r}) }

// call reads the next call and appends its records to the queue. It returns io.EOF after the last
// one.
func (s *stream) call() error {
	more, err := s.next()
	if err != nil {
		return err
	}
	if !more {
		return s.complete()
	}
	s.events++
	r := &s.record
	if r.thread != 0 {
		s.push(
			trace.Record{
				Kind: trace.Skipped,
				Name: functions[r.function].name + " in a thread other than the first",
			},
		)
		return nil
	}
	if r.timed {
		s.pass(r)
	}
	return s.take(r)
}

// complete checks, at the end of the body, that the numbers of calls equal those in the footer. It
// returns io.EOF if so, an error otherwise.
func (s *stream) complete() error {
	if s.layout.damage != nil {
		return s.layout.damage
	}
	if s.layout.counts == nil {
		return io.EOF
	}
	for f := range functionEnter {
		if n := s.layout.counts.recorded(f); n != int64(s.counts[f]) && functions[f].name != "" {
			return s.fail(
				"footer",
				fmt.Sprintf(
					"%d calls of %s, %d of them not recorded",
					s.layout.counts.called[f], functions[f].name, s.layout.counts.ignored[f],
				),
				fmt.Sprintf("%d recorded, as the body has", s.counts[f]),
			)
		}
	}
	return io.EOF
}

// pass yields the computation before call r. The seconds of times have 16 bits: a time that is
// earlier than the latest one by more than 2^15 seconds has wrapped around.
func (s *stream) pass(r *record) {
	const around = int64(1<<16) * 1_000_000_000
	c := &s.clock
	at := func(t int64) int64 {
		if t += c.turns; t < c.latest-around/2 {
			c.turns += around
			t += around
		}
		c.latest = max(c.latest, t)
		return t
	}
	start, stop := at(r.start), at(r.stop)
	if !c.known {
		c.known, c.first, c.last = true, start, start
	}
	switch d := start - c.last; {
	case d < 0:
		s.faults.NegativeTimes++
	case d > 0:
		s.push(trace.Record{Kind: trace.Compute, Duration: 1000 * d})
	}
	c.last = max(c.last, stop)
}

// settle sets the source and tag of the receive with the given request from its status.
func (s *stream) settle(request int64, from status) {
	place, found := s.open[request]
	if !found {
		return
	}
	e := &s.queue[place-s.base]
	e.open = false
	delete(s.open, request)
	m := &e.record.Message
	if from.cancelled {
		s.faults.Unfinished++
		e.void = true
		return
	}
	if peer, ok := s.member(m.Group, int64(from.source)); ok && from.source >= 0 {
		m.Peer = peer
	}
	if m.Tag == trace.Any && from.tag >= 0 {
		m.Tag = from.tag
	}
}
