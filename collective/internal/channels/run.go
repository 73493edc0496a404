package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Run carries out the programs of a rank in a collective with a tag. Each runs at its own pace if
// the communicator has threads, and otherwise one step after another.
func (s *Setting) Run(c collective.Comm, programs []Program, op *collective.Op, tag int) {
	t, threaded := c.(collective.Threaded)
	if !threaded || !t.Threads() {
		s.inOrder(c, programs, op, tag)
		return
	}
	x := executor{Setting: s, c: t, op: op, tag: tag, threads: make([]thread, len(programs))}
	start := t.Clock() + s.launch*nanosecond
	x.ends = start
	for i := range programs {
		x.threads[i] = thread{Program: &programs[i], free: start}
		x.begin(i)
	}
	for len(x.open) > 0 {
		x.next()
	}
	if left := x.ends - t.Clock(); left > 0 {
		t.Spend(left)
	}
}

// thread is a program that is carried out.
type thread struct {
	*Program
	at      int   // the current step
	missing int   // receives and timers that the step waits for
	flying  int   // sends that are not complete
	free    int64 // ps: when the threads have ended the work before
	waits   bool  // the step waits for earlier sends
	in      []node.Buf
}

// executor carries out the programs of a rank that has threads. Each thread receives the data of a
// step, works on it, and sends it after the latency of a step; it works on the next step meanwhile.
type executor struct {
	*Setting
	c       collective.Threaded
	op      *collective.Op
	tag     int
	threads []thread
	open    []node.Request // incomplete requests
	owners  []owner        // of each
	ends    int64          // ps: when all work will have ended
}

// owner says what a request is for.
type owner struct {
	thread  int32
	purpose purpose
	send    *sending
}

type purpose int8

const (
	receives purpose = iota
	sends
	times
)

// sending is a message whose time has not come.
type sending struct {
	buf node.Buf
	to  int32
}

func (x *executor) add(r node.Request, o owner) {
	x.open, x.owners = append(x.open, r), append(x.owners, o)
}

// begin starts the current step of a thread, and all further ones that need not wait.
func (x *executor) begin(i int) {
	t := &x.threads[i]
	for t.at < t.Steps {
		m := t.Step(t.at)
		t.in = t.in[:0]
		for _, from := range m.From {
			buf := steps.Scratch(x.Protocol.Wire(m.N), t.Acc)
			t.in = append(t.in, buf)
			x.add(x.c.Irecv(buf, int(from), collective.ChannelTag(x.tag, t.Channel)), owner{thread: int32(i)})
		}
		if t.missing = len(m.From); t.missing > 0 || !x.work(i, &m) {
			return
		}
	}
}

// work does the work of a step whose data has come, and plans its messages. It returns false if too
// many of the thread's messages are on their way.
func (x *executor) work(i int, m *Step) bool {
	t := &x.threads[i]
	if t.waits = len(m.To) > 0 && t.flying >= stepsInFlight*len(m.To); t.waits {
		return false
	}
	take(t.Program, m, t.in, x.op)
	now := x.c.Clock()
	t.free = max(t.free, now) + x.busy(m) + 1 // so that messages keep their order
	x.ends = max(x.ends, t.free)
	for _, to := range m.To {
		t.flying++
		send := &sending{x.Protocol.packed(t.Acc.Slice(m.At, m.N)), to}
		x.add(x.c.Timer(t.free+x.delay(int(to))-now), owner{int32(i), times, send})
	}
	t.at++
	return true
}

// busy returns the time (ps) that a channel takes for a step.
func (s *Setting) busy(m *Step) int64 {
	moves := int64(m.N) * 1000000 / s.rate
	if len(m.To) > 0 {
		moves += s.each * nanosecond
	}
	return moves
}

// nanosecond is one in ps.
const nanosecond = 1000

// delay returns the latency (ps) of a step to another rank, besides that of the network.
func (s *Setting) delay(to int) int64 {
	if s.places.Together(s.rank, to) {
		return s.inside * nanosecond
	}
	return s.between * nanosecond
}

// next waits for a request and continues its thread.
func (x *executor) next() {
	k := x.c.Any(x.open)
	o, last := x.owners[k], len(x.open)-1
	x.open[k], x.owners[k] = x.open[last], x.owners[last]
	x.open, x.owners = x.open[:last], x.owners[:last]
	i := int(o.thread)
	t := &x.threads[i]
	switch o.purpose {
	case times:
		tag := collective.ChannelTag(x.tag, t.Channel)
		var q node.Request
		if x.places.networked {
			q = x.c.Isend(o.send.buf, int(o.send.to), tag)
		} else {
			q = x.c.IsendBy(o.send.buf, int(o.send.to), tag, t.Channel%x.c.NICs())
		}
		x.add(q, owner{thread: o.thread, purpose: sends})
		return
	case sends:
		t.flying--
		if !t.waits {
			return
		}
	case receives:
		if t.missing--; t.missing > 0 {
			return
		}
	}
	if m := t.Step(t.at); x.work(i, &m) {
		x.begin(i)
	}
}

// take puts what has been received for a step in its place, or combines it with what is there.
func take(p *Program, m *Step, in []node.Buf, op *collective.Op) {
	if !p.Acc.HasData() || m.N == 0 {
		return
	}
	acc := p.Acc.Slice(m.At, m.N).Bytes()
	for _, b := range in {
		if m.Combine {
			op.Combine(acc, b.Bytes()[:m.N])
		} else {
			copy(acc, b.Bytes())
		}
	}
}

// packed returns data as it is sent: with its flags.
func (p Protocol) packed(data node.Buf) node.Buf {
	wire := p.Wire(data.Len())
	if wire == data.Len() {
		return data
	}
	b := steps.Scratch(wire, data)
	copy(b.Bytes(), data.Bytes())
	return b
}
