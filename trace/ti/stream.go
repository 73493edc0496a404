package ti

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fabricast/trace"
)

// stream reads the actions of one rank.
type stream struct {
	*reader
	source  *source
	me      int
	element int64 // size of the default datatype in bytes
	events  int64
	faults  trace.Faults
	queue   []trace.Record
	head    int
	started []request // requests without a wait so far, in the order of their starts
	next    uint64    // ID of the last request
}

// request is a nonblocking send or receive that no action has waited for.
type request struct {
	id       uint64
	src, dst int
	tag      int32
}

// Next implements trace.Stream.
func (s *stream) Next(r *trace.Record) error {
	for s.head == len(s.queue) {
		s.queue, s.head = s.queue[:0], 0
		err := s.action()
		if errors.Is(err, io.EOF) && len(s.started) > 0 {
			// wait at the end for all remaining requests, as SimGrid's replay does
			err = s.waitAll()
		}
		if err != nil {
			return err
		}
	}
	*r = s.queue[s.head]
	s.head++
	return nil
}

// Events implements trace.Stream.
func (s *stream) Events() int64 { return s.events }

// Recorded implements trace.Stream. It returns 0, because the traces have no times.
func (s *stream) Recorded() int64 { return 0 }

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return s.faults }

func (s *stream) push(r trace.Record) { s.queue = append(s.queue, r) }

// action reads the rank's next action, and appends its records to the queue.
func (s *stream) action() error {
	for {
		if err := s.reader.Next(); err != nil {
			return err
		}
		rank, err := s.rank(0)
		if err != nil {
			return err
		}
		if rank != s.me {
			if len(s.source.files) > 1 {
				return s.fail("rank", s.Words[0], fmt.Sprintf("%d, whose file this is", s.me))
			}
			continue
		}
		break
	}
	if len(s.Words) < 2 {
		return s.fail("action", s.Words[0], "a rank and an action")
	}
	do := actions[s.Words[1]]
	if do == nil {
		return s.fail("action", s.Words[1], "an action of a time-independent trace")
	}
	s.events++
	return do(s)
}

// peer parses word i as the peer of a message; -1 means any.
func (s *stream) peer(i int) (int32, error) {
	if i < len(s.Words) && s.Words[i] == "-1" {
		return trace.Any, nil
	}
	n, err := s.rank(i)
	if err == nil && n >= s.source.ranks {
		err = s.fail("rank", s.Words[i], fmt.Sprintf("a number below %d", s.source.ranks))
	}
	return int32(n), err
}

// tag parses word i as a tag; -1 means any.
func (s *stream) tag(i int) (int32, error) {
	n, err := s.number(i, "tag")
	if err == nil && (n < trace.Any || n > 1<<31-1) {
		err = s.fail("tag", s.Words[i], "a number from 0, or -1")
	}
	return int32(n), err
}

// unknownSize is the size to use for a receive if the trace does not contain its size.
const unknownSize = maxBytes

// message adds a send or receive. Its arguments are peer, tag, count and datatype.
func (s *stream) message(kind trace.Kind, receive bool) error {
	peer, err := s.peer(2)
	if err != nil {
		return err
	}
	tag, err := s.tag(3)
	if err != nil {
		return err
	}
	m := trace.Message{Receive: receive, Peer: peer, Tag: tag, Size: unknownSize}
	if n, err := s.number(4, "count"); err != nil {
		return err
	} else if n >= 0 || !receive {
		if m.Size, err = s.bytes(4, 5); err != nil {
			return err
		}
	}
	if kind == trace.Start {
		s.next++
		m.Request = s.next
		s.started = append(s.started, s.request(&m))
	}
	s.push(trace.Record{Kind: kind, Message: m})
	return nil
}

// request returns the request of a nonblocking send or receive, with the sender, receiver and tag
// by which wait actions refer to it.
func (s *stream) request(m *trace.Message) request {
	if m.Receive {
		return request{id: m.Request, src: int(m.Peer), dst: s.me, tag: m.Tag}
	}
	return request{id: m.Request, src: s.me, dst: int(m.Peer), tag: m.Tag}
}

// wait adds a wait for the first request with the given sender, receiver and tag. It adds nothing
// if there is no such request.
func (s *stream) wait() error {
	i, err := s.named()
	if err != nil || i < 0 {
		return err
	}
	s.push(trace.Record{Kind: trace.Wait, Requests: []uint64{s.started[i].id}})
	s.started = append(s.started[:i], s.started[i+1:]...)
	return nil
}

// test adds a test of the first request with the given sender, receiver and tag. The request
// remains, because the program may test it again or wait for it.
func (s *stream) test() error {
	i, err := s.named()
	if err == nil && i >= 0 {
		s.push(trace.Record{Kind: trace.Test, Message: trace.Message{Request: s.started[i].id}})
	}
	return err
}

// named returns the index in s.started of the first request with the sender, receiver and tag in
// the current line; -1 if there is none.
func (s *stream) named() (int, error) {
	var n [3]int
	for i := range n {
		f, err := s.number(2+i, "request")
		if err != nil {
			return -1, err
		}
		n[i] = int(f)
	}
	return slices.IndexFunc(s.started, func(q request) bool {
		return q.src == n[0] && q.dst == n[1] && int(q.tag) == n[2]
	}), nil
}

// waitAll adds a wait for all requests.
func (s *stream) waitAll() error {
	var list []uint64
	for _, q := range s.started {
		list = append(list, q.id)
	}
	s.started = s.started[:0]
	if len(list) > 0 {
		s.push(trace.Record{Kind: trace.Wait, Requests: list})
	}
	return nil
}

// exchange adds sendRecv. Its arguments are send count, destination, receive count, source, send
// datatype and receive datatype.
func (s *stream) exchange() error {
	send, err := s.bytes(2, 6)
	if err != nil {
		return err
	}
	to, err := s.peer(3)
	if err != nil {
		return err
	}
	receive, err := s.bytes(4, 7)
	if err != nil {
		return err
	}
	from, err := s.peer(5)
	if err != nil {
		return err
	}
	s.push(trace.Record{
		Kind:    trace.Exchange,
		Message: trace.Message{Peer: to, Size: send},
		Other:   trace.Message{Receive: true, Peer: from, Size: receive},
	})
	return nil
}

// collective adds a collective without a root. size is in bytes, see trace.Operation.
func (s *stream) collective(kind trace.CollectiveKind, size int64) error {
	s.push(trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: kind, Size: size}})
	return nil
}

// sized adds a collective without a root. Word 2 is its element count, and word datatype its
// datatype.
func (s *stream) sized(kind trace.CollectiveKind, datatype int) error {
	size, err := s.bytes(2, datatype)
	if err != nil {
		return err
	}
	return s.collective(kind, size)
}

// rooted adds a collective with a root. Word 2 is its element count, word root its root, and word
// datatype its datatype.
func (s *stream) rooted(kind trace.CollectiveKind, root, datatype int) error {
	size, err := s.bytes(2, datatype)
	if err != nil {
		return err
	}
	r, err := s.rootAt(root)
	if err != nil {
		return err
	}
	s.push(trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: kind, Size: size, Root: r}})
	return nil
}

// rootAt parses word i as the root of a collective. It returns 0 if there is no such word.
func (s *stream) rootAt(i int) (int32, error) {
	if i >= len(s.Words) {
		return 0, nil
	}
	r, err := s.peer(i)
	if err == nil && r < 0 {
		err = s.fail("root", s.Words[i], "a rank")
	}
	return r, err
}

// scatter adds a scatter. It uses the receive count, because the send count may be 0 except at the
// root.
func (s *stream) scatter() error {
	size, err := s.bytes(3, 6)
	if err != nil {
		return err
	}
	root, err := s.rootAt(4)
	if err != nil {
		return err
	}
	s.push(
		trace.Record{
			Kind: trace.Collective,
			Call: trace.Operation{Kind: trace.Scatter, Size: size, Root: root},
		},
	)
	return nil
}

// blocks parses an element count for each rank, starting at word first, and returns the sizes in
// bytes. element is the size of an element.
func (s *stream) blocks(first int, element int64) ([]int64, error) {
	n := s.source.ranks
	if first+n > len(s.Words) {
		return nil, s.fail(
			"counts",
			strings.Join(s.Words[:2], " ")+" with "+strconv.Itoa(len(s.Words)-2)+" numbers",
			"a number for each rank, "+strconv.Itoa(n),
		)
	}
	list := make([]int64, n)
	for i := range list {
		c, err := s.count(first + i)
		if err != nil {
			return nil, err
		}
		if c > maxBytes/element {
			return nil, s.fail("count", s.Words[first+i], "a block of at most 1 TiB")
		}
		list[i] = c * element
	}
	return list, nil
}

// uneven adds a collective whose data blocks may have different sizes.
func (s *stream) uneven(o trace.Operation) {
	o.Uneven = true
	s.push(trace.Record{Kind: trace.Collective, Call: o})
}

// allToAllUneven adds alltoallv. Its arguments are send buffer size, send counts, receive buffer
// size, receive counts, send datatype and receive datatype.
func (s *stream) allToAllUneven() error {
	element, err := s.elementAt(4 + 2*s.source.ranks)
	if err != nil {
		return err
	}
	blocks, err := s.blocks(3, element)
	if err != nil {
		return err
	}
	if _, err := s.blocks(4+s.source.ranks, element); err != nil {
		return err
	}
	s.uneven(trace.Operation{Kind: trace.Alltoall, Blocks: blocks})
	return nil
}

// gatherUneven adds gatherv. Its arguments are send count, receive counts, root, send datatype and
// receive datatype.
func (s *stream) gatherUneven() error {
	ranks := s.source.ranks
	size, err := s.bytes(2, 4+ranks)
	if err != nil {
		return err
	}
	root, err := s.rootAt(3 + ranks)
	if err != nil {
		return err
	}
	s.uneven(trace.Operation{Kind: trace.Gather, Size: size, Root: root})
	return nil
}

// allGatherUneven adds allgatherv. Its arguments are send count, receive counts, send datatype and
// receive datatype.
func (s *stream) allGatherUneven() error {
	size, err := s.bytes(2, 3+s.source.ranks)
	if err != nil {
		return err
	}
	s.uneven(trace.Operation{Kind: trace.Allgather, Size: size})
	return nil
}

// scatterUneven adds scatterv. Its arguments are send counts, receive count, root, send datatype
// and receive datatype.
func (s *stream) scatterUneven() error {
	ranks := s.source.ranks
	element, err := s.elementAt(4 + ranks)
	if err != nil {
		return err
	}
	root, err := s.rootAt(3 + ranks)
	if err != nil {
		return err
	}
	o := trace.Operation{Kind: trace.Scatter, Root: root}
	if int(root) == s.me {
		if o.Blocks, err = s.blocks(2, element); err != nil {
			return err
		}
	}
	s.uneven(o)
	return nil
}

// reduceScatter adds reducescatter. Its arguments are the element counts by rank, a number of
// operations and a datatype.
func (s *stream) reduceScatter() error {
	ranks := s.source.ranks
	element, err := s.elementAt(3 + ranks)
	if err != nil {
		return err
	}
	blocks, err := s.blocks(2, element)
	if err != nil {
		return err
	}
	s.uneven(trace.Operation{Kind: trace.ReduceScatter, Blocks: blocks})
	return s.then(2+ranks, nil)
}
