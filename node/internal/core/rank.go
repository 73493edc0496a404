package core

import (
	"fabricast/fabric"
	"fabricast/node/internal/model"
)

// Rank is the mutable state of one rank. It holds no pointers, and is laid out in three cache
// lines: fields read by every wake, fields read by matching, and fields written by waits.
type Rank struct {
	Clock     int64 // ps: may be ahead of the host's time
	ArrivesAt int64 // ps: when the first message in Arrivals arrives
	// IDs (fabric.MsgID) of the first and last message that is arriving from the network
	Arrivals, LastArrival uint32
	Events, LastEvent     uint32 // first and last of the other future events
	Chain                 uint32 // first of the requests that the rank is blocked on
	Waiting               int32  // number of these requests whose completion time is not known
	AllUnexpected         uint32 // last element in the ring of unexpected messages
	Orders                uint32 // number of receives posted so far (wraps around)
	Host                  int32
	ID                    int32      // world rank
	Spilled               uint32     // number of its matching queues that are in its table
	Nic                   uint16     // NIC that the next message uses
	State                 model.Kind // operation that the rank is blocked in; Sync before its start
	Shapes                uint8      // wildcard shapes that the rank has ever used, one bit for each

	Queues    [OwnQueues]Queue // its first matching queues
	SendsDone int64            // ps: latest completion of the sends that a WaitAll waits for
	Probe     int32            // context of a Probe or Iprobe; in a WaitAll see Hints
	// Patience: see Ops.Patience for a Test or Iprobe; negative once something has arrived; in a
	// WaitAll see Hints
	Patience int32

	Message  model.Envelope // the pattern of a probe; then, or after a WaitAll, the message found
	Counters counters
}

// counters are the plain statistics of one rank.
type counters struct {
	SentMessages, ReceivedMessages uint32
	SentBytes, ReceivedBytes       int64
	Wait, Compute, Overhead        int64 // ps
}

// AsksForPresent reports whether the rank waits for its host's time to reach its clock.
func (r *Rank) AsksForPresent() bool {
	return r.State == model.Test || r.State == model.Iprobe || r.State == model.TestNext
}

// Hint records two requests that a rank blocked in a WaitAll will probably wait for next. To save memory, they are
// stored in Probe and Patience, which a WaitAll does not need for their own purpose.
func (r *Rank) Hint(first, second uint32) { r.Probe, r.Patience = int32(first), int32(second) }

// Hints returns the two requests, each 0 if not known. The rank must be in a WaitAll.
func (r *Rank) Hints() (first, second uint32) { return uint32(r.Probe), uint32(r.Patience) }

// Uses reports whether the rank has ever used a wildcard shape.
func (r *Rank) Uses(shape int) bool { return r.Shapes&(1<<shape) != 0 }

// Use records that the rank uses a shape. It has no effect for the shape without wildcards.
func (r *Rank) Use(shape int) { r.Shapes |= 1 << shape &^ (1 << Exact) }

// Latest is the end of simulated time (ps). The sum of two times up to Latest cannot overflow.
const Latest = 1 << 62

// ErrLate is the error of a program whose clock has passed Latest.
var ErrLate = &fabric.LimitError{
	Reason: "simulated time has gone beyond 53 days, more than picoseconds in 64 bits can count",
}

// CheckClock fails the rank if its clock has passed Latest.
func (r *Rank) CheckClock() {
	if uint64(r.Clock) > Latest {
		r.Clock = Latest
		panic(ErrLate)
	}
}

// Bare reports whether a rank has no matching queues.
func (r *Rank) Bare() bool {
	q := &r.Queues // unrolled, because this is executed for most receives
	return r.Spilled|q[0].Last|q[1].Last|q[2].Last|q[3].Last|q[4].Last|q[5].Last == 0
}

// PostOnly posts the only receive of a rank.
func (r *Rank) PostOnly(index uint32, q *ReceiveState) {
	q.Link(r.Orders, index)
	r.Orders++
	r.Queues[0].Last = index<<QueueBits | onlyReceive
}

// IsPatient, in Rank.Shapes, marks a rank whose program does not depend on the order in which its
// receives complete, see Ops.Pause.
const IsPatient = 1 << 7

// OwnQueues is the number of matching queues in the rank's own record, where finding them needs no
// table: as many as a three-dimensional stencil has receives. A rank with more queues has a table,
// which takes the last entry.
const OwnQueues = 6

// Foreseen reports whether q is a receive that completes at a time later than its rank's clock.
func (q *RequestState) Foreseen(r *Rank) bool { return q.Complete() && !q.Send() && q.Done > r.Clock }
