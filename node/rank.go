package node

import "fabricast/fabric"

// rank is the mutable state of one rank. It holds no pointers, and is laid out in
// three cache lines: what every wake reads, what matching reads, what waits write.
type rank struct {
	clock     int64 // ps: may be ahead of the host's time
	arrivesAt int64 // ps: when the first of arrivals does
	// fabric.MsgIDs of messages that are arriving from the network, in order
	arrivals, lastArrival uint32
	events, lastEvent     uint32 // what else will happen, in order
	chain                 uint32 // requests that it is blocked on
	waiting               int32  // of them, those whose completion time is not known
	allUnexpected         uint32 // the last in the ring of messages that no receive has met
	orders                uint32 // receives posted so far (wraps around)
	host                  int32
	id                    int32  // in the world
	spilled               uint32 // its matching queues in its table
	nic                   uint16 // that the next message leaves by
	state                 Kind   // what it is blocked in; Sync before its start
	shapes                uint8  // wildcard shapes it has ever used, a bit each

	queues    [ownQueues]queue // the first of its matching queues
	sendsDone int64            // ps: the latest completion among the sends that a WaitAll waits for
	probe     int32            // context of a Probe or Iprobe; in a WaitAll see hints
	// for a Test or Iprobe: see Ops.Patience; negative once something has arrived; in a WaitAll see
	// hints
	patience int32

	message  Envelope // what it probes for, and then, or after a WaitAll, what it found
	counters counters
}

// counters are the plain statistics of one rank.
type counters struct {
	sentMessages, receivedMessages uint32
	sentBytes, receivedBytes       int64
	wait, compute, overhead        int64 // ps
}

// asksForPresent reports whether the rank waits for its host's time to pass its clock.
func (r *rank) asksForPresent() bool {
	return r.state == Test || r.state == Iprobe || r.state == TestNext
}

// hint records two requests for which a rank that blocks in a WaitAll will probably wait next. They
// take the places of what only other waits need.
func (r *rank) hint(first, second uint32) { r.probe, r.patience = int32(first), int32(second) }

// hints returns these requests, each 0 if it is not known; only of a rank in a WaitAll.
func (r *rank) hints() (first, second uint32) { return uint32(r.probe), uint32(r.patience) }

// uses reports whether the rank has ever used a wildcard shape.
func (r *rank) uses(shape int) bool { return r.shapes&(1<<shape) != 0 }

// use records that the rank uses a shape. It has no effect for the shape without wildcards.
func (r *rank) use(shape int) { r.shapes |= 1 << shape &^ (1 << exact) }

// latest is the end of simulated time (ps): within it, sums of two times cannot overflow.
const latest = 1 << 62

// errLate is the error of a program whose clock has passed the latest time.
var errLate = &fabric.LimitError{
	Reason: "simulated time has gone beyond 53 days, more than picoseconds in 64 bits can count",
}

// checkClock fails the rank if its clock has gone beyond the end of simulated time.
func (r *rank) checkClock() {
	if uint64(r.clock) > latest {
		r.clock = latest
		panic(errLate)
	}
}

// bare reports whether a rank has no queues.
func (r *rank) bare() bool {
	q := &r.queues // in so many words, as this is asked of most receives
	return r.spilled|q[0].last|q[1].last|q[2].last|q[3].last|q[4].last|q[5].last == 0
}

// postOnly implements post for the only receive of a rank.
func (r *rank) postOnly(index uint32, q *receive) {
	q.link(r.orders, index)
	r.orders++
	r.queues[0].last = index<<queueBits | onlyReceive
}

// isPatient, in rank.shapes, marks a rank whose program does not depend on the order in which its
// receives complete, see Ops.Pause.
const isPatient = 1 << 7

// ownQueues is how many matching queues are kept in the rank's own record, where finding them needs
// no table: as many as a three-dimensional stencil has receives. A rank with more has a table, for
// which it gives up the last place.
const ownQueues = 6

// foreseen reports whether a receive is complete at a time to which its rank's clock has yet to come.
func (q *request) foreseen(r *rank) bool { return q.complete() && !q.send() && q.done > r.clock }
