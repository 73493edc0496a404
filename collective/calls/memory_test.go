package calls_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"fabricast/collective"
	"fabricast/node"
)

// memory is a world of ranks that exchange messages through memory, without a
// network and without time. Its ranks are coroutines resumed in random order,
// so that a deadlock is noticed and a failure can be repeated.
type memory struct {
	size     int
	layout   *collective.Layout // nil: nothing is known
	queues   map[flow]*queue
	messages int
	bytes    int
	moved    bool // some rank went on in this pass
}

type flow struct{ src, dst, tag int }

// queue holds the messages of a flow; receive number n gets message number n.
type queue struct {
	sent   []node.Buf
	posted int
}

// memoryComm is one rank's communicator.
type memoryComm struct {
	*memory
	rank    int
	pending []receive // request n+1 is pending[n]
	yield   func(struct{}) bool
}

type receive struct {
	flow
	buf    node.Buf
	number int
}

// errStopped unwinds the coroutines that are left when a run has failed.
var errStopped = errors.New("stopped")

// run runs a program on every rank to its end.
func run(size int, seed uint64, program func(c collective.Comm)) (*memory, error) {
	return runOn(nil, size, seed, program)
}

// runOn is like run on a machine.
func runOn(l *collective.Layout, size int, seed uint64, program func(c collective.Comm)) (*memory, error) {
	m := &memory{size: size, layout: l, queues: map[flow]*queue{}}
	random := rand.New(rand.NewPCG(seed, 0))
	resume := make([]func() (struct{}, bool), size)
	for r := range size {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			defer func() {
				if v := recover(); v != nil && v != errStopped {
					panic(v)
				}
			}()
			program(&memoryComm{memory: m, rank: r, yield: yield})
		})
		defer stop()
		resume[r] = next
	}
	for len(resume) > 0 {
		m.moved = false
		random.Shuffle(len(resume), func(i, j int) { resume[i], resume[j] = resume[j], resume[i] })
		resume = m.pass(resume)
		if !m.moved {
			return nil, fmt.Errorf("deadlock: %d of %d ranks wait", len(resume), size)
		}
	}
	return m, m.drained()
}

// pass resumes every rank once and returns those that have not ended.
func (m *memory) pass(resume []func() (struct{}, bool)) (left []func() (struct{}, bool)) {
	for _, next := range resume {
		if _, waits := next(); waits {
			left = append(left, next)
		} else {
			m.moved = true
		}
	}
	return left
}

// drained checks that every message has been received.
func (m *memory) drained() error {
	for f, q := range m.queues {
		if len(q.sent) != q.posted {
			return fmt.Errorf("from %d to %d: %d messages, %d receives", f.src, f.dst, len(q.sent), q.posted)
		}
	}
	return nil
}

func (m *memory) queue(f flow) *queue {
	q := m.queues[f]
	if q == nil {
		q = &queue{}
		m.queues[f] = q
	}
	return q
}

func (c *memoryComm) Rank() int { return c.rank }
func (c *memoryComm) Size() int { return c.size }

func (c *memoryComm) Layout() *collective.Layout { return c.layout }

func (c *memoryComm) Round(k, _ int) int { return k }

func (c *memoryComm) Isend(buf node.Buf, dst, tag int) node.Request {
	if dst < 0 || dst >= c.size || dst == c.rank {
		panic(fmt.Sprintf("rank %d sends to %d", c.rank, dst))
	}
	c.moved = true
	c.messages++
	c.bytes += buf.Len()
	if buf.HasData() {
		buf = node.Data(append([]byte{}, buf.Bytes()...))
	}
	q := c.queue(flow{c.rank, dst, tag})
	q.sent = append(q.sent, buf)
	return node.Request{}
}

func (c *memoryComm) Irecv(buf node.Buf, src, tag int) node.Request {
	f := flow{src, c.rank, tag}
	q := c.queue(f)
	c.pending = append(c.pending, receive{f, buf, q.posted})
	q.posted++
	return node.Request{ID: uint32(len(c.pending))}
}

func (c *memoryComm) Wait(r node.Request) node.Status {
	if r.ID == 0 {
		return node.Status{}
	}
	p := c.pending[r.ID-1]
	q := c.queue(p.flow)
	for p.number >= len(q.sent) {
		if !c.yield(struct{}{}) {
			panic(errStopped)
		}
	}
	c.moved = true
	got := q.sent[p.number]
	if got.Len() != p.buf.Len() {
		panic(fmt.Sprintf("rank %d expects %d bytes from %d, got %d", c.rank, p.buf.Len(), p.src, got.Len()))
	}
	copy(p.buf.Bytes(), got.Bytes())
	return node.Status{Source: p.src, Tag: p.tag, Size: got.Len()}
}

func (c *memoryComm) WaitAll(rs []node.Request) {
	for _, r := range rs {
		c.Wait(r)
	}
}

func (c *memoryComm) Send(buf node.Buf, dst, tag int) { c.Wait(c.Isend(buf, dst, tag)) }

func (c *memoryComm) Recv(buf node.Buf, src, tag int) node.Status {
	return c.Wait(c.Irecv(buf, src, tag))
}

func (c *memoryComm) Sendrecv(send node.Buf, dst, stag int, recv node.Buf, src, rtag int) node.Status {
	r := c.Irecv(recv, src, rtag)
	c.Isend(send, dst, stag)
	return c.Wait(r)
}
