package otf2

import (
	"io"

	"fabricast/trace"
)

// process is the stream of a rank whose process has several threads with events. It merges the
// records of all threads in the order of their start times.
//
// A blocking operation of one thread must not block the other threads. Therefore it becomes a
// nonblocking operation, and a wait before the next record of the same thread. The computation of
// the rank is that of its first thread. The computation of the other threads is omitted, because
// they may be idle.
type process struct {
	threads []*thread // the first is the MPI location of the rank
	queue   []trace.Record
	head    int
	next    uint64 // ID of the next request
	began   int64  // start time of the record yielded last, in ps since the first event of the first thread
}

// thread is one of the threads of a process.
type thread struct {
	stream   *stream
	first    bool
	record   trace.Record // the next record
	at       int64        // start time of record, in ps
	ahead    bool         // record is valid
	ended    bool
	requests map[uint64]uint64 // by request of the thread: the rank's request
	waits    []uint64          // requests that must complete before its next record
}

func newProcess(first *stream) *process {
	p := &process{next: 1}
	p.add(first)
	p.threads[0].first = true
	return p
}

func (p *process) add(s *stream) {
	p.threads = append(p.threads, &thread{stream: s, requests: map[uint64]uint64{}})
}

// Next implements trace.Stream.
func (p *process) Next(r *trace.Record) error {
	for p.head == len(p.queue) {
		p.queue, p.head = p.queue[:0], 0
		if err := p.step(); err != nil {
			return err
		}
	}
	*r = p.queue[p.head]
	p.head++
	return nil
}

// step moves the earliest record of all threads to the queue.
func (p *process) step() error {
	var next, after *thread // the threads with the earliest and the second-earliest record
	for _, t := range p.threads {
		if err := t.look(); err != nil {
			return err
		}
		switch {
		case !t.ahead:
		case next == nil || t.at < next.at:
			next, after = t, next
		case after == nil || t.at < after.at:
			after = t
		}
	}
	if next == nil {
		return p.end()
	}
	if next.record.Kind == trace.Compute && after != nil && after.at < next.at+next.record.Duration {
		if after.at > next.at {
			p.compute(next, after.at)
			return nil
		}
		next = after // other records precede a computation with the same start time
	}
	p.goOn(next)
	p.take(next)
	return nil
}

// goOn sets the time to the start of the next record of thread t, and yields its pending wait.
func (p *process) goOn(t *thread) {
	p.began = t.at - p.threads[0].stream.earliest
	p.wait(t)
}

// compute yields the part of the computation of thread t before time until (ps), at which another
// thread has a record.
func (p *process) compute(t *thread, until int64) {
	p.goOn(t)
	part := until - t.at
	p.queue = append(p.queue, trace.Record{Kind: trace.Compute, Duration: part})
	t.record.Duration -= part
	t.at = until
}

// look reads the next record of the thread, unless it is already read. In threads other than the
// first, it skips records without communication.
func (t *thread) look() error {
	for !t.ahead && !t.ended {
		err := t.stream.Next(&t.record)
		if err == io.EOF {
			t.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		t.at = t.stream.earliest + t.stream.began
		switch t.record.Kind {
		case trace.Compute, trace.Enter, trace.Leave:
			t.ahead = t.first
		default:
			t.ahead = true
		}
	}
	return nil
}

// wait yields the pending wait of thread t.
func (p *process) wait(t *thread) {
	if len(t.waits) > 0 {
		p.queue = append(p.queue, trace.Record{Kind: trace.Wait, Requests: t.waits})
		t.waits = nil
	}
}

// take moves the record of thread t to the queue. It converts blocking operations to nonblocking
// ones.
func (p *process) take(t *thread) {
	r := t.record
	t.ahead = false
	switch r.Kind {
	case trace.Send, trace.Receive:
		p.start(t, r.Message)
	case trace.Exchange:
		p.start(t, r.Other)
		p.start(t, r.Message)
	case trace.Start, trace.Put, trace.Get:
		if r.Message.Request != 0 || r.Kind == trace.Start {
			r.Message.Request = p.number(t, r.Message.Request)
		}
		p.queue = append(p.queue, r)
	case trace.Wait:
		for _, id := range r.Requests {
			if number, known := t.requests[id]; known {
				delete(t.requests, id)
				t.waits = append(t.waits, number)
			}
		}
	default:
		p.queue = append(p.queue, r)
	}
}

// number returns a new request of the rank for request id of thread t.
func (p *process) number(t *thread, id uint64) uint64 {
	n := p.next
	p.next++
	t.requests[id] = n
	return n
}

// start yields a nonblocking send or receive, which thread t waits for before its next record.
func (p *process) start(t *thread, m trace.Message) {
	m.Request = p.next
	p.next++
	t.waits = append(t.waits, m.Request)
	p.queue = append(p.queue, trace.Record{Kind: trace.Start, Message: m})
}

// end yields the pending waits of all threads. It returns io.EOF if there are none.
func (p *process) end() error {
	for _, t := range p.threads {
		p.wait(t)
	}
	if len(p.queue) == 0 {
		return io.EOF
	}
	return nil
}

// Began returns the start time of the record read last, in ps since the rank's first event.
func (p *process) Began() int64 { return p.began }

// Faults implements trace.Stream.
func (p *process) Faults() (f trace.Faults) {
	for _, t := range p.threads {
		f.Add(t.stream.Faults())
	}
	return f
}

// Recorded implements trace.Stream. It returns the recorded time of the first thread.
func (p *process) Recorded() int64 { return p.threads[0].stream.Recorded() }

// Events implements trace.Stream.
func (p *process) Events() (n int64) {
	for _, t := range p.threads {
		n += t.stream.Events()
	}
	return n
}
