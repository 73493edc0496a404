package allprof

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"fabricast/trace"
)

// stream converts the MPI calls of a rank to records.
type stream struct {
	*line
	source *source
	rank   int32
	events int64
	faults trace.Faults
	// addresses of requests that have been started but not waited for, in ascending order
	started  []uint64
	narrow   bool                     // an MPI_Request has 4 bytes, not 8
	kept     map[uint64]trace.Message // persistent requests
	queue    []trace.Record
	head     int
	blocks   []int64
	waits    []uint64
	finished bool  // MPI_Finalize was called
	ended    error // why no more calls can be read: io.EOF, or an error if the file is damaged
	clock    struct {
		known       bool
		first, last int64 // ns
	}
}

// Events implements trace.Stream.
func (s *stream) Events() int64 { return s.events }

// Recorded implements trace.Stream.
func (s *stream) Recorded() int64 { return 1000 * (s.clock.last - s.clock.first) }

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return s.faults }

// Next implements trace.Stream.
func (s *stream) Next(r *trace.Record) error {
	for s.head == len(s.queue) {
		if s.ended != nil {
			return s.ended
		}
		s.queue, s.head = s.queue[:0], 0
		s.ended = s.call()
	}
	*r = s.queue[s.head]
	s.head++
	return nil
}

func (s *stream) push(r trace.Record) { s.queue = append(s.queue, r) }

// skip yields a trace.Skipped record for the current call. why is the reason, appended to the
// call's name.
func (s *stream) skip(why string) {
	s.push(trace.Record{Kind: trace.Skipped, Name: string(s.fields[0]) + why})
}

// call reads one MPI call and appends its records to the queue.
func (s *stream) call() error {
	switch err := s.line.next(); {
	case err == io.EOF && !s.finished:
		s.number++
		s.fields = s.fields[:0]
		return s.fail("call", "the end of the file", "MPI_Finalize, with which a trace that is whole ends")
	case err != nil:
		return err
	}
	s.events++
	if len(s.fields) < 3 {
		return s.fail("call", string(s.fields[0]), "the name of a call, its begin, its arguments and its end")
	}
	begin, err := s.time(1)
	if err != nil {
		return err
	}
	end, err := s.time(len(s.fields) - 1)
	if err != nil {
		return err
	}
	s.fields = s.fields[:len(s.fields)-1]
	c := calls[string(s.fields[0])]
	s.pass(begin, end)
	switch {
	case string(s.fields[0]) == "MPI_Finalize":
		s.finished = true
	case c != nil:
		err = c(s)
	}
	return err
}

// pass yields the computation between the previous call and a call that lasts from begin to end
// (ns).
func (s *stream) pass(begin, end int64) {
	c := &s.clock
	if begin == unknown {
		begin = end
	}
	if end == unknown {
		end = begin
	}
	if begin == unknown {
		return
	}
	if !c.known {
		c.known, c.first, c.last = true, begin, begin
	}
	switch d := begin - c.last; {
	case d < 0:
		s.faults.NegativeTimes++
	case d > 0:
		s.push(trace.Record{Kind: trace.Compute, Duration: 1000 * d})
	}
	c.last = max(c.last, end)
}

// maxBytes is the maximum size of a message in bytes.
const maxBytes = 1 << 40

// bytes returns the size of a message in bytes. count and datatype are the indices of the fields
// with its element count and its datatype.
func (s *stream) bytes(count, datatype int) (int64, error) {
	n, err := s.int(count, 0, "count")
	if err != nil {
		return 0, err
	}
	return s.sized(n, datatype)
}

// sized returns the size, in bytes, of n elements of the datatype in field datatype.
func (s *stream) sized(n int64, datatype int) (int64, error) {
	size, err := s.int(datatype, 1, "datatype")
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, s.fail("count", strconv.FormatInt(n, 10), "a number from 0")
	case size < 0 || size > 0 && n > maxBytes/size:
		return 0, s.fail(
			"count",
			fmt.Sprintf("%d elements of %d bytes", n, size), "a message of at most 1 TiB",
		)
	}
	return n * size, nil
}

// group returns the group of the communicator in field place. known is false if the members of the
// communicator are unknown; a call on such a communicator is skipped.
func (s *stream) group(place int) (group int32, known bool, err error) {
	rank, err := s.int(place, 1, "communicator")
	if err != nil {
		return 0, false, err
	}
	size, err := s.int(place, 2, "communicator")
	switch {
	case err != nil:
		return 0, false, err
	case size == int64(len(s.source.files)) && rank == int64(s.rank):
		return 0, true, nil
	case size == 1:
		return trace.Self, true, nil
	}
	s.skip(" in a communicator of some of the ranks, which the trace does not name")
	return 0, false, nil
}

// end reads the arguments of a send or receive. count and comm are the indices of the fields with
// its element count and its communicator; the datatype, peer and tag are in the fields after count.
// there is false if it has no peer (MPI_PROC_NULL) or its communicator is unknown.
func (s *stream) end(receive bool, count, comm int) (m trace.Message, there bool, err error) {
	m = trace.Message{Receive: receive}
	if m.Group, there, err = s.group(comm); err != nil || !there {
		return m, false, err
	}
	if m.Size, err = s.bytes(count, count+1); err != nil {
		return m, false, err
	}
	peer, err := s.int(count+2, 0, "rank")
	if err != nil {
		return m, false, err
	}
	tag, err := s.int(count+3, 0, "tag")
	switch {
	case err != nil:
		return m, false, err
	case peer < 0 && !(receive && peer == trace.Any):
		return m, false, nil
	case m.Group == trace.Self && peer >= 0:
		peer = int64(s.rank)
	case peer >= int64(len(s.source.files)):
		return m, false, s.fail(
			"rank",
			strconv.FormatInt(peer, 10), fmt.Sprintf("a number below %d", len(s.source.files)),
		)
	}
	if tag > 1<<31-1 || tag < 0 && !(receive && tag == trace.Any) {
		return m, false, s.fail("tag", strconv.FormatInt(tag, 10), "a number from 0")
	}
	m.Peer, m.Tag = int32(peer), int32(tag)
	return m, true, nil
}

// start yields a nonblocking send or receive.
func (s *stream) start(m trace.Message) {
	s.push(trace.Record{Kind: trace.Start, Message: m})
	if i, found := slices.BinarySearch(s.started, m.Request); !found {
		s.started = slices.Insert(s.started, i, m.Request)
	}
}

// wait yields a wait for the requests in an array of n, at address first, that have been started.
// The size of a request depends on the MPI library: it is assumed to be 8 bytes until an address
// that is only a multiple of 4 occurs in an array.
func (s *stream) wait(first uint64, n int64) {
	const wide, narrow = 8, 4
	from, _ := slices.BinarySearch(s.started, first)
	to, _ := slices.BinarySearch(s.started, first+wide*uint64(n))
	for _, a := range s.started[from:max(from, to)] {
		s.narrow = s.narrow || (a-first)%wide == narrow && n > 1
	}
	if s.narrow {
		to, _ = slices.BinarySearch(s.started, first+narrow*uint64(n))
	}
	if from >= to {
		return
	}
	s.waits = append(s.waits[:0], s.started[from:to]...)
	s.started = slices.Delete(s.started, from, to)
	s.push(trace.Record{Kind: trace.Wait, Requests: s.waits})
}
