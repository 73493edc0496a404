package serving

import (
	"fabricast/internal/snapshot"
	"fabricast/mpi"
	"fabricast/node"
)

var (
	_ node.Stateful = (*rank)(nil)
	_ node.Placed   = (*rank)(nil)
)

// rank is the program of one rank. It works on iterations and, beside that, reads and writes letters.
type rank struct {
	*crew
	id int
	state
	running []sequence // in the instance, in the order of admission
	out     []letter   // that have not been sent
	leader             // of an instance's first rank
}

// state is everything else that changes while a rank runs.
type state struct {
	shape             shape // of the iteration in progress
	part, round, op   int32 // its place in it
	goes, started     int32 // iterations that the leader has announced, and that have begun
	sends, caches     int32 // messages that have not left, and receives of keys and values
	since             int64 // ps: from when on the rank waits; -1: it does not
	flow              mpi.Flow
	begun             bool // a collective is in progress
	timing            bool // a computation is in progress beside which letters are read
	busy, stopped     bool
	open              bool // a receive of a letter is posted
	asked, introduced bool
}

// Words of watched requests. Those of the collective are 0.
const (
	wordFlow = iota
	wordTimer
	wordAlarm
	wordSend
	wordLetter
	wordCache // of request 0; those of other requests follow
)

// start returns the program of a rank.
func (c *crew) start(id int) node.Program {
	r := &rank{crew: c, id: id}
	r.since = -1
	r.leader.reserved = make([]int64, c.expert)
	r.leader.slots = make([]int32, c.expert)
	return r
}

// leads reports whether the rank is the first one of its instance.
func (r *rank) leads() bool { return r.id%(r.tensor*r.expert) == 0 }

func (r *rank) instance() int { return r.instanceOf(r.id) }

// Resume implements node.Program.
func (r *rank) Resume(ops *node.Ops) {
	if r.asked {
		r.completed(ops)
	}
	for ops.Fits(mpi.Ready) && !ops.Behind() {
		switch {
		case r.advance(ops) || r.begun && !r.flow.Waits():
			continue
		case r.stopped && !r.busy && r.sends == 0 && r.caches == 0:
			ops.Exit()
			return
		}
		r.asked = true
		if ops.WaitNext() {
			return
		}
		r.completed(ops)
	}
}

// completed handles the completion of a watched request.
func (r *rank) completed(ops *node.Ops) {
	r.asked = false
	switch word := ops.Word(); {
	case word&mpi.OfFlow != 0:
		r.flows.Completed(&r.flow, word)
	case word == wordTimer:
		r.timing = false
	case word == wordAlarm:
		r.leader.alarm = false
	case word == wordSend:
		r.sends--
	case word == wordLetter:
		r.open = false
		r.read(ops, int(ops.Received().Tag))
	default:
		r.caches--
		r.arrived(ops, int(word-wordCache))
	}
}

// advance does the next thing that can be done, and reports whether there was one.
func (r *rank) advance(ops *node.Ops) bool {
	switch {
	case !r.introduced:
		r.introduce(ops)
		return true
	case len(r.out) > 0:
		l := r.out[0]
		r.out = r.out[:copy(r.out, r.out[1:])]
		r.send(ops, lettersList, int(l.To), int(l.Tag), letterBytes)
		return true
	case !r.open && r.expects():
		q := r.world(ops, lettersList).Irecv(mpi.Size(letterBytes), mpi.AnySource, mpi.AnyTag)
		ops.Watch(q, wordLetter)
		r.open = true
		return true
	case r.busy:
		return r.work(ops)
	case r.started < r.goes:
		r.shape = r.compose(r.running, r.started, r.groupOf(r.id))
		r.started++
		r.part, r.round, r.op = 0, 0, 0
		r.busy = true
		return true
	case r.leads() && !r.stopped:
		return r.decide(ops)
	}
	return false
}

// work carries out the next operation of the iteration, and reports whether it has.
func (r *rank) work(ops *node.Ops) bool {
	parts := r.partsOf(&r.shape)
	if int(r.part) == len(parts) {
		r.busy = false
		r.finish(ops)
		return true
	}
	p := &parts[r.part]
	if int(r.op) < len(p.ops) {
		if !r.carry(ops, &p.ops[r.op]) {
			return false
		}
		r.op++
		return true
	}
	r.op = 0
	if r.round++; int(r.round) >= p.times || len(p.ops) == 0 {
		r.part, r.round = r.part+1, 0
	}
	return true
}

// carry carries out an operation, and reports whether it is over.
func (r *rank) carry(ops *node.Ops, o *op) bool {
	if o.compute > 0 {
		return r.compute(ops, o.compute)
	}
	if r.begun && r.flow.Waits() {
		return false
	}
	if !r.begun {
		r.begun, r.since = true, ops.Now()
	}
	if !r.flow.Ended() {
		r.groups.SetComm(&r.comm, r.flows.Rank(ops), r.groupFor(o.dimension, r.id))
		r.flows.Resume(ops, &r.flow, wordFlow, func(*mpi.Rank) { o.call.On(&r.comm, o.bytes, r.ring) })
		if !r.flow.Ended() {
			return false
		}
	}
	ops.Count(exposed+int(o.dimension), ops.Now()-r.since)
	r.flow, r.begun, r.since = mpi.Flow{}, false, -1
	return true
}

// compute computes for d ps. In pools the rank reads letters at the same time.
func (r *rank) compute(ops *node.Ops, d int64) bool {
	switch {
	case r.timing:
		return false
	case r.since >= 0: // the timer has run out
		r.since = -1
		return true
	}
	ops.Count(computed, d)
	if !r.pooled() {
		r.flows.Rank(ops).Compute(mpi.Duration(d))
		return true
	}
	ops.Watch(ops.Timer(d), wordTimer)
	r.timing, r.since = true, ops.Now()
	return false
}

// finish ends an iteration: sequences have progressed, and some are complete.
func (r *rank) finish(ops *node.Ops) {
	kept := r.running[:0]
	for _, q := range r.running {
		of := &r.requests[q.Request]
		if q.Now == 0 {
			kept = append(kept, q)
			continue
		}
		tokens := int64(q.Now)
		first := q.progress(of)
		over := q.Done == of.Prompt && (q.Made == of.Output || first && r.pooled())
		if r.leads() {
			r.progressed(ops, &q, tokens, first, over)
		}
		if !over {
			kept = append(kept, q)
		}
	}
	r.running = kept
}

// world returns the communicator of all ranks for letters, or for keys and values.
func (r *rank) world(ops *node.Ops, list int) *mpi.Comm {
	r.groups.SetPlain(&r.comm, r.flows.Rank(ops), list)
	return &r.comm
}

// send sends a message, and counts it until it has left.
func (r *rank) send(ops *node.Ops, list, to, tag int, bytes int64) {
	q := r.world(ops, list).Isend(mpi.Size(int(bytes)), to, tag)
	if !ops.Settle(q) {
		ops.Watch(q, wordSend)
		r.sends++
	}
}

// Restored implements node.Placed.
func (r *rank) Restored(w *node.World) { r.groups.Settle(w) }

// State implements node.Stateful. What the ranks of a block share is saved with the first of them.
func (r *rank) State(v *snapshot.Visitor) {
	if v.Once(r.crew) {
		r.flows.State(v)
	}
	snapshot.Value(v, &r.state)
	snapshot.List(v, &r.running)
	snapshot.List(v, &r.out)
	r.leader.State(v)
}
