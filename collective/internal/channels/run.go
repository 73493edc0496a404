package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Run carries out the programs of a rank in a collective with a tag. Each runs at its own pace if
// the communicator has threads, and otherwise one step after another. of returns the programs of the
// rank of a setting.
func (s *Setting) Run(c collective.Comm, of func(*Setting) []Program, op *collective.Op, tag int) {
	programs := of(s)
	t, threaded := c.(collective.Threaded)
	if !threaded || !t.Threads() {
		s.inOrder(c, programs, op, tag)
		return
	}
	x := executor{Setting: s, c: t, op: op, tag: tag, keys: keys(programs), threads: make([]thread, len(programs))}
	start := t.Clock() + s.launch*nanosecond
	x.ends = start
	for i := range programs {
		x.threads[i] = thread{Program: &programs[i], free: start}
	}
	x.threads = append(x.threads, s.hops(of)...)
	for i := range x.threads {
		x.resume(i)
	}
	for len(x.open)+len(x.ready) > 0 {
		if last := len(x.ready) - 1; last >= 0 {
			i := x.ready[last]
			x.ready = x.ready[:last]
			x.resume(i)
			continue
		}
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
	in      []arrival
	parked  bool // the step waits for another program
	paused  bool // the stream waits for its next segment's time
	flow    flow // of a stream
	hop     *hop // nil unless it passes on messages of another rank
}

// arrival is what a step receives from a rank.
type arrival struct {
	buf node.Buf
	of  Part
}

// executor carries out the programs of a rank that has threads. Each thread receives the data of a
// step, works on it, and sends it after the latency of a step; it works on the next step meanwhile.
type executor struct {
	*Setting
	c       collective.Threaded
	op      *collective.Op
	tag     int
	keys    []int // of the programs of the rank
	threads []thread
	open    []node.Request // incomplete requests
	owners  []owner        // of each
	ready   []int          // threads that need not be parked any more
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
	stores           // of data, which a flag follows, or that another rank passes on
	sends
	times
	collects // of a stream
	pauses
	forwards // what another rank has sent
)

// sending is a message whose time has not come.
type sending struct {
	buf     node.Buf
	to      int32
	purpose purpose
	tag     int
}

func (x *executor) add(r node.Request, o owner) {
	x.open, x.owners = append(x.open, r), append(x.owners, o)
}

// begin starts the current step of a thread, and all further ones that need not wait.
func (x *executor) begin(i int) {
	t := &x.threads[i]
	for t.at < t.Steps {
		m := t.Step(t.at)
		if x.parks(i, m.After) {
			return
		}
		t.in, t.missing = t.in[:0], 0
		for _, from := range m.From {
			near := x.places.Together(x.rank, int(from))
			of, ok := m.received(near)
			if !ok {
				continue
			}
			buf := steps.Scratch(x.Protocol.Wire(of.N), t.Acc)
			t.in = append(t.in, arrival{buf, of})
			by, tag := x.origin(from, t.Channel)
			x.receive(i, buf, by, tag)
			if near && x.flagged(of.N) {
				x.receive(i, steps.Scratch(0, t.Acc), from, collective.FlagTag(x.tag, t.Channel))
			}
		}
		if t.missing > 0 || !x.work(i, &m) {
			return
		}
	}
}

// receive starts to receive something that the current step of a thread waits for.
func (x *executor) receive(i int, buf node.Buf, from int32, tag int) {
	x.threads[i].missing++
	x.add(x.c.Irecv(buf, int(from), tag), owner{thread: int32(i)})
}

// work does the work of a step whose data has come, and plans its messages. It returns false if too
// many of the thread's messages are on their way.
func (x *executor) work(i int, m *Step) bool {
	t := &x.threads[i]
	if t.waits = len(m.To) > 0 && t.flying >= stepsInFlight*len(m.To); t.waits {
		return false
	}
	take(t.Program, m, t.in, x.op)
	begins := max(t.free, x.c.Clock())
	t.free = begins + x.busy(m) + 1 // so that messages keep their order
	x.ends = max(x.ends, t.free)
	for _, to := range m.To {
		x.plan(i, m, to, begins)
	}
	x.complete(i, 1)
	return true
}

// resume goes on with a thread.
func (x *executor) resume(i int) {
	switch t := &x.threads[i]; {
	case t.hop != nil:
		x.carry(i)
	case t.Stream != nil:
		x.pump(i)
	default:
		x.begin(i)
	}
}

// parks reports whether a step of a thread has to wait for another one, which then wakes it. Work begins
// when that of the other one has ended.
func (x *executor) parks(i int, after After) bool {
	if after.Steps == 0 {
		return false
	}
	t, other := &x.threads[i], &x.threads[after.Program]
	if t.parked = other.at < after.Steps; t.parked {
		return true
	}
	if other.Stream == nil {
		t.free = max(t.free, other.free)
	}
	return false
}

// complete counts complete steps of a thread, and wakes those that may wait for them.
func (x *executor) complete(i, n int) {
	if n == 0 {
		return
	}
	x.threads[i].at += n
	for k := range x.threads {
		if t := &x.threads[k]; t.parked {
			t.parked = false
			x.ready = append(x.ready, k)
		}
	}
}

// plan plans the messages to another rank of a step that begins at a time (ps). Data leaves when all of
// it is in a buffer. But threads store directly into the memory of a GPU of the same node: by Simple, data
// passes the network while they work, and a flag follows in the end.
func (x *executor) plan(i int, m *Step, to int32, begins int64) {
	t, near := &x.threads[i], x.places.Together(x.rank, int(to))
	of, ok := m.sent(near)
	if !ok {
		return
	}
	t.flying++
	data := sending{x.Protocol.packed(t.Acc.Slice(of.At, of.N)), to, sends, collective.ChannelTag(x.tag, t.Channel)}
	if by, ok := x.places.relay(x.rank, int(to)); ok {
		x.pass(i, by, data.buf, of.N, begins)
		return
	}
	if near && x.flagged(of.N) {
		data.purpose = stores
		x.at(i, data, begins)
		data = sending{steps.Scratch(0, t.Acc), to, sends, collective.FlagTag(x.tag, t.Channel)}
	}
	x.at(i, data, t.free+x.delay(int(to)))
}

// at sends a message at a time (ps).
func (x *executor) at(i int, s sending, time int64) {
	x.add(x.c.Timer(max(0, time-x.c.Clock())), owner{int32(i), times, &s})
}

// send sends a message: between nodes that are no networks, by the NIC of the channel.
func (x *executor) send(i int32, s *sending) {
	channel, o := x.threads[i].Channel, owner{thread: i, purpose: s.purpose}
	if x.places.networked {
		x.add(x.c.Isend(s.buf, int(s.to), s.tag), o)
		return
	}
	x.add(x.c.IsendBy(s.buf, int(s.to), s.tag, channel%x.c.NICs()), o)
}

// flagged reports whether n bytes to a rank of the same node have a flag of their own: those of Simple
// that the threads of a channel do not store at once.
func (s *Setting) flagged(n int) bool {
	return s.Protocol == Simple && n > s.Protocol.threads()*storeSize
}

// storeSize is the number of bytes that a thread stores at once.
const storeSize = 16

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
		x.send(o.thread, o.send)
		return
	case stores:
		return
	case collects:
		x.collected(i)
		return
	case pauses:
		t.paused = false
		x.pump(i)
		return
	case forwards:
		x.free(i)
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
		if t.hop != nil {
			x.carried(i)
			return
		}
	}
	if m := t.Step(t.at); x.work(i, &m) {
		x.begin(i)
	}
}

// take puts what has been received for a step in its place, or combines it with what is there.
func take(p *Program, m *Step, in []arrival, op *collective.Op) {
	if !p.Acc.HasData() {
		return
	}
	for _, a := range in {
		if a.of.N == 0 {
			continue
		}
		acc := p.Acc.Slice(a.of.At, a.of.N).Bytes()
		if m.Combine {
			op.Combine(acc, a.buf.Bytes()[:a.of.N])
		} else {
			copy(acc, a.buf.Bytes())
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
