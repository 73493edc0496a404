package core

import (
	"fabricast/fabric"
	"fabricast/node/internal/model"
)

// Rank is the mutable state of one rank. It holds no pointers, and is laid out in
// three cache lines: what every wake reads, what matching reads, what waits write.
type Rank struct {
	Clock     int64 // ps: may be ahead of the host's time
	ArrivesAt int64 // ps: when the first of arrivals does
	// fabric.MsgIDs of messages that are arriving from the network, in order
	Arrivals, LastArrival uint32
	Events, LastEvent     uint32 // what else will happen, in order
	Chain                 uint32 // requests that it is blocked on
	Waiting               int32  // of them, those whose completion time is not known
	AllUnexpected         uint32 // the last in the ring of messages that no receive has met
	Orders                uint32 // receives posted so far (wraps around)
	Host                  int32
	ID                    int32      // in the world
	Spilled               uint32     // its matching queues in its table
	Nic                   uint16     // that the next message leaves by
	State                 model.Kind // what it is blocked in; Sync before its start
	Shapes                uint8      // wildcard shapes it has ever used, a bit each

	Queues    [OwnQueues]Queue // the first of its matching queues
	SendsDone int64            // ps: the latest completion among the sends that a WaitAll waits for
	Probe     int32            // context of a Probe or Iprobe; in a WaitAll see hints
	// for a Test or Iprobe: see Ops.Patience; negative once something has arrived; in a WaitAll see
	// hints
	Patience int32

	Message  model.Envelope // what it probes for, and then, or after a WaitAll, what it found
	Counters counters
}

// counters are the plain statistics of one rank.
type counters struct {
	SentMessages, ReceivedMessages uint32
	SentBytes, ReceivedBytes       int64
	Wait, Compute, Overhead        int64 // ps
}

// AsksForPresent reports whether the rank waits for its host's time to pass its clock.
func (r *Rank) AsksForPresent() bool {
	return r.State == model.Test || r.State == model.Iprobe || r.State == model.TestNext
}

// Hint records two requests for which a rank that blocks in a WaitAll will probably wait next. They
// take the places of what only other waits need.
func (r *Rank) Hint(first, second uint32) { r.Probe, r.Patience = int32(first), int32(second) }

// Hints returns these requests, each 0 if it is not known; only of a rank in a WaitAll.
func (r *Rank) Hints() (first, second uint32) { return uint32(r.Probe), uint32(r.Patience) }

// Uses reports whether the rank has ever used a wildcard shape.
func (r *Rank) Uses(shape int) bool { return r.Shapes&(1<<shape) != 0 }

// Use records that the rank uses a shape. It has no effect for the shape without wildcards.
func (r *Rank) Use(shape int) { r.Shapes |= 1 << shape &^ (1 << Exact) }

// Latest is the end of simulated time (ps): within it, sums of two times cannot overflow.
const Latest = 1 << 62

// ErrLate is the error of a program whose clock has passed the latest time.
var ErrLate = &fabric.LimitError{
	Reason: "simulated time has gone beyond 53 days, more than picoseconds in 64 bits can count",
}

// CheckClock fails the rank if its clock has gone beyond the end of simulated time.
func (r *Rank) CheckClock() {
	if uint64(r.Clock) > Latest {
		r.Clock = Latest
		panic(ErrLate)
	}
}

// Bare reports whether a rank has no queues.
func (r *Rank) Bare() bool {
	q := &r.Queues // in so many words, as this is asked of most receives
	return r.Spilled|q[0].Last|q[1].Last|q[2].Last|q[3].Last|q[4].Last|q[5].Last == 0
}

// PostOnly implements post for the only receive of a rank.
func (r *Rank) PostOnly(index uint32, q *ReceiveState) {
	q.Link(r.Orders, index)
	r.Orders++
	r.Queues[0].Last = index<<QueueBits | onlyReceive
}

// isPatient, in rank.shapes, marks a rank whose program does not depend on the order in which its
// receives complete, see Ops.Pause.
const IsPatient = 1 << 7

// OwnQueues is how many matching queues are kept in the rank's own record, where finding them needs
// no table: as many as a three-dimensional stencil has receives. A rank with more has a table, for
// which it gives up the last place.
const OwnQueues = 6

// Foreseen reports whether a receive is complete at a time to which its rank's clock has yet to come.
func (q *RequestState) Foreseen(r *Rank) bool { return q.Complete() && !q.Send() && q.Done > r.Clock }
