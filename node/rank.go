package node

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
