package training

import (
	"fabricast/internal/snapshot"
	"fabricast/mpi"
	"fabricast/node"
)

var (
	_ node.Stateful = (*rank)(nil)
	_ node.Placed   = (*rank)(nil)
)

// rank is the program of one rank: two streams of operations, each in its order.
type rank struct {
	*crew
	script *script
	id     int
	state
}

// state is everything that changes while a rank runs.
type state struct {
	step, pass, op int32 // place of the first stream; op is -1 before the message of the pass
	next           int32 // place of the second stream
	posted         int32 // passes whose receive has been posted
	sends          int32 // messages of the pipeline that have not left
	exchanges      int32 // messages of a context exchange in progress
	signals, marks int32 // given, and not taken by the other stream
	since          int64 // ps: from when on the first stream waits; -1: it does not
	flows          [streams]mpi.Flow
	begun          [streams]bool // a collective of the stream is in progress
	lanes          [lanes]int32  // the op of a lane's collective in the body, from 1 on; 0: none
	arrived        [2]bool       // the message of a pass, even or odd, has arrived
	timing         bool          // the first stream computes beside the second one
	asked          bool
	sentOff        bool // the message of the pass has been sent
}

// Streams of collectives: those for which the first stream of operations waits, those of the second
// one, and those of each lane.
const (
	firstStream = iota
	secondStream
	laneStream
	streams = laneStream + lanes
)

// Words of watched requests. Those of collectives are the number of their stream.
const (
	wordTimer = streams + iota
	wordSend
	wordExchange
	wordReceive // of an even pass; that of an odd one is one more
)

// start returns the program of a rank.
func (c *crew) start(id int) node.Program {
	r := &rank{crew: c, id: id, script: c.scripts[c.layout.stageOf(id)]}
	r.op, r.since = -1, -1
	return r
}

// Resume implements node.Program.
func (r *rank) Resume(ops *node.Ops) {
	if r.asked {
		r.completed(ops.Word())
	}
	for ops.Fits(mpi.Ready) && !ops.Behind() {
		first := r.advance(ops)
		second := r.advanceBeside(ops)
		lanes := r.advanceLanes(ops)
		switch {
		case first || second || lanes || r.stopped():
			continue
		case int(r.step) == r.steps && r.sends == 0:
			ops.Exit()
			return
		}
		r.asked = true
		if ops.WaitNext() {
			return
		}
		r.completed(ops.Word())
	}
}

// stopped reports whether a collective has stopped because its operations do not fit into this call
// of Resume.
func (r *rank) stopped() bool {
	for i := range r.state.flows {
		if r.begun[i] && !r.state.flows[i].Waits() {
			return true
		}
	}
	return false
}

// completed handles the completion of a watched request.
func (r *rank) completed(word uint32) {
	r.asked = false
	switch {
	case word&mpi.OfFlow != 0:
		r.crew.flows.Completed(&r.state.flows[r.crew.flows.Owner(word)], word)
	case word == wordTimer:
		r.timing = false
	case word == wordSend:
		r.sends--
	case word == wordExchange:
		r.exchanges--
	default:
		r.arrived[word-wordReceive] = true
	}
}

// advance carries out the next operation of the first stream, and reports whether it has.
func (r *rank) advance(ops *node.Ops) bool {
	if int(r.step) == r.steps {
		return false
	}
	p := &r.script.passes[r.pass]
	b := r.script.bodies[p.body]
	switch {
	case r.op < 0:
		return r.receive(ops, p)
	case int(r.op) < len(b):
		if !r.carry(ops, &b[r.op]) {
			return false
		}
		r.op++
		return true
	}
	if p.to != nobody && !r.sentOff {
		r.sentOff = true
		r.send(ops, r.peer(int(p.to)), int(p.out), r.sent, wordSend, &r.sends)
	}
	if r.awaits && r.sends > 0 {
		r.wait(ops)
		return false
	}
	r.waited(ops, Pipeline)
	r.sentOff = false
	r.op = -1
	if r.pass++; int(r.pass) == len(r.script.passes) {
		r.step, r.pass, r.posted, r.next = r.step+1, 0, 0, 0
	}
	return true
}

// wait notes that the first stream waits from now on.
func (r *rank) wait(ops *node.Ops) {
	if r.since < 0 {
		r.since = ops.Now()
	}
}

// waited adds the time of a wait that is over to those of a dimension.
func (r *rank) waited(ops *node.Ops, d Dimension) {
	if r.since >= 0 {
		ops.Count(exposed+int(d), ops.Now()-r.since)
		r.since = -1
	}
}

// receive waits for the message of a pass, and posts the receive of the next one.
func (r *rank) receive(ops *node.Ops, p *pass) bool {
	r.post(ops, r.pass)
	if p.from != nobody {
		if parity := r.pass & 1; r.arrived[parity] {
			r.arrived[parity] = false
		} else {
			r.wait(ops)
			return false
		}
	}
	r.waited(ops, Pipeline)
	if next := r.pass + 1; int(next) < len(r.script.passes) {
		r.post(ops, next)
	}
	r.op = 0
	return true
}

// post posts the receive of a pass, unless that has been done.
func (r *rank) post(ops *node.Ops, number int32) {
	if r.posted > number {
		return
	}
	r.posted = number + 1
	if p := &r.script.passes[number]; p.from != nobody {
		q := r.world(ops).Irecv(mpi.Size(int(r.sent)), r.peer(int(p.from)), int(p.in))
		ops.Watch(q, uint32(wordReceive+number&1))
	}
}

// world returns the communicator of all ranks.
func (r *rank) world(ops *node.Ops) *mpi.Comm {
	r.groups.SetPlain(&r.comm, r.crew.flows.Rank(ops), 0)
	return &r.comm
}

// peer returns the rank at the same place of another stage.
func (r *rank) peer(stage int) int {
	each := r.layout.tensor * r.layout.replicas
	return stage*each + r.id%each
}

// send sends a message, and counts it until it has left.
func (r *rank) send(ops *node.Ops, to, tag int, bytes int64, word uint32, open *int32) {
	q := r.world(ops).Isend(mpi.Size(int(bytes)), to, tag)
	if !ops.Settle(q) {
		ops.Watch(q, word)
		*open++
	}
}

// carry carries out an operation of the first stream, and reports whether it is over.
func (r *rank) carry(ops *node.Ops, o *op) bool {
	switch o.action {
	case compute:
		return r.compute(ops, r.script.of(o, r.layout.placeOf(r.id)))
	case communicate:
		if !r.begun[firstStream] {
			r.wait(ops)
		}
		if !r.collective(ops, o, firstStream) {
			return false
		}
	case begin:
		r.lanes[o.lane] = r.op + 1
	case finish:
		if r.lanes[o.lane] > 0 {
			r.wait(ops)
			return false
		}
	case exchange:
		r.exchange(ops, o.n)
	case awaitExchange:
		if r.exchanges > 0 {
			r.wait(ops)
			return false
		}
	case signal:
		r.signals++
	case await:
		if r.marks == 0 {
			r.wait(ops)
			return false
		}
		r.marks--
	}
	r.waited(ops, o.dimension)
	return true
}

// compute computes for d ps. Beside a collective of the second stream the rank remains responsive.
func (r *rank) compute(ops *node.Ops, d int64) bool {
	switch {
	case r.timing:
		return false
	case r.since >= 0: // the timer has run out
		r.since = -1
		return true
	}
	ops.Count(computed, d)
	if int(r.next) == len(r.script.beside) && r.lanes == [lanes]int32{} {
		r.crew.flows.Rank(ops).Compute(mpi.Duration(d))
		return true
	}
	q := ops.Timer(d)
	ops.Watch(q, wordTimer)
	r.timing, r.since = true, ops.Now()
	return false
}

// exchange sends keys and values to the next context rank and receives those of the one before.
func (r *rank) exchange(ops *node.Ops, bytes int64) {
	stride, n := r.layout.tensor, r.contexts
	at := r.id / stride % n
	base := r.id - at*stride
	const tag = 1 << 20
	q := r.world(ops).Irecv(mpi.Size(int(bytes)), base+(at+n-1)%n*stride, tag)
	ops.Watch(q, wordExchange)
	r.exchanges++
	r.send(ops, base+(at+1)%n*stride, tag, bytes, wordExchange, &r.exchanges)
}

// collective carries out a collective of a stream, and reports whether it is over.
func (r *rank) collective(ops *node.Ops, o *op, stream int) bool {
	f := &r.state.flows[stream]
	if r.begun[stream] && f.Waits() {
		return false
	}
	if !r.begun[stream] || !f.Ended() {
		group := r.first[o.family] + r.layout.groupOf(o.family, r.id)
		if stream == laneStream+1 {
			group += r.apart
		}
		r.groups.SetComm(&r.comm, r.crew.flows.Rank(ops), group)
		r.begun[stream] = true
		r.crew.flows.Resume(ops, f, uint32(stream), func(*mpi.Rank) { r.carryOut(r, o) })
	}
	if !f.Ended() {
		return false
	}
	*f, r.begun[stream] = mpi.Flow{}, false
	return true
}

// advanceBeside carries out the next operation of the second stream, and reports whether it has.
func (r *rank) advanceBeside(ops *node.Ops) bool {
	if int(r.next) == len(r.script.beside) || int(r.step) == r.steps || !ops.Fits(mpi.Ready) || ops.Behind() {
		return false
	}
	switch o := &r.script.beside[r.next]; o.action {
	case expect:
		if r.signals == 0 {
			return false
		}
		r.signals--
	case communicate:
		if !r.collective(ops, o, secondStream) {
			return false
		}
	case mark:
		r.marks++
	}
	r.next++
	return true
}

// advanceLanes continues the collectives of all lanes, and reports whether one is over.
func (r *rank) advanceLanes(ops *node.Ops) (over bool) {
	for lane, op := range r.lanes {
		if op == 0 || !ops.Fits(mpi.Ready) || ops.Behind() {
			continue
		}
		body := r.script.bodies[r.script.passes[r.pass].body]
		if r.collective(ops, &body[op-1], laneStream+lane) {
			r.lanes[lane] = 0
			over = true
		}
	}
	return over
}

// Restored implements node.Placed.
func (r *rank) Restored(w *node.World) { r.groups.Settle(w) }

// State implements node.Stateful. What the ranks of a block share is saved with the first of them.
func (r *rank) State(v *snapshot.Visitor) {
	if v.Once(r.crew) {
		r.crew.flows.State(v)
	}
	snapshot.Value(v, &r.state)
}
