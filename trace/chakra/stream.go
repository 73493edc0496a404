package chakra

import (
	"fmt"
	"io"
	"math"

	"fabricast/trace"
	"fabricast/trace/torch"
)

// nodes reads the nodes of a rank.
type nodes interface {
	// read reads the next node. It returns io.EOF after the last one.
	read(n *node) error
}

// stream converts the nodes of a rank to tasks.
type stream struct {
	source  *source
	rank    int32
	nodes   nodes
	node    node
	tasks   int64
	numbers numbers
	// waiting holds the indices of tasks that depend on a node that has not been read yet. The key
	// is the ID of that node.
	waiting       map[uint64][]int64
	lanes         map[lane]int32
	first, latest uint64 // µs: earliest start and latest end of a node
	ended         error
}

// lane identifies a thread of the host or a stream of the accelerator, which runs one node at a
// time.
type lane struct {
	cpu   bool
	queue uint64
}

// Lanes of nodes without a thread or stream, and the first lane of a thread or stream.
const (
	hostLane        = 0
	acceleratorLane = 1
	firstLane       = 2
)

// Next implements trace.TaskStream.
func (s *stream) Next(t *trace.Task) error {
	if s.ended == nil {
		s.ended = s.next(t)
	}
	return s.ended
}

// next reads the next task.
func (s *stream) next(t *trace.Task) error {
	n := &s.node
	if err := s.nodes.read(n); err != nil {
		if err == io.EOF {
			err = s.complete()
		}
		return err
	}
	*t = trace.Task{
		After:    t.After[:0],
		Started:  t.Started[:0],
		Before:   t.Before[:0],
		BeforeAt: t.BeforeAt[:0],
		Sends:    t.Sends[:0],
		Name:     n.name,
	}
	if !s.numbers.add(n.id, s.tasks) {
		return s.fail("id", fmt.Sprint(n.id), "one that no other node has")
	}
	for _, id := range n.deps {
		s.after(t, id)
	}
	if list, found := s.waiting[n.id]; found {
		t.Before = append(t.Before, list...)
		delete(s.waiting, n.id)
	}
	s.clock(n)
	s.tasks++
	return s.fill(t, n)
}

// after makes task t depend on the node with the given ID, which may occur later in the file.
func (s *stream) after(t *trace.Task, id uint64) {
	if other, found := s.numbers.find(id); found {
		t.After = append(t.After, other)
		return
	}
	if s.waiting == nil {
		s.waiting = map[uint64][]int64{}
	}
	s.waiting[id] = append(s.waiting[id], s.tasks)
	t.Awaits++
}

// complete checks, after the last node, that all dependencies refer to existing nodes. It returns
// io.EOF if so, an error otherwise.
func (s *stream) complete() error {
	if len(s.waiting) == 0 {
		return io.EOF
	}
	least := uint64(math.MaxUint64)
	for id := range s.waiting {
		least = min(least, id)
	}
	return &trace.Error{
		File:     s.source.files[s.rank],
		What:     fmt.Sprintf("node %d: data_deps", s.numbers.node(s.waiting[least][0])),
		Found:    fmt.Sprintf("node %d, which the file does not have", least),
		Expected: "a node of the file",
	}
}

// clock updates the recorded start and end times with those of node n.
func (s *stream) clock(n *node) {
	if n.start == 0 {
		return
	}
	if s.first == 0 || n.start < s.first {
		s.first = n.start
	}
	s.latest = max(s.latest, n.start+min(n.duration, maxMicroseconds))
}

// fail returns an error at the current node.
func (s *stream) fail(what, found, expected string) error {
	return &trace.Error{
		File:     s.source.files[s.rank],
		Offset:   s.node.at,
		What:     fmt.Sprintf("node %d: %s", s.node.id, what),
		Found:    found,
		Expected: expected,
	}
}

// Maximum size of a message, and maximum duration of a node.
const (
	maxBytes        = 1 << 40
	maxMicroseconds = 1 << 41 // 26 days
)

// fill converts node n to task t. A node that runs on the host is a computation, even if its type
// is communication: it only starts the communication, which is another node.
func (s *stream) fill(t *trace.Task, n *node) error {
	if n.bytes > maxBytes {
		return s.fail("comm_size", signed(n.bytes), "0 to 1 TiB")
	}
	switch {
	case n.kind > collectiveNode:
		return s.fail("type", signed(n.kind), "0 to 7")
	case n.kind == metadataNode:
		t.Kind = trace.TaskNothing
	case n.kind == invalidNode:
		t.Kind, t.Skipped = trace.TaskNothing, "node of an unknown type"
	case n.kind >= sendNode && !n.cpu:
		return s.communicate(t, n)
	case n.kind != computeNode && n.duration == 0 && n.operations == 0:
		t.Kind, t.Skipped = trace.TaskNothing, "access to memory without a duration"
		if n.kind >= sendNode {
			t.Skipped = "communication of the host without a duration"
		}
	default:
		return s.compute(t, n)
	}
	return nil
}

// compute fills in t as the computation task of node n.
func (s *stream) compute(t *trace.Task, n *node) error {
	const picoseconds = 1_000_000
	t.Kind = trace.TaskCompute
	t.Lane = s.lane(n)
	switch {
	case n.duration > maxMicroseconds:
		return s.fail("duration", signed(n.duration)+" us", "0 to 26 days")
	case n.duration > 0:
		t.Duration = int64(n.duration) * picoseconds
	case n.operations > 0:
		ps := float64(n.operations) / s.source.rates.Of(int(s.rank)) * 1e12
		if ps > maxMicroseconds*picoseconds {
			return s.fail("num_ops", signed(n.operations), "0 to 26 days of computation")
		}
		t.Duration = int64(math.Round(ps))
	}
	return nil
}

// lane returns the lane of a computation: the lane of its thread or stream if specified, otherwise
// the default lane of the host or the accelerator.
func (s *stream) lane(n *node) int32 {
	if !n.queued {
		if n.cpu {
			return hostLane
		}
		return acceleratorLane
	}
	if s.lanes == nil {
		s.lanes = map[lane]int32{}
	}
	key := lane{n.cpu, n.queue}
	if _, found := s.lanes[key]; !found {
		s.lanes[key] = int32(firstLane + len(s.lanes))
	}
	return s.lanes[key]
}

// collectives lists the kinds of collectives by the value of comm_type in traces. whole means that
// comm_size is the sum of the data for all ranks, not the data for one rank.
var collectives = []struct {
	kind  trace.CollectiveKind
	whole bool
}{
	{trace.Allreduce, false},
	{trace.Reduce, false},
	{trace.Allgather, false},
	{trace.Gather, false},
	{trace.Scatter, true},
	{trace.Broadcast, false},
	{trace.Alltoall, true},
	{trace.ReduceScatter, true},
	{trace.ReduceScatter, true},
	{trace.Barrier, false},
}

// communicate converts node n to a send, a receive or a collective.
func (s *stream) communicate(t *trace.Task, n *node) error {
	if n.kind == collectiveNode {
		return s.collective(t, n)
	}
	t.Kind = trace.TaskSend
	peer, stated, name := n.target, n.hasTarget, "comm_dst"
	if n.kind == receiveNode {
		t.Kind, peer, stated, name = trace.TaskReceive, n.source, n.hasSource, "comm_src"
	}
	switch {
	case !stated:
		t.Kind, t.Skipped = trace.TaskNothing, "message without "+name
		return nil
	case peer >= uint64(len(s.source.files)):
		return s.fail(name, signed(peer), fmt.Sprintf("a rank below %d", len(s.source.files)))
	case n.tag > math.MaxUint32:
		return s.fail("comm_tag", signed(n.tag), "a number of 32 bits")
	case !n.hasBytes && n.kind == sendNode:
		return s.fail("comm_size", "none", "the bytes of the message")
	}
	t.Message = trace.Message{
		Receive: n.kind == receiveNode,
		Peer:    int32(peer),
		Tag:     int32(n.tag & math.MaxInt32),
		Size:    int64(n.bytes),
	}
	return nil
}

// collective converts node n to a collective.
func (s *stream) collective(t *trace.Task, n *node) error {
	if !n.hasCollective && !named(n) {
		t.Kind, t.Skipped = trace.TaskNothing, "collective without comm_type, and with a name that "+
			"does not say"
		return nil
	}
	if n.collective >= uint64(len(collectives)) {
		return s.fail("comm_type", signed(n.collective), fmt.Sprintf("0 to %d", len(collectives)-1))
	}
	group, found := s.source.group(n.group)
	if !found {
		return s.fail("pg_name", fmt.Sprintf("%q", n.group), s.source.groupsExpected())
	}
	member, size := s.source.member(group, s.rank)
	if !member {
		return s.fail(
			"pg_name",
			fmt.Sprintf("%q, which rank %d is not in", n.group, s.rank),
			"a process group of the rank",
		)
	}
	c := collectives[n.collective]
	if !n.hasBytes && c.kind != trace.Barrier {
		return s.fail("comm_size", "none", fmt.Sprintf("the bytes of the %s", c.kind))
	}
	t.Kind = trace.TaskCollective
	t.Call = trace.Operation{Kind: c.kind, Group: group, Size: int64(n.bytes)}
	if c.whole {
		t.Call.Size = (t.Call.Size + size - 1) / size
	}
	if c.kind == trace.Barrier {
		t.Call.Size = 0
	}
	return nil
}

// named sets n.collective from the name of the node, which may be the name of an accelerator
// kernel. It returns false if the name identifies no collective.
func named(n *node) bool {
	kind, known := torch.Collective(n.name)
	for i, c := range collectives {
		if known && c.kind == kind {
			n.collective = uint64(i)
			return true
		}
	}
	return false
}

// Faults implements trace.TaskStream.
func (s *stream) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.TaskStream.
func (s *stream) Recorded() int64 {
	const picoseconds = 1_000_000
	return int64(min(s.latest-s.first, maxMicroseconds)) * picoseconds
}

// Events implements trace.TaskStream.
func (s *stream) Events() int64 { return s.tasks }
