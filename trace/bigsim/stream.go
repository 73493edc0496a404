package bigsim

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"fabricast/trace"
)

// stream converts the execution blocks of a PE to tasks. A block becomes a computation that sends
// messages. If a message started the block, a receive task precedes the computation.
type stream struct {
	graph  *graph
	logs   *logs
	rank   int32
	began  bool    // the region of interest has started
	over   bool    // the region of interest has ended
	tasks  int64   // number of tasks yielded
	first  int32   // ID of the first execution block in the region of interest
	blocks []int64 // by execution block, from ID first: index of its computation task
	held   bool    // the current execution block has been read, and its receive yielded
	names  map[string]string
	faults trace.Faults
	events int64
	ended  error
	// Start of the first execution block and end of the last one, in seconds.
	earliest, latest float64
}

// Faults implements trace.TaskStream.
func (s *stream) Faults() trace.Faults { return s.faults }

// Recorded implements trace.TaskStream.
func (s *stream) Recorded() int64 { return picoseconds(s.latest - s.earliest) }

// Events implements trace.TaskStream.
func (s *stream) Events() int64 { return s.events }

// picoseconds converts seconds to ps; 0 if they are negative or NaN.
func picoseconds(seconds float64) int64 {
	const most = 1 << 61
	if !(seconds > 0) {
		return 0
	}
	return int64(math.Min(math.Round(seconds*1e12), most))
}

// Next implements trace.TaskStream.
func (s *stream) Next(t *trace.Task) error {
	if s.ended == nil && !s.held {
		s.ended = s.read()
	}
	if s.ended != nil {
		return s.ended
	}
	*t = trace.Task{
		After:    t.After[:0],
		Started:  t.Started[:0],
		Before:   t.Before[:0],
		BeforeAt: t.BeforeAt[:0],
		Sends:    t.Sends[:0],
	}
	b := &s.logs.block
	begins := b.pe == 0 && b.message == s.graph.begin // this message has already arrived when the region starts
	if b.pe >= 0 && !begins && !s.held {
		s.held = true
		t.Kind = trace.TaskReceive
		// only the sender's log contains the size
		t.Message = trace.Message{Receive: true, Peer: b.pe, Tag: b.message, Size: maxBytes}
		s.tasks++
		return nil
	}
	if s.ended = s.compute(t, b); s.ended != nil {
		return s.ended
	}
	s.held = false
	s.blocks = append(s.blocks, s.tasks)
	s.tasks++
	return nil
}

// lastBlock is the name of the execution block that ends the region of interest.
const lastBlock = "AMPI_BgSetEndEvent"

// read reads the next execution block in the region of interest. It returns io.EOF after the last
// one.
func (s *stream) read() error {
	for {
		l := s.logs
		b := &l.block
		if s.began && string(b.name) == lastBlock {
			s.over = true
		}
		if l.left == 0 {
			return s.complete()
		}
		at := l.Offset()
		if err := l.next(); err != nil {
			return err
		}
		s.events++
		if !s.began && b.pe == 0 && b.message == s.graph.begin {
			s.began = true
		}
		if !s.began || s.over {
			continue
		}
		switch next := s.first + int32(len(s.blocks)); {
		case len(s.blocks) == 0:
			s.first, s.earliest = b.seqno, b.start
		case b.seqno != next:
			return l.fail(at, "number of the block", fmt.Sprint(b.seqno), fmt.Sprint(next))
		}
		if b.pe >= int32(s.graph.ranks) {
			return l.fail(
				at, fmt.Sprintf("block %d: sender of its message", b.seqno), fmt.Sprint(b.pe),
				fmt.Sprintf("a processing element below %d", s.graph.ranks),
			)
		}
		s.latest = max(s.latest, b.end)
		return nil
	}
}

// complete checks, after the last execution block, that the whole log of the PE has been read and
// that the region of interest has started. It returns io.EOF if so, an error otherwise.
func (s *stream) complete() error {
	l := s.logs
	switch at := l.Offset(); {
	case at != l.end:
		return l.fail(at, "logs", "their last block", fmt.Sprintf("an end at %d", l.end))
	case !s.began:
		return l.fail(
			at, "logs", fmt.Sprintf("no block that message %d of rank 0 starts", s.graph.begin),
			"one, with which the region of interest begins",
		)
	}
	return io.EOF
}

// compute fills in t as the computation task of execution block b.
func (s *stream) compute(t *trace.Task, b *block) error {
	t.Kind, t.Name = trace.TaskCompute, s.name(b.name)
	if s.held {
		t.After = append(t.After, s.tasks-1)
	}
	for _, n := range b.after {
		// The runtime marks some block IDs with a negative sign. Execution blocks before the region
		// of interest are already complete.
		if n = max(n, -n); n < s.first {
			continue
		}
		if i := int(n - s.first); i < len(s.blocks) {
			t.After = append(t.After, s.blocks[i])
			continue
		}
		return s.fail("block before it", fmt.Sprint(n), fmt.Sprintf("a number below %d", b.seqno))
	}
	switch {
	case runtimeName(t.Name):
	case b.lasts < 0:
		s.faults.NegativeTimes++
	default:
		t.Duration = picoseconds(b.lasts)
	}
	for i := range b.messages {
		if err := s.send(t, b, &b.messages[i]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(
		t.Sends,
		func(a, b trace.OffsetSend) int { return int(min(1, max(-1, a.Offset-b.Offset))) },
	)
	return nil
}

// fail returns an error at the current execution block.
func (s *stream) fail(what, found, expected string) error {
	return s.logs.fail(
		s.logs.Offset(), fmt.Sprintf("block %d: %s", s.logs.block.seqno, what), found, expected,
	)
}

// name returns b, the name of an execution block, as a string. Equal names share one string.
func (s *stream) name(b []byte) string {
	if n, found := s.names[string(b)]; found {
		return n
	}
	const most = 256 // maximum number of names to store
	n := string(b)
	if s.names == nil {
		s.names = map[string]string{}
	}
	if len(s.names) < most {
		s.names[n] = n
	}
	return n
}

// runtimeNames holds the names of execution blocks of the runtime system. Their duration is
// communication time, which the simulated network predicts.
var runtimeNames = map[string]bool{
	"msgep": true, "GroupReduce": true, "start-broadcast": true, "split-broadcast": true,
	"end-broadcast": true, "ATAReq_wait": true,
	"RECV_RESUME": true, "SPLIT_RESUME": true, "PROBE_RESUME": true, "IPROBE_RESUME": true,
}

// runtimeName reports whether an execution block with this name is part of the runtime system.
func runtimeName(name string) bool { return runtimeNames[name] || strings.HasPrefix(name, "AMPI_") }

// send adds message m of execution block b to task t, once for each PE that receives it.
func (s *stream) send(t *trace.Task, b *block, m *message) error {
	if m.size < 0 {
		return s.fail("size of a message", fmt.Sprint(m.size), "a number from 0")
	}
	offset := min(picoseconds(m.sent-b.start), t.Duration)
	to := func(pe int) {
		t.Sends = append(
			t.Sends,
			trace.OffsetSend{
				Offset:  offset,
				Message: trace.Message{Peer: int32(pe), Tag: m.number, Size: int64(m.size)},
			},
		)
	}
	const all, allBut = -1, -100
	threads, node, thread := s.graph.threads, int(m.node), int(m.thread)
	from, until := 0, s.graph.ranks // range of PEs that receive the message,
	but, butUntil := 0, 0           // except the PEs in this range
	switch {
	case node == all:
	case node <= allBut && thread >= 0:
		but = (allBut-node)*threads + thread
		butUntil = but + 1
	case node <= allBut:
		but, butUntil = (allBut-node)*threads, (allBut-node+1)*threads
	case node >= 0 && node < s.graph.ranks/threads && thread < threads:
		from, until = node*threads, (node+1)*threads
		if thread >= 0 {
			from, until = node*threads+thread, node*threads+thread+1
		} else if thread <= allBut {
			but = node*threads + allBut - thread
			butUntil = but + 1
		}
	default:
		return s.fail(
			"receiver of a message",
			fmt.Sprintf("thread %d of node %d", thread, node),
			fmt.Sprintf("one of %d nodes with %d threads each", s.graph.ranks/threads, threads),
		)
	}
	const most = 1 << 22 // maximum number of messages of an execution block
	if len(t.Sends)+until-from > most {
		return s.fail(
			"messages",
			fmt.Sprintf("more than %d", len(t.Sends)), fmt.Sprintf("up to %d of a block", most),
		)
	}
	for pe := from; pe < until; pe++ {
		if pe < but || pe >= butUntil {
			to(pe)
		}
	}
	return nil
}
