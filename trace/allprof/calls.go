package allprof

import (
	"bytes"
	"fmt"

	"fabricast/trace"
)

// calls maps the names of MPI calls to the functions that read them. Calls that are not in the map
// are ignored, because they do not communicate.
var calls map[string]func(s *stream) error

func init() {
	send := func(s *stream) error { return s.message(trace.Send, false) }
	isend := func(s *stream) error { return s.message(trace.Start, false) }
	keep := func(s *stream) error { return s.persistent(false) }
	lost := func(why string) func(s *stream) error {
		return func(s *stream) error { s.skip(why); return nil }
	}
	const outcome = ", whose outcome the trace does not have"
	calls = map[string]func(s *stream) error{
		"MPI_Send": send, "MPI_Bsend": send, "MPI_Ssend": send, "MPI_Rsend": send,
		"MPI_Isend": isend, "MPI_Ibsend": isend, "MPI_Issend": isend, "MPI_Irsend": isend,
		"MPI_Recv":             func(s *stream) error { return s.message(trace.Receive, true) },
		"MPI_Irecv":            func(s *stream) error { return s.message(trace.Start, true) },
		"MPI_Sendrecv":         func(s *stream) error { return s.exchange(3, 8, 12) },
		"MPI_Sendrecv_replace": (*stream).exchangeInPlace,
		"MPI_Send_init":        keep, "MPI_Bsend_init": keep, "MPI_Ssend_init": keep, "MPI_Rsend_init": keep,
		"MPI_Recv_init": func(s *stream) error { return s.persistent(true) },
		"MPI_Start":     func(s *stream) error { return s.begin(2, 1) },
		"MPI_Startall":  (*stream).beginAll, "MPI_Wait": (*stream).waitOne, "MPI_Waitall": (*stream).waitAll,
		"MPI_Waitany": lost(outcome), "MPI_Waitsome": lost(outcome), "MPI_Test": lost(outcome),
		"MPI_Testany": lost(outcome), "MPI_Testsome": lost(outcome), "MPI_Testall": lost(outcome),
		"MPI_Put": lost(""), "MPI_Get": lost(""), "MPI_Accumulate": lost(""), "MPI_Win_fence": lost(""),
		"MPI_Alltoallw": lost(", whose datatypes the trace does not have"), "MPI_Cancel": lost(""),

		"MPI_Barrier":   collective(trace.Barrier, places{comm: 2}),
		"MPI_Bcast":     collective(trace.Broadcast, places{count: 3, root: 5, comm: 6}),
		"MPI_Gather":    collective(trace.Gather, places{count: 3, all: 6, root: 8, comm: 9}),
		"MPI_Scatter":   collective(trace.Scatter, places{count: 6, all: 3, root: 8, comm: 9}),
		"MPI_Allgather": collective(trace.Allgather, places{count: 6, comm: 8}),
		"MPI_Alltoall":  collective(trace.Alltoall, places{count: 6, comm: 8}),
		"MPI_Reduce":    collective(trace.Reduce, places{count: 4, root: 7, comm: 8}),
		"MPI_Allreduce": collective(trace.Allreduce, places{count: 4, comm: 7}),
		"MPI_Scan":      collective(trace.Scan, places{count: 4, comm: 7}),
		"MPI_Exscan":    collective(trace.Exscan, places{count: 4, comm: 7}),
		"MPI_Gatherv": collective(
			trace.Gather,
			places{count: 3, counts: 7, types: 10, root: 11, comm: 12},
		),
		"MPI_Scatterv": collective(
			trace.Scatter,
			places{count: 9, counts: 4, types: 7, root: 11, comm: 12},
		),
		"MPI_Allgatherv":     collective(trace.Allgather, places{counts: 7, types: 10, comm: 11}),
		"MPI_Alltoallv":      collective(trace.Alltoall, places{counts: 4, types: 7, comm: 14}),
		"MPI_Reduce_scatter": collective(trace.ReduceScatter, places{counts: 5, types: 6, comm: 8}),
	}
}

// message reads a blocking or nonblocking send or receive.
func (s *stream) message(kind trace.Kind, receive bool) error {
	const count, comm, request = 3, 7, 8
	m, there, err := s.end(receive, count, comm)
	if err != nil || !there {
		return err
	}
	if kind != trace.Start {
		s.push(trace.Record{Kind: kind, Message: m})
		return nil
	}
	if m.Request, err = s.address(request); err == nil {
		s.start(m)
	}
	return err
}

// persistent reads the creation of a persistent request, and stores the request in s.kept for a
// later MPI_Start.
func (s *stream) persistent(receive bool) error {
	const count, comm, request = 3, 7, 8
	m, there, err := s.end(receive, count, comm)
	if err != nil {
		return err
	}
	if m.Request, err = s.address(request); err != nil {
		return err
	}
	delete(s.kept, m.Request)
	if there {
		if s.kept == nil {
			s.kept = map[uint64]trace.Message{}
		}
		s.kept[m.Request] = m
	}
	return nil
}

// begin starts the persistent requests in an array of n. The index of the field with the address of
// the first one is place.
func (s *stream) begin(place int, n int64) error {
	first, err := s.address(place)
	if err != nil {
		return err
	}
	// n may be wrong in the file: stop when all stored requests are started
	const width = 4
	for i, left := int64(0), len(s.kept); i < 2*n && left > 0 && i < 1<<24; i++ {
		if m, found := s.kept[first+width*uint64(i)]; found {
			s.start(m)
			left--
		}
	}
	return nil
}

func (s *stream) beginAll() error {
	n, err := s.int(2, 0, "count")
	if err != nil {
		return err
	}
	return s.begin(3, n)
}

func (s *stream) waitOne() error {
	first, err := s.address(2)
	if err == nil {
		s.wait(first, 1)
	}
	return err
}

func (s *stream) waitAll() error {
	n, err := s.int(2, 0, "count")
	if err != nil {
		return err
	}
	const most = 1 << 31
	if n < 0 || n > most {
		return s.fail("count", fmt.Sprint(n), "a number of requests")
	}
	first, err := s.address(3)
	if err == nil {
		s.wait(first, n)
	}
	return err
}

// exchange reads an MPI_Sendrecv. out, in and comm are the indices of the fields with the element
// count of the send, the element count of the receive, and the communicator.
func (s *stream) exchange(out, in, comm int) error {
	sent, sends, err := s.end(false, out, comm)
	if err != nil || len(s.queue) > 0 && s.queue[len(s.queue)-1].Kind == trace.Skipped {
		return err
	}
	received, receives, err := s.end(true, in, comm)
	if err != nil {
		return err
	}
	s.both(sent, sends, received, receives)
	return nil
}

// both yields a concurrent send and receive, or only one of them if the other has no peer
// (MPI_PROC_NULL).
func (s *stream) both(sent trace.Message, sends bool, received trace.Message, receives bool) {
	switch {
	case sends && receives:
		s.push(trace.Record{Kind: trace.Exchange, Message: sent, Other: received})
	case sends:
		s.push(trace.Record{Kind: trace.Send, Message: sent})
	case receives:
		s.push(trace.Record{Kind: trace.Receive, Message: received})
	}
}

// exchangeInPlace reads an MPI_Sendrecv_replace. Its fields after the buffer are count, datatype,
// destination, send tag, source, receive tag and communicator.
func (s *stream) exchangeInPlace() error {
	const count, source, comm = 3, 7, 9
	if len(s.fields) <= comm {
		return s.fail("arguments", fmt.Sprint(len(s.fields)-2), "nine")
	}
	f := s.fields
	// append the receive's fields in the order of MPI_Sendrecv
	s.fields = append(f[:len(f):len(f)], f[count], f[count+1], f[source], f[source+1])
	err := s.exchange(count, len(f), comm)
	s.fields = f
	return err
}

// places holds the indices of the fields of a collective's arguments; 0 if the collective has no
// such argument. The datatype of count and all is in the field after them.
type places struct {
	count         int // number of elements of the buffer, or of its part for one rank
	all           int // used at the root instead of count, which is not set there with MPI_IN_PLACE
	counts, types int // of the v variants: the list of element counts by rank, and the datatype
	root, comm    int
}

// collective returns a function that reads a collective of the given kind, whose arguments are in
// the fields at.
func collective(kind trace.CollectiveKind, at places) func(s *stream) error {
	return func(s *stream) error {
		group, known, err := s.group(at.comm)
		if err != nil || !known || group == trace.Self {
			return err
		}
		o := trace.Operation{Kind: kind, Uneven: at.counts != 0}
		me := at.root == 0
		if at.root != 0 {
			root, err := s.int(at.root, 0, "root")
			if err != nil {
				return err
			}
			if root < 0 || root >= int64(len(s.source.files)) {
				return s.fail("root", fmt.Sprint(root), fmt.Sprintf("a number below %d", len(s.source.files)))
			}
			o.Root, me = int32(root), int32(root) == s.rank
		}
		switch {
		case at.counts != 0 && me:
			err = s.uneven(&o, at)
		case at.all != 0 && me:
			o.Size, err = s.bytes(at.all, at.all+1)
		case at.count != 0:
			o.Size, err = s.bytes(at.count, at.count+1)
		}
		if err == nil {
			s.push(trace.Record{Kind: trace.Collective, Call: o})
		}
		return err
	}
}

// uneven reads the list of element counts of a v variant, such as MPI_Alltoallv, with one count per
// rank.
func (s *stream) uneven(o *trace.Operation, at places) error {
	if at.counts >= len(s.fields) {
		return s.fail("counts", "the end of the line", "a number for each rank")
	}
	s.blocks = s.blocks[:0]
	for rest, more := s.fields[at.counts], true; more; {
		var b []byte
		b, rest, more = bytes.Cut(rest, []byte(","))
		n, ok := number(bytes.TrimSpace(b))
		if !ok {
			return s.fail("counts", string(b), "a whole number")
		}
		size, err := s.sized(n, at.types)
		if err != nil {
			return err
		}
		s.blocks = append(s.blocks, size)
	}
	if n := len(s.source.files); len(s.blocks) != n {
		return s.fail(
			"counts",
			fmt.Sprintf("%d of them", len(s.blocks)), fmt.Sprintf("%d, one for each rank", n),
		)
	}
	if o.Kind == trace.Gather || o.Kind == trace.Allgather {
		o.Size = s.blocks[s.rank]
	} else {
		o.Blocks = s.blocks
	}
	return nil
}
