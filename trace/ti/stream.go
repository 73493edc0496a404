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
	started []request // in their order
	next    uint64    // number of the next request
}

// request is a started message that has not been waited for.
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
			// waits for messages that no action has waited for, as SimGrid's replay does
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

// Recorded implements trace.Stream: the traces have no times.
func (s *stream) Recorded() int64 { return 0 }

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return s.faults }

func (s *stream) push(r trace.Record) { s.queue = append(s.queue, r) }

// action reads the rank's next action.
func (s *stream) action() error {
	for {
		if err := s.reader.next(); err != nil {
			return err
		}
		rank, err := s.rank(0)
		if err != nil {
			return err
		}
		if rank != s.me {
			if len(s.source.files) > 1 {
				return s.fail("rank", s.words[0], fmt.Sprintf("%d, whose file this is", s.me))
			}
			continue
		}
		break
	}
	if len(s.words) < 2 {
		return s.fail("action", s.words[0], "a rank and an action")
	}
	do := actions[s.words[1]]
	if do == nil {
		return s.fail("action", s.words[1], "an action of a time-independent trace")
	}
	s.events++
	return do(s)
}

// peer parses a word as another rank; -1 means any.
func (s *stream) peer(i int) (int32, error) {
	if i < len(s.words) && s.words[i] == "-1" {
		return trace.Any, nil
	}
	n, err := s.rank(i)
	if err == nil && n >= s.source.ranks {
		err = s.fail("rank", s.words[i], fmt.Sprintf("a number below %d", s.source.ranks))
	}
	return int32(n), err
}

// tag parses a word as a tag.
func (s *stream) tag(i int) (int32, error) {
	n, err := s.number(i, "tag")
	if err == nil && (n < trace.Any || n > 1<<31-1) {
		err = s.fail("tag", s.words[i], "a number from 0, or -1")
	}
	return int32(n), err
}

// unknownSize is the buffer size of a receive whose size the trace does not state.
const unknownSize = maxBytes

// message adds a send or receive. Its operands are peer, tag, count and datatype.
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

// request returns the identification of a started message by which wait actions refer to it.
func (s *stream) request(m *trace.Message) request {
	if m.Receive {
		return request{id: m.Request, src: int(m.Peer), dst: s.me, tag: m.Tag}
	}
	return request{id: m.Request, src: s.me, dst: int(m.Peer), tag: m.Tag}
}

// wait adds the wait for the first started message with the given sender, receiver and tag. It adds
// nothing if there is none.
func (s *stream) wait() error {
	i, err := s.named()
	if err != nil || i < 0 {
		return err
	}
	s.push(trace.Record{Kind: trace.Wait, Requests: []uint64{s.started[i].id}})
	s.started = append(s.started[:i], s.started[i+1:]...)
	return nil
}

// test adds a test whether such a message is complete. If it is not, the program continues, and may
// test or wait again.
func (s *stream) test() error {
	i, err := s.named()
	if err == nil && i >= 0 {
		s.push(trace.Record{Kind: trace.Test, Message: trace.Message{Request: s.started[i].id}})
	}
	return err
}

// named returns the place of the first started message with the given sender, receiver and tag; -1
// if there is none.
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

// waitAll adds the wait for all started messages.
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

// exchange adds sendRecv. Its operands are count, destination, count, source and two datatypes.
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

// collective adds a record for a collective whose operand has the given size in bytes.
func (s *stream) collective(kind trace.CollectiveKind, size int64) error {
	s.push(trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: kind, Size: size}})
	return nil
}

// sized adds a collective without a root. Its operands are a count, and the datatype in word number
// datatype.
func (s *stream) sized(kind trace.CollectiveKind, datatype int) error {
	size, err := s.bytes(2, datatype)
	if err != nil {
		return err
	}
	return s.collective(kind, size)
}

// rooted adds a collective with a root, which is 0 if its word is missing.
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

// rootAt parses a word as the root of a collective.
func (s *stream) rootAt(i int) (int32, error) {
	if i >= len(s.words) {
		return 0, nil
	}
	r, err := s.peer(i)
	if err == nil && r < 0 {
		err = s.fail("root", s.words[i], "a rank")
	}
	return r, err
}

// scatter adds a scatter. The root's count is also that of each block; others may have 0 there.
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

// blocks reads a count for each rank, starting with word first, and returns sizes in bytes.
func (s *stream) blocks(first int, element int64) ([]int64, error) {
	n := s.source.ranks
	if first+n > len(s.words) {
		return nil, s.fail(
			"counts",
			strings.Join(s.words[:2], " ")+" with "+strconv.Itoa(len(s.words)-2)+" numbers",
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
			return nil, s.fail("count", s.words[first+i], "a block of at most 1 TiB")
		}
		list[i] = c * element
	}
	return list, nil
}

// uneven adds a record for a collective in which ranks have blocks of different sizes.
func (s *stream) uneven(o trace.Operation) {
	o.Uneven = true
	s.push(trace.Record{Kind: trace.Collective, Call: o})
}

// allToAllUneven adds alltoallv. Its operands are a size, counts to send, a size, counts to receive
// and two datatypes.
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

// gatherUneven adds gatherv. Its operands are a count to send, counts to receive, the root and two
// datatypes.
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

// allGatherUneven adds allgatherv, in which every rank sends its block to all. Its operands are a
// count to send, counts to receive and two datatypes.
func (s *stream) allGatherUneven() error {
	size, err := s.bytes(2, 3+s.source.ranks)
	if err != nil {
		return err
	}
	s.uneven(trace.Operation{Kind: trace.Allgather, Size: size})
	return nil
}

// scatterUneven adds scatterv. Its operands are counts to send, a count to receive, the root and
// two datatypes.
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

// reduceScatter adds reducescatter. Its operands are the counts of all blocks, a number of
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
