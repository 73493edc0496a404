package convert

import (
	"bufio"
	"fmt"

	"fabricast/collective"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/trace"
)

const goalName = "GOAL"

// picosecondsPerNanosecond converts times to GOAL's unit, the nanosecond.
const picosecondsPerNanosecond = 1000

// recordsAsGOAL writes the records of t as GOAL tasks. Each task depends on the operations that the
// rank has last waited for. Collectives are written as the messages of their default algorithms.
func recordsAsGOAL(w *bufio.Writer, t trace.Source, k *kept) error {
	fmt.Fprintf(w, "num_ranks %d\n", t.Ranks())
	sizes, anyTag, offset := newSentSizes(t, k), -1, false
	for rank := range t.Ranks() {
		fmt.Fprintf(w, "rank %d {\n", rank)
		g := goalRank{
			out: w, rank: rank, ranks: t.Ranks(), groups: t.Groups(), requests: map[uint64]int{},
			sizes: sizes, seen: newSeen(), wild: map[inbox]bool{},
		}
		if err := k.each(rank, g.record); err != nil {
			return err
		}
		if g.err != nil {
			return g.err
		}
		if g.anyTag && anyTag < 0 {
			anyTag = rank
		}
		offset = offset || g.offset
		k.dropped.AsTasks += g.received
		if g.rounded {
			k.dropped.Rounded++
		}
		fmt.Fprint(w, "}\n")
	}
	if anyTag >= 0 && offset {
		return &Error{Format: goalName, Rank: anyTag, What: "a receive of any tag beside collectives and " +
			"other communicators, whose messages it would take"}
	}
	return nil
}

// goalRank writes the tasks of one rank.
type goalRank struct {
	out      *bufio.Writer
	rank     int
	ranks    int
	groups   [][]int32
	tasks    int            // number of tasks so far
	after    []int          // tasks that must end before the next one starts
	started  int            // task that must start before the next one starts; 0: none
	requests map[uint64]int // task of each request that is not yet waited for
	rest     int64          // ps of computation not yet written, less than 1 ns
	sizes    *sentSizes
	seen     *seen
	wild     map[inbox]bool // communicators in which the rank has receives from any source or with any tag
	received int64          // number of receives so far
	rounded  bool           // a fraction of a nanosecond was moved to a later computation, or lost
	anyTag   bool           // the rank has receives with any tag
	// the rank has messages of collectives or of communicators other than the world
	offset bool
	err    error
}

// task writes a task and its dependencies, and returns the ID of the task. format and args describe
// its action.
func (g *goalRank) task(format string, args ...any) int {
	g.tasks++
	fmt.Fprintf(g.out, "l%d: ", g.tasks)
	fmt.Fprintf(g.out, format, args...)
	fmt.Fprintln(g.out)
	for _, d := range g.after {
		fmt.Fprintf(g.out, "l%d requires l%d\n", g.tasks, d)
	}
	if g.started != 0 {
		fmt.Fprintf(g.out, "l%d irequires l%d\n", g.tasks, g.started)
	}
	g.started = g.tasks
	return g.tasks
}

// then makes the next task depend only on the ends of the given tasks.
func (g *goalRank) then(tasks ...int) {
	g.after = append(g.after[:0], tasks...)
	g.started = 0
}

func (g *goalRank) record(r *trace.Record) error {
	switch r.Kind {
	case trace.Compute, trace.Software:
		g.rest += r.Duration
		if ns := g.rest / picosecondsPerNanosecond; ns > 0 {
			g.rest -= ns * picosecondsPerNanosecond
			g.then(g.task("calc %d", ns))
		}
		g.rounded = g.rounded || g.rest != 0
	case trace.Beside:
		g.rounded = g.rounded || r.Duration%picosecondsPerNanosecond != 0
		g.requests[r.Message.Request] = g.task("calc %d cpu 1", r.Duration/picosecondsPerNanosecond)
	case trace.Send, trace.Receive:
		g.then(g.message(&r.Message))
	case trace.Start:
		g.requests[r.Message.Request] = g.message(&r.Message)
	case trace.Exchange:
		g.then(g.message(&r.Other), g.message(&r.Message))
	case trace.Wait:
		for _, id := range r.Requests {
			if task, known := g.requests[id]; known {
				g.after = append(g.after, task)
				delete(g.requests, id)
			}
		}
	case trace.Collective:
		g.collective(&r.Call)
	case trace.Probe, trace.Cancel, trace.Put, trace.Get, trace.Test:
		g.fail("a probe, a test, a receive that is taken back, a put or a get")
	}
	return g.err
}

func (g *goalRank) fail(what string) {
	if g.err == nil {
		g.err = &Error{Format: goalName, Rank: g.rank, What: what}
	}
}

// message writes a send or receive, and returns the ID of its task.
func (g *goalRank) message(m *trace.Message) int {
	tag, ok := plainTag(m)
	if !ok {
		g.fail(fmt.Sprintf("tag %d of communicator %d", m.Tag, m.Group))
	}
	g.offset = g.offset || tag >= 1<<tagBits
	if !m.Receive {
		return g.task("send %db to %d tag %d", m.Size, m.Peer, tag)
	}
	g.received++
	return g.task("recv %db from %d tag %d", g.receiveSize(m), m.Peer, tag)
}

// receiveSize returns the size of the receive m. If the trace does not contain it, receiveSize
// returns the size of the matching send.
func (g *goalRank) receiveSize(m *trace.Message) int64 {
	c := channelOf(int32(g.rank), m)
	in := inbox{c.dst, c.group, c.context}
	n := g.seen.taken[c]
	g.seen.taken[c]++
	if wildcard(m) {
		g.anyTag = g.anyTag || m.Tag == trace.Any
		g.wild[in] = true
	}
	if m.Size < ofAnySize {
		return m.Size
	}
	size, known := g.sizes.of(c, n)
	if !known || g.wild[in] {
		g.fail("a receive of any size whose message is not known, as one of a put, or behind one from any source")
	}
	return size
}

// collective writes the rank's messages in the collective o.
func (g *goalRank) collective(o *trace.Operation) {
	members, me := g.groups[o.Group], g.rank
	if members != nil {
		me = -1
		for i, rank := range members {
			if int(rank) == g.rank {
				me = i
			}
		}
	}
	if me < 0 {
		g.fail("a collective of a group that the rank is not in")
		return
	}
	replay.CarryOut(&goalComm{g, o.Group, members, me}, o)
}

// goalComm implements collective.Comm: it writes each call as a GOAL task. The ID of a request is
// the ID of its task.
type goalComm struct {
	*goalRank
	group   int32
	members []int32
	me      int
}

var _ collective.Comm = (*goalComm)(nil)

func (c *goalComm) Rank() int { return c.me }

func (c *goalComm) Size() int {
	if c.members == nil {
		return c.ranks
	}
	return len(c.members)
}

func (c *goalComm) Round(k, _ int) int { return k }

// end writes a send or receive of a collective, and returns the ID of its task.
func (c *goalComm) end(buf node.Buf, peer, tag int, receive bool) int {
	if c.members != nil {
		peer = int(c.members[peer])
	}
	return c.message(&trace.Message{
		Receive: receive, Peer: int32(peer), Tag: int32(tag), Group: c.group,
		Size: int64(buf.Len()), Options: trace.MessageOptions{Context: 1},
	})
}

func (c *goalComm) Isend(buf node.Buf, dst, tag int) node.Request {
	return node.Request{ID: uint32(c.end(buf, dst, tag, false))}
}

func (c *goalComm) Irecv(buf node.Buf, src, tag int) node.Request {
	return node.Request{ID: uint32(c.end(buf, src, tag, true))}
}

func (c *goalComm) Wait(r node.Request) node.Status {
	c.after = append(c.after, int(r.ID))
	return node.Status{}
}

func (c *goalComm) WaitAll(rs []node.Request) {
	for _, r := range rs {
		c.after = append(c.after, int(r.ID))
	}
}

func (c *goalComm) Send(buf node.Buf, dst, tag int) { c.then(c.end(buf, dst, tag, false)) }

func (c *goalComm) Recv(buf node.Buf, src, tag int) node.Status {
	c.then(c.end(buf, src, tag, true))
	return node.Status{}
}

func (c *goalComm) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	c.then(c.end(recv, src, rtag, true), c.end(send, dst, stag, false))
	return node.Status{}
}
